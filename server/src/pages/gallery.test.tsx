import { expect, test } from 'vitest'
import { galleryFrame, galleryOf, hostileNames, longNames, usualNames } from './gallery.given.js'
import { allTexts } from './frame/locale.js'

/** Every page and state in every language, with names that are usual, long, and hostile. */
const pages = allTexts.flatMap((texts) =>
  [usualNames, longNames, hostileNames].flatMap((names) =>
    galleryOf(galleryFrame(texts, names), names).map(({ name, html }) => ({
      title: `${texts.lang} ${name}`,
      name,
      html,
      texts,
      elements: elementsOf(html),
    })),
  ),
)

test('each page is a document in its language, with one heading and one main part', () => {
  expect(pages.length).toBeGreaterThan(300)
  for (const { title, html, texts, elements } of pages) {
    expect(html, title).toMatch(/^<!doctype html><html lang="(en|fr)">/)
    expect(named(elements, 'html')[0]?.attributes['lang'], title).toBe(texts.lang)
    for (const tag of ['h1', 'main', 'title']) expect(named(elements, tag), title).toHaveLength(1)
  }
})

test('each page has ids that are its own, and refers to none that is not there', () => {
  for (const { title, elements } of pages) {
    const ids = elements.flatMap(({ attributes: { id } }) => id ?? [])
    expect(new Set(ids).size, title).toBe(ids.length)
    const references = elements.flatMap(({ attributes }) =>
      ['for', 'aria-describedby', 'data-copy', 'data-reveal'].flatMap(
        (key) => attributes[key]?.split(' ') ?? [],
      ),
    )
    for (const reference of references) expect(ids, title).toContain(reference)
  }
})

test('whatever is filled in has a label', () => {
  for (const { title, elements } of pages) {
    const labelled = named(elements, 'label').map(({ attributes }) => attributes['for'])
    const fields = named(elements, 'input').filter(
      ({ attributes }) => attributes['type'] !== 'hidden' && !('hidden' in attributes),
    )
    for (const { attributes } of fields) expect(labelled, title).toContain(attributes['id'])
  }
})

test('a form goes to its own address by POST, with its field against forgery, and does one thing', () => {
  // The answer to an application is posted to it, as form-post.test.ts shows.
  for (const { title, name, html } of pages.filter((page) => page.name !== 'form-post')) {
    for (const form of html.match(/<form.*?<\/form>/gs) ?? []) {
      expect(form, title).toMatch(/^<form method="post" action="\/(t\/awesome-company\/|onboarding)/)
      expect(form.match(/name="csrf"/g), title).toHaveLength(1)
      expect(form.match(/<button type="submit"/g), title).toHaveLength(1)
      const actions = form.match(/name="action" value="[a-z_]+"/g) ?? []
      expect(actions, title).toHaveLength(name.startsWith('magic-link') ? 0 : 1)
    }
  }
})

test('the focus is in one place at most, and where something is wrong, there; the title says so, too', () => {
  for (const { title, html, texts, elements } of pages) {
    const focused = elements.filter(({ attributes }) => 'autofocus' in attributes)
    const faults = elements.filter(({ attributes }) => attributes['class']?.split(' ').includes('fault'))
    expect(focused.length, title).toBeLessThanOrEqual(1)
    expect(html.includes(`<title>${texts.errorTitle('')}`), title).toBe(faults.length === 1)
    for (const { attributes: fault } of faults) {
      const field = focused[0]?.attributes ?? {}
      expect(fault['role'], title).toBe('alert')
      const isOfField = fault['id'] !== undefined
      expect(field['role'], title).toBe(isOfField ? undefined : 'alert')
      expect(field['aria-invalid'], title).toBe(isOfField ? 'true' : undefined)
      if (isOfField) expect(field['aria-describedby']?.split(' '), title).toContain(fault['id'])
    }
  }
})

test('no page has a script, style or handler of its own, or anything that a name has brought', () => {
  for (const { title, html, elements } of pages) {
    const scripts = named(elements, 'script').map(({ attributes }) => attributes['src'])
    const ofPasskeys = html.includes(' data-passkey=') ? ['/assets/x/passkey.js'] : []
    expect(scripts, title).toEqual(['/assets/x/pages.js', ...ofPasskeys])
    for (const tag of ['style', 'b', 'u', 'img']) expect(named(elements, tag), title).toEqual([])
    const keys = elements.flatMap(({ attributes }) => Object.keys(attributes))
    expect(
      keys.filter((key) => /^(style|on[a-z]+)$/.test(key)),
      title,
    ).toEqual([])
    const urls = elements.flatMap(({ attributes }) => [attributes['href'] ?? '/', attributes['src'] ?? '/'])
    const ours = /^(\/|https:\/\/awesome\.example\/|otpauth:|data:(,|text\/plain))/
    expect(
      urls.filter((url) => !ours.test(url)),
      title,
    ).toEqual([])
    // Input is shown as it was typed.
    const shown = html.replace(/ value="[^"]*"/g, '')
    expect(shown, title).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/)
  }
})

test('each page has a text wherever there should be one', () => {
  for (const { title, html } of pages) {
    const text = html.replace(/<[^>]*>/g, ' ')
    expect(text, title).not.toMatch(/\bundefined\b|\bnull\b|\[object|=>|\{(terms|privacy)\}|NaN/)
    for (const button of html.match(/<(button|h1|label|summary).*?<\/\1>/gs) ?? [])
      expect(button.replace(/<[^>]*>/g, '').trim(), title).not.toBe('')
  }
})

test('every page with a password tells password managers whose it is', () => {
  // A client secret is not a password of the user.
  const withPassword = pages.filter(
    ({ html }) => html.includes('type="password"') && !html.includes('name="client_secret"'),
  )
  expect(withPassword.length).toBeGreaterThan(10)
  for (const { html } of withPassword) expect(html).toContain('autocomplete="username"')
})

test('no page of the one language has a word of the other', () => {
  const french = galleryOf(galleryFrame(languageOf('fr'), usualNames), usualNames)
  for (const { name, html } of french) {
    // Labels of the consoles of identity providers are marked as English.
    const own = html.replace(/<(\w+)( [^>]*)? lang="en"[^>]*>.*?<\/\1>/gs, ' ')
    const text = own.replace(/<[^>]*>/g, ' ')
    expect(`${name}: ${text}`).not.toMatch(/\b(the|your|you|with|and|this|again)\b/i)
  }
})

test('both languages have the same sentences, and none is empty', () => {
  const [one, other] = allTexts.map((texts) => Object.entries(flatten(texts)))
  expect(one?.map(([key]) => key).toSorted()).toEqual(other?.map(([key]) => key).toSorted())
  for (const [key, text] of [...(one ?? []), ...(other ?? [])]) expect(`${key} ${text}`).not.toMatch(/ $/)
})

interface Element {
  readonly tag: string
  readonly attributes: Readonly<Partial<Record<string, string>>>
}

function named(elements: readonly Element[], tag: string): Element[] {
  return elements.filter((element) => element.tag === tag)
}

/** The elements of a rendered page; the renderer quotes every value and escapes quotes in it. */
function elementsOf(html: string): Element[] {
  return [...html.matchAll(/<([a-z][a-z0-9]*)((?:\s+[a-zA-Z-]+(?:="[^"]*")?)*)\s*\/?>/g)].map(
    ([, tag = '', attributes = '']) => ({
      tag,
      attributes: Object.fromEntries(
        [...attributes.matchAll(/([a-zA-Z-]+)(?:="([^"]*)")?/g)].map(([, key = '', value = '']) => [
          key,
          value,
        ]),
      ),
    }),
  )
}

function languageOf(lang: string) {
  const texts = allTexts.find((language) => language.lang === lang)
  if (texts === undefined) throw new Error(`no ${lang}`)
  return texts
}

/** Each text by its path; a template is represented by its number of parameters. */
function flatten(value: unknown, path = ''): Record<string, string> {
  if (typeof value !== 'object' || value === null)
    return { [path]: typeof value === 'function' ? 'function' : String(value) }
  return Object.assign({}, ...Object.entries(value).map(([key, member]) => flatten(member, `${path}.${key}`)))
}

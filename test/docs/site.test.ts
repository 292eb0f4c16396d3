import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { appendFile, cp, mkdtemp, rm } from 'node:fs/promises'
import { request, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { emulator, emulatorErrorCodes } from '@portico/contract/emulator'
import { errorCodes } from '@portico/contract/errors'
import { eventCodes } from '@portico/contract/event-catalog'
import { remarksOf } from '@portico/contract/openapi'
import { routes } from '@portico/contract/walk'
import { beforeAll, expect, test } from 'vitest'
import { startService, type Service } from '../given/harness.js'
import { buildSite, idsIn, linksOf, siteIn, type BuiltSite } from './built-site.js'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))

/** Excluded, because its operations and codes share names with those of the service. */
const emulatorPage = 'reference/emulator.html'

let site: BuiltSite
let service: Service

beforeAll(async () => {
  site = await buildSite()
  service = await startService()
}, 240_000)

test('each page is a document with a title of its own, a description, one heading and one main part', () => {
  expect(site.pages.length).toBeGreaterThan(200)
  const titles = site.pages.map((page) => {
    const markup = site.read(page)
    expect(markup, page).toMatch(/^<!doctype html>\n<html lang="en">/)
    expect(markup.match(/<h1[ >]/g), page).toHaveLength(1)
    expect(markup.match(/<main[ >]/g), page).toHaveLength(1)
    expect(markup, page).toMatch(/<meta name="description" content="[^"]{20,}"/)
    return /<title>([^<]+)<\/title>/.exec(markup)?.[1]
  })
  expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([])
})

test('no page has a script, a style or a handler of its own', () => {
  for (const page of site.pages) {
    const markup = site.read(page)
    expect(
      markup.match(/<script[^>]*>[^<]*/g)?.filter((script) => !/src="[^"]+">$/.test(script)),
      page,
    ).toEqual([])
    expect(markup, page).not.toMatch(/<style|<[^>]+\sstyle=|<[^>]+\son[a-z]+=|javascript:/)
  }
})

test('no two places of a page have one address', () => {
  for (const page of site.pages) {
    const ids = idsIn(site.read(page))
    expect(
      ids.filter((id, index) => ids.indexOf(id) !== index),
      page,
    ).toEqual([])
  }
})

test('every link leads to a page and to a place on it, from wherever the site is opened', () => {
  const { dead, external } = linksOf(site)

  expect(dead).toEqual([])
  expect(external.filter((address) => !/^(https?|mailto):/.test(address))).toEqual([])
})

test('a link to a page or a place that is not there is found', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'portico-site-'))
  try {
    await cp(site.folder, folder, { recursive: true })
    const links = '<a href="gone.html">1</a><a href="start.html#gone">2</a><a href="/guides/start.html">3</a>'
    await appendFile(join(folder, 'guides/totp.html'), links)

    expect(linksOf(siteIn(folder)).dead).toEqual([
      'guides/totp.html: gone.html',
      'guides/totp.html: start.html#gone',
      'guides/totp.html: /guides/start.html',
    ])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

test('every guide and decision is a page, and one without a place in the contents stops the build', async () => {
  const folders = ['guides', 'decisions']
  const documents = folders.flatMap((folder) =>
    readdirSync(join(root, 'docs', folder)).map((name) => `${folder}/${name.replace(/\.md$/, '.html')}`),
  )
  const script = `import { documentsOfDocs, readContents } from './docs/site/contents.ts'
    readContents([...documentsOfDocs(), 'docs/guides/new.md'])`
  const build = run(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], { cwd: root })

  expect(site.pages).toEqual(
    expect.arrayContaining(documents.filter((page) => page !== 'decisions/0000-template.html')),
  )
  await expect(build).rejects.toMatchObject({
    stderr: expect.stringContaining('Give a place in docs/site/contents.ts to: docs/guides/new.md'),
  })
})

test('every operation, error code and event code of the contract has its place', () => {
  const places = (folder: string) =>
    site.pages
      .filter((page) => page.startsWith(folder) && page !== emulatorPage)
      .flatMap((page) => idsIn(site.read(page)))

  expect(places('reference/')).toEqual(expect.arrayContaining(routes().map(({ name }) => name)))
  expect(places('errors.html')).toEqual(expect.arrayContaining(Object.keys(errorCodes)))
  expect(places('events.html')).toEqual(expect.arrayContaining([...eventCodes]))
})

test('the control of an emulator has a page of its own: every operation with a call by curl, every code, its document', () => {
  const markup = site.read(emulatorPage)

  expect(idsIn(markup)).toEqual(
    expect.arrayContaining([...routes(emulator).map(({ name }) => name), ...Object.keys(emulatorErrorCodes)]),
  )
  for (const { path } of routes(emulator).filter(({ pathParameters }) => pathParameters.length === 0))
    expect(markup).toContain(`http://127.0.0.1:3000${path}`)
  expect(markup).toContain('<code>by_seconds</code>')
  expect(markup).toContain('href="../openapi-emulator.json"')
  expect(site.read('guides/testing.html')).toContain('href="../reference/emulator.html"')
  expect(JSON.stringify(JSON.parse(readFileSync(join(site.folder, 'openapi.json'), 'utf8')))).not.toContain(
    '_emulator',
  )
})

test('an operation says what holds for it beside its parameters: whom it serves, where it exists, what it counts against', () => {
  const words = (text: string) => text.replaceAll('`', '')
  const pages = site.pages
    .filter((page) => page.startsWith('reference/') && page !== emulatorPage)
    .map((page) => site.read(page))
  const articles = new Map(
    pages.flatMap((page) =>
      [...page.matchAll(/<article class="operation" aria-labelledby="([^"]+)">(.*?)<\/article>/gs)].map(
        ([, name = '', markup = '']) => [name, markup.replace(/<\/?code>/g, '')] as const,
      ),
    ),
  )
  const remarked = routes().filter((route) => remarksOf(route) !== '')

  expect(remarked.length).toBeGreaterThan(10)
  for (const route of remarked)
    expect(articles.get(route.name), route.name).toContain(`<p>${words(remarksOf(route))}</p>`)
})

test.each([
  ['guides/sign-in.html', 'A sign-in on the pages'],
  ['guides/sign-in.html', 'Authorization code with PKCE'],
  ['guides/magic-link.html', 'A sign-in by a link in a mail'],
  ['guides/sso.html', 'A sign-in by SAML'],
  ['guides/oidc-connections.html', 'A sign-in by OpenID Connect'],
  ['guides/directory-sync.html', 'Somebody joins and leaves'],
  ['guides/webhooks.html', 'A delivery'],
  ['guides/tokens.html', 'Refresh tokens in rotation'],
])('%s draws the flow «%s», and says the same in words', (page, title) => {
  const figures = site.read(page).match(/<figure class="flow">.*?<\/figure>/gs) ?? []
  const figure = figures.find((each) => each.includes(`aria-label="${title}. `)) ?? ''

  const messages = figure.match(/class="(?:call|answer)"/g) ?? []
  expect(messages.length).toBeGreaterThan(5)
  expect((figure.match(/<li>/g) ?? []).length).toBeGreaterThanOrEqual(messages.length)
})

test('the service has the first page at /docs, under a policy without anything inline', async () => {
  const answer = await fetch(`${service.baseUrl}/docs`)

  expect([answer.status, answer.url]).toEqual([200, `${service.baseUrl}/docs/`])
  expect(await answer.text()).toContain('href="guides/start.html">From nothing to a verified token')
  const policy = answer.headers.get('content-security-policy') ?? ''
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
  expect(policy).not.toContain('unsafe')
})

test('each page has an icon, which the policy lets a browser have', async () => {
  for (const page of site.pages)
    expect(site.read(page), page).toMatch(
      /<link rel="icon" href="(\.\.\/)*assets\/icon\.svg" type="image\/svg\+xml"/,
    )
  const icon = await fetch(`${service.baseUrl}/docs/assets/icon.svg`)

  expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/svg+xml'])
})

test('docs_url of a failure leads to the place of its code', async () => {
  const failure = await fetch(`${service.baseUrl}/nowhere`)
  const { error } = (await failure.json()) as { error: { docs_url: string; code: string } }
  const page = await fetch(error.docs_url)

  expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/html')])
  expect(idsIn(await page.text())).toContain(new URL(error.docs_url).hash.slice(1))
})

test('a page is found without .html, too', async () => {
  const [named, unnamed] = await Promise.all(
    ['.html', ''].map(async (end) => (await fetch(`${service.baseUrl}/docs/guides/testing${end}`)).text()),
  )

  expect(unnamed).toContain('<h1 id="test-your-program">')
  expect(unnamed).toBe(named)
})

test('404: what is not of the site is no page of it', async () => {
  // With raw paths, because fetch() resolves dots itself.
  for (const path of [
    '/docs/nowhere.html',
    '/docs/.built',
    '/docs/../package.json',
    '/docs/%2e%2e/package.json',
  ])
    expect(await statusOf(path), path).toBe(404)
})

/** The status of a request with a raw path. */
async function statusOf(path: string): Promise<number | undefined> {
  const { hostname, port } = new URL(service.baseUrl)
  const sent = request({ hostname, port, path }).end()
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  answer.resume()
  return answer.statusCode
}

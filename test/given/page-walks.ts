import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { axeFaultsOf } from './axe.js'
import { emptyPath, staying, type PageGallery } from './page-gallery.js'

// Checks of every page: pages.test.ts runs them on one page of each layout, pages.long.test.ts on all.

/** The conditions under which a page is displayed. */
export interface Look {
  readonly colorScheme: 'light' | 'dark'
  readonly width: number
  readonly hasScript: boolean
}

/** The violations that axe finds in pages under one look, by path; empty without any. */
export async function faultsOf(
  gallery: PageGallery,
  { colorScheme, width, hasScript }: Look,
  paths: readonly string[],
): Promise<Record<string, unknown>> {
  const page = await shownAt(gallery, width, 800)
  await page.emulateMedia({ colorScheme })
  const faults: Record<string, unknown> = {}
  await eachIn(page, gallery, paths, hasScript, async (path) => {
    const found = await axeFaultsOf(page)
    if (found !== '') faults[path] = found
  })
  return faults
}

/** The errors and warnings of a browser while it displays pages, by path. */
export async function complaintsOf({ browser, origin }: PageGallery, paths: readonly string[]) {
  const page = await browser.reusedPage()
  const complaints: Record<string, string[]> = {}
  let current = ''
  const complain = (text: string) => void (complaints[current] ??= []).push(text)
  page.on('console', (message) => message.type() === 'error' && complain(message.text()))
  page.on('pageerror', (error) => complain(String(error)))
  for (const path of paths) {
    current = path
    await page.goto(origin + path)
  }
  return complaints
}

/** The elements wider than a screen of 320 px at this text size, by path. */
export async function tooWideIn(
  gallery: PageGallery,
  fontSize: string,
  paths: readonly string[],
): Promise<Record<string, unknown>> {
  const page = await shownAt(gallery, 320, 640)
  const wide: Record<string, unknown> = {}
  await eachIn(page, gallery, paths, true, async (path) => {
    const found = await page.evaluate(
      `document.documentElement.style.fontSize = ${JSON.stringify(fontSize)};
       document.querySelectorAll('details').forEach((details) => (details.open = true));
       [...document.querySelectorAll('body *')]
         .filter((element) => !element.closest('.unseen') && getComputedStyle(element).clipPath !== 'inset(50%)')
         .filter((element) => element.getBoundingClientRect().right > innerWidth + 1 || element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).overflowX !== 'visible' && element.tagName !== 'INPUT')
         .map((element) => element.outerHTML.slice(0, 200))`,
    )
    if (Array.isArray(found) && found.length > 0) wide[path] = found
  })
  return wide
}

/** On pages with a table: the words broken although they fit in a line of 320 px, and the number of all words. */
export async function brokenWordsIn(gallery: PageGallery, paths: readonly string[]) {
  const page = await shownAt(gallery, 320, 640)
  const broken: Record<string, unknown> = {}
  let words = 0
  const withTable = paths.filter((path) => gallery.contentOf(path).includes('<table'))
  await eachIn(page, gallery, withTable, true, async (path) => {
    const found = await page.evaluate<{ words: number; broken: string[] }>(wordsOfTables)
    words += found.words
    if (found.broken.length > 0) broken[path] = found.broken
  })
  return { words, broken }
}

/** Checks that the Tab key reaches every control of the pages. */
export async function expectKeysToLeadThrough(gallery: PageGallery, paths: readonly string[]): Promise<void> {
  const page = await shownAt(gallery, 360, 800)
  await eachIn(page, gallery, paths, true, async (path) => {
    const stops = await stopsOf(page)
    expect(stops.length, path).toBe(await countOfControls(page))
    for (const [index, stop] of stops.entries()) {
      expect(stop.isShown, `${path} ${stop.html}`).toBe(true)
      const before = stops[index - 1]
      const isBelow = before === undefined || stop.top >= before.top - 40
      expect(isBelow, `${path} ${before?.html} ${stop.html}`).toBe(true)
    }
  })
}

/** Checks that the focus is on the fault, with scripts and without. */
export async function expectFocusOnFault(
  { browser, origin, contentOf }: PageGallery,
  paths: readonly string[],
) {
  const withFault = paths.filter((path) => contentOf(path).includes('class="fault'))
  expect(withFault).not.toEqual([])
  for (const javaScriptEnabled of [true, false]) {
    const page = await browser.reusedPage(javaScriptEnabled ? {} : { javaScriptEnabled })
    for (const path of withFault) {
      await page.goto(origin + path)
      const focused = page.locator(':focus')
      const isField = contentOf(path).includes('aria-invalid')
      const attribute = isField ? 'aria-invalid' : 'role'
      expect(await focused.getAttribute(attribute), path).toBe(isField ? 'true' : 'alert')
    }
  }
}

/**
 * Displays pages one after the other by rewriting one document: navigating costs four times as much, and
 * unloads axe. The content security policy of the pages does not apply here.
 */
async function eachIn(
  page: Page,
  { origin, contentOf }: PageGallery,
  paths: readonly string[],
  hasScript: boolean,
  look: (path: string) => Promise<void>,
): Promise<void> {
  // At the gallery's origin, so that resources of pages are found.
  if (page.url() !== origin + emptyPath) await page.goto(origin + emptyPath)
  for (const path of paths) {
    const content = contentOf(path)
    const [script = '', source = ''] = /<script src="([^"]+)" defer><\/script>/.exec(content) ?? []
    if (contentOf(source) === '') throw new Error(`${path} has no script of the gallery`)
    await page.setContent(staying(content).replace(script, ''))
    // In a function, because the global names of a script stay in its window.
    if (hasScript) await page.evaluate(`(() => {${contentOf(source)}})()`)
    await look(path)
  }
}

/** The shared page, resized. */
async function shownAt({ browser }: PageGallery, width: number, height: number): Promise<Page> {
  const page = await browser.reusedPage({ colorScheme: 'light' })
  await page.setViewportSize({ width, height })
  return page
}

interface Stop {
  readonly html: string
  readonly top: number
  readonly isShown: boolean
}

/** The elements that the Tab key reaches, from the start of the page until focus leaves it. */
async function stopsOf(page: Page): Promise<Stop[]> {
  // Autofocus takes effect with the first frame, which may follow the load event.
  await page.evaluate(`new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))`)
  await page.evaluate(
    `document.activeElement?.blur(); document.body.tabIndex = -1; document.body.focus(); document.body.removeAttribute('tabindex')`,
  )
  const stops: Stop[] = []
  for (;;) {
    await page.keyboard.press('Tab')
    // The script in the page returns this form.
    const stop = (await page.evaluate(
      `(() => {
         const element = document.activeElement
         if (element === null || element === document.body || element.stopped) return null
         element.stopped = true
         const shown = element.closest('.entry') ?? element
         const { outlineStyle, outlineWidth } = getComputedStyle(shown)
         return {
           html: element.outerHTML.slice(0, 120),
           top: element.getBoundingClientRect().top + scrollY,
           isShown: outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2,
         }
       })()`,
    )) as Stop | null
    if (stop === null || stops.length > 40) return stops
    stops.push(stop)
  }
}

/** Counts the tab stops. The radio buttons of a group are one stop, the selected button. */
async function countOfControls(page: Page): Promise<number> {
  return page.evaluate(
    `[...document.querySelectorAll('a[href], button, input, select, textarea, summary')]
      .filter((element) => element.checkVisibility() && element.type !== 'hidden' && element.tabIndex >= 0)
      .filter((element) => element.type !== 'radio' || element.checked).length`,
  )
}

/** Runs in the page: the number of words of up to 20 letters in tables, and those broken across two lines. */
const wordsOfTables = `(() => {
  const found = { words: 0, broken: [] }
  document.querySelectorAll('details').forEach((details) => (details.open = true))
  for (const cell of document.querySelectorAll('tbody th, tbody td')) {
    const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) {
      for (const word of walker.currentNode.data.matchAll(/[^\\s]{1,20}(?!\\S)/g)) {
        if (word.index > 0 && !/\\s/.test(walker.currentNode.data[word.index - 1])) continue
        const range = document.createRange()
        range.setStart(walker.currentNode, word.index)
        range.setEnd(walker.currentNode, word.index + word[0].length)
        found.words += 1
        if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) found.broken.push(word[0])
      }
    }
  }
  return found
})()`

import { beforeAll, describe, expect, test } from 'vitest'
import { browserTool, hasTool } from '../debian-tools.js'
import { startService } from '../given/harness.js'
import { faultsOf, tooWideIn } from '../given/page-walks.js'
import { longTest, sampled } from '../sampled.js'
import { attemptsUntilLocked, openConsolePages, type ConsolePages, type Kind } from './console-pages-given.js'

const service = await startService({
  variables: { SIGN_IN_ATTEMPTS_PER_ADDRESS: String(attemptsUntilLocked) },
})
const few: readonly Kind[] = [
  'list of folded rows',
  'record of an organization',
  'form with faults',
  'answer that is shown once',
  'person who is locked',
]
let pages: ConsolePages

beforeAll(async () => {
  if (hasTool(browserTool)) pages = await openConsolePages(service, few)
}, 60_000)

// console-in-chromium.long.test.ts runs axe and the widths on every kind of page, in every look.
describe.skipIf(!hasTool(browserTool))('a page of the console of each layout', () => {
  test.each([
    { colorScheme: 'light', width: 320, hasScript: true, lang: 'en' },
    { colorScheme: 'dark', width: 1280, hasScript: false, lang: 'fr' },
  ] as const)(
    'has no fault that axe knows: $colorScheme, $width px, $lang, scripts: $hasScript',
    async ({ lang, ...look }) => {
      expect(await faultsOf(pages.gallery, look, pages.pathsIn(lang, ...few))).toEqual({})
    },
  )

  test('is no wider than a screen of 320 px', async () => {
    expect(await tooWideIn(pages.gallery, '', pages.pathsIn('fr', ...few))).toEqual({})
  })

  test.each(sampled([true, false], 1))(
    'has the focus on what is wrong, scripts: %s',
    async (javaScriptEnabled) => {
      const page = await pages.gallery.browser.reusedPage({ javaScriptEnabled })
      await page.goto(pages.gallery.origin + (pages.pathsIn('en', 'form with faults')[0] ?? ''))
      const focused = page.locator(':focus')
      await focused.waitFor()
      expect(await focused.getAttribute('role')).toBe('alert')
      // Each fault leads to its field.
      const targets = await focused
        .getByRole('link')
        .evaluateAll((links) => links.map((link) => link.getAttribute('href')?.slice(1) ?? ''))
      expect(targets).toEqual(['name'])
      for (const id of targets)
        expect(await page.locator(`[id="${id}"]`).getAttribute('aria-invalid')).toBe('true')
    },
  )

  longTest('copies what is shown once, and offers that only with scripts', async () => {
    const [path = ''] = pages.pathsIn('en', 'answer that is shown once')
    const page = await pages.gallery.browser.reusedPage()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.goto(pages.gallery.origin + path)
    await page.getByRole('button', { name: 'Copy' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    const copied = await page.evaluate('navigator.clipboard.readText()')
    expect(copied).toBe(await page.locator('.secret').innerText())
    expect(copied).toMatch(/^\S{20,}$/)

    const plain = await pages.gallery.browser.reusedPage({ javaScriptEnabled: false })
    await plain.goto(pages.gallery.origin + path)
    expect(await plain.getByRole('button').allInnerTexts()).toEqual(['Search', 'Sign out'])
  })
})

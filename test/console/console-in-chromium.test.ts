import { beforeAll, describe, expect, test } from 'vitest'
import { browserTool, hasTool } from '../debian-tools.js'
import { startService } from '../given/harness.js'
import { complaintsOf, faultsOf, tooWideIn } from '../given/page-walks.js'
import { isFullRun, longDescribe, longTest } from '../sampled.js'
import {
  allKinds,
  attemptsUntilLocked,
  openConsolePages,
  type ConsolePages,
  type Kind,
} from './console-pages-given.js'

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
  if (hasTool(browserTool)) pages = await openConsolePages(service, isFullRun ? allKinds : few)
}, 60_000)

const widths = [320, 768, 1280]

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

  test.each([true, false])('has the focus on what is wrong, scripts: %s', async (javaScriptEnabled) => {
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
  })

  test('copies what is shown once, and offers that only with scripts', async () => {
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
    expect(await plain.getByRole('button').allInnerTexts()).toEqual(['Sign out'])
  })
})

describe.skipIf(!hasTool(browserTool))('every page of the console', () => {
  longDescribe('has no fault that axe knows', () => {
    test.each(
      widths.flatMap((width) =>
        (['light', 'dark'] as const).flatMap((colorScheme) =>
          ['en', 'fr'].flatMap((lang) =>
            [true, false].map((hasScript) => ({ width, colorScheme, lang, hasScript })),
          ),
        ),
      ),
    )(
      '$width px, $colorScheme, $lang, scripts: $hasScript',
      async ({ lang, ...look }) => {
        expect(await faultsOf(pages.gallery, look, pages.pathsIn(lang))).toEqual({})
      },
      120_000,
    )
  })

  longTest(
    'keeps to its policy, and runs without a fault',
    async () => {
      const paths = ['en', 'fr'].flatMap((lang) => pages.pathsIn(lang))
      expect(paths).toHaveLength(2 * allKinds.length)
      expect(await complaintsOf(pages.gallery, paths)).toEqual({})
    },
    120_000,
  )

  longTest(
    'is no wider than a screen of 320 px, with a text twice as large, too',
    async () => {
      for (const lang of ['en', 'fr'])
        for (const size of ['', '200%'])
          expect(await tooWideIn(pages.gallery, size, pages.pathsIn(lang)), `${lang} ${size}`).toEqual({})
    },
    120_000,
  )
})

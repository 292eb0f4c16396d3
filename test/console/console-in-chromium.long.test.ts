import { beforeAll, describe, expect, test } from 'vitest'
import { browserTool, hasTool } from '../debian-tools.js'
import { startService } from '../given/harness.js'
import { complaintsOf, faultsOf, tooWideIn } from '../given/page-walks.js'
import { allKinds, attemptsUntilLocked, openConsolePages, type ConsolePages } from './console-pages-given.js'

const service = await startService({
  variables: { SIGN_IN_ATTEMPTS_PER_ADDRESS: String(attemptsUntilLocked) },
})
const widths = [320, 768, 1280]
let pages: ConsolePages

beforeAll(async () => {
  if (hasTool(browserTool)) pages = await openConsolePages(service, allKinds)
}, 120_000)

describe.skipIf(!hasTool(browserTool))('every page of the console', () => {
  describe('has no fault that axe knows', () => {
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

  test('keeps to its policy, and runs without a fault', async () => {
    const paths = ['en', 'fr'].flatMap((lang) => pages.pathsIn(lang))
    expect(paths).toHaveLength(2 * allKinds.length)
    expect(await complaintsOf(pages.gallery, paths)).toEqual({})
  }, 120_000)

  test('is no wider than a screen of 320 px, with a text twice as large, too', async () => {
    for (const lang of ['en', 'fr'])
      for (const size of ['', '200%'])
        expect(await tooWideIn(pages.gallery, size, pages.pathsIn(lang)), `${lang} ${size}`).toEqual({})
  }, 120_000)
})

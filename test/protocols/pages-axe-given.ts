import { beforeAll, describe, expect, test } from 'vitest'
import { browserTool, hasTool } from '../debian-tools.js'
import { openPageGallery, type PageGallery } from '../given/page-gallery.js'
import { faultsOf, type Look } from '../given/page-walks.js'

/** Tests by axe of every page, in every state and both languages, in a color scheme: one file has one, because each takes minutes. */
export function testPagesByAxe(colorScheme: Look['colorScheme']): void {
  const looks = [360, 1280].flatMap((width) =>
    [true, false].map((hasScript) => ({ colorScheme, width, hasScript })),
  )
  let gallery: PageGallery

  beforeAll(async () => {
    if (hasTool(browserTool)) gallery = await openPageGallery()
  }, 60_000)

  describe.skipIf(!hasTool(browserTool))('every page, in every state and both languages', () => {
    test.each(looks)(
      'has no fault that axe knows: $colorScheme, $width px, scripts: $hasScript',
      async (look) => {
        expect(await faultsOf(gallery, look, gallery.paths('usual'))).toEqual({})
      },
      600_000,
    )
  })
}

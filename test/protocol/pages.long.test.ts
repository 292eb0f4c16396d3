import { beforeAll, describe, expect, test } from 'vitest'
import { hasTool } from '../debian-tools.js'
import { faultsOf, openPageGallery, type PageGallery } from '../page-gallery.js'

let gallery: PageGallery

beforeAll(async () => {
  if (hasTool('chromium')) gallery = await openPageGallery()
}, 60_000)

const looks = (['light', 'dark'] as const).flatMap((colorScheme) =>
  [360, 1280].flatMap((width) => [true, false].map((hasScript) => ({ colorScheme, width, hasScript }))),
)

describe.skipIf(!hasTool('chromium'))('every page, in every state and both languages', () => {
  test.each(looks)(
    'has no fault that axe knows: $colorScheme, $width px, scripts: $hasScript',
    async (look) => {
      expect(await faultsOf(gallery, look, gallery.paths('usual'))).toEqual({})
    },
    240_000,
  )
})

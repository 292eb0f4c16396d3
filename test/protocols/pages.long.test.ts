import { beforeAll, describe, expect, test } from 'vitest'
import { browserTool, hasTool } from '../debian-tools.js'
import { openPageGallery, type PageGallery } from '../given/page-gallery.js'
import {
  brokenWordsIn,
  complaintsOf,
  expectFocusOnFault,
  expectKeysToLeadThrough,
  tooWideIn,
} from '../given/page-walks.js'

// About five hundred pages, each of which a browser renders a few times. What axe finds is in pages-in-light and pages-in-dark.

let gallery: PageGallery

beforeAll(async () => {
  if (hasTool(browserTool)) gallery = await openPageGallery()
}, 60_000)

const timeout = 600_000

describe.skipIf(!hasTool(browserTool))('every page, in every state and both languages', () => {
  test(
    'keeps to its policy, and runs without a fault',
    async () => {
      expect(await complaintsOf(gallery, gallery.paths('usual'))).toEqual({})
    },
    timeout,
  )

  test.each([
    ['at 320 px', ''],
    ['at 320 px with a text twice as large', '200%'],
  ] as const)(
    'is no wider than the screen %s',
    async (_, fontSize) => {
      expect(await tooWideIn(gallery, fontSize, gallery.paths('long'))).toEqual({})
    },
    timeout,
  )

  test(
    'breaks no word of a table that a line of 320 px holds',
    async () => {
      const { broken, words } = await brokenWordsIn(gallery, gallery.paths('usual'))
      expect(broken).toEqual({})
      expect(words).toBeGreaterThan(1000)
    },
    timeout,
  )

  test(
    'is gone through by key from top to bottom, and shows where one is',
    async () => {
      await expectKeysToLeadThrough(gallery, gallery.paths('usual'))
    },
    timeout,
  )

  test(
    'has the focus on its fault, with scripts and without',
    async () => {
      await expectFocusOnFault(gallery, gallery.paths('usual'))
    },
    timeout,
  )
})

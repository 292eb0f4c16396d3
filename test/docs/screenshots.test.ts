import { readdirSync, readFileSync, statSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { browserTool, hasTool } from '../debian-tools.js'
import { openPageGallery, readPageContents, type PageGallery } from '../given/page-gallery.js'
import { consoleScreenshots, takeConsoleScreenshots } from './console-screenshots.js'
import { colorSchemes, digestOf, screenshots, takeScreenshot } from './screenshots.js'

const images = fileURLToPath(new URL('../../docs/images/', import.meta.url))
const guides = fileURLToPath(new URL('../../docs/guides/', import.meta.url))
/** The digest of the page behind each image. */
const manifest = `${images}taken-of.json`
/** Set by `npm run docs -- screenshots`. */
const isToTake = process.env.PORTICO_SCREENSHOTS === 'take'

let contents: Pick<PageGallery, 'contentOf'>

beforeAll(async () => {
  if (hasTool(browserTool)) contents = await readPageContents()
})

describe.skipIf(!hasTool(browserTool))('the screenshots of docs/images', () => {
  if (isToTake) {
    test('are taken anew', takeAll, 120_000)
    test('of the console, too', takeConsole, 120_000)
  }

  test('show the pages as they are; otherwise: npm run docs -- screenshots', () => {
    const taken: unknown = JSON.parse(readFileSync(manifest, 'utf8'))

    expect(taken).toEqual(digests())
  })
})

test('each screenshot is there in light and dark, and in a guide, with words for who does not see it', () => {
  const names = [...screenshots.map(({ name }) => name), ...consoleScreenshots]
  const expected = names.flatMap((name) => [`${name}.webp`, `${name}-dark.webp`])
  const shown = readdirSync(guides).flatMap((guide) => [
    ...readFileSync(guides + guide, 'utf8').matchAll(/!\[([^\]]*)\]\(\.\.\/images\/([^)]+)\)/g),
  ])

  expect(
    readdirSync(images)
      .filter((name) => name.endsWith('.webp'))
      .toSorted(),
  ).toEqual(expected.toSorted())
  expect(shown.map(([, , name]) => name).toSorted()).toEqual(names.map((name) => `${name}.webp`).toSorted())
  for (const [, alt, name] of shown) expect(alt?.length, name).toBeGreaterThan(40)
})

test('the screenshots are small enough to be in the repository', () => {
  const sizes = readdirSync(images).map((name) => statSync(images + name).size)

  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(1_000_000)
})

async function takeAll(): Promise<void> {
  const gallery = await openPageGallery()
  await rm(images, { recursive: true, force: true })
  await mkdir(images, { recursive: true })
  for (const screenshot of screenshots)
    for (const colorScheme of colorSchemes) {
      const ending = colorScheme === 'dark' ? '-dark' : ''
      const image = await takeScreenshot(gallery, screenshot, colorScheme)
      expect(image.length).toBeGreaterThan(2_000)
      await writeFile(`${images}${screenshot.name}${ending}.webp`, image)
    }
  await writeFile(manifest, `${JSON.stringify(digests(), null, 2)}\n`)
}

async function takeConsole(): Promise<void> {
  for (const [name, image] of await takeConsoleScreenshots()) {
    expect(image.length).toBeGreaterThan(2_000)
    await writeFile(`${images}${name}.webp`, image)
  }
}

function digests(): Record<string, string> {
  return Object.fromEntries(
    screenshots.map((screenshot) => [screenshot.name, digestOf(contents, screenshot)]),
  )
}

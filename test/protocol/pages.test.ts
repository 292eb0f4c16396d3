import type { BrowserContextOptions, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { hasTool } from '../debian-tools.js'
import { faultsOf, openPageGallery, type PageGallery } from '../page-gallery.js'

let gallery: PageGallery

beforeAll(async () => {
  if (hasTool('chromium')) gallery = await openPageGallery()
}, 60_000)

describe.skipIf(!hasTool('chromium'))('every page, in every state', () => {
  // Each color, width, and with scripts or without, once; all eight of them together are in pages.long.test.ts.
  test.each([
    { colorScheme: 'light', width: 360, hasScript: true, lang: 'en' },
    { colorScheme: 'dark', width: 1280, hasScript: false, lang: 'fr' },
  ] as const)(
    'has no fault that axe knows: $colorScheme, $width px, scripts: $hasScript',
    async ({ lang, ...look }) => {
      const paths = gallery.fewPaths('usual').filter((path) => path.includes(`/${lang}/`))
      expect(paths.length).toBeGreaterThan(25)
      expect(await faultsOf(gallery, look, paths)).toEqual({})
    },
    120_000,
  )

  test('keeps to its policy, and runs without a fault', async () => {
    const { page, faults } = await openWatched()
    for (const path of gallery.fewPaths('usual')) {
      await page.goto(gallery.origin + path)
      expect(faults, path).toEqual([])
    }
  }, 60_000)

  test.each([
    ['at 320 px', ''],
    ['at 320 px with a text twice as large', '200%'],
  ] as const)(
    'is no wider than the screen %s',
    async (_, fontSize) => {
      const page = await gallery.browser.newPage({ viewport: { width: 320, height: 640 } })
      const wide: Record<string, unknown> = {}
      for (const path of gallery.fewPaths('long')) {
        await page.goto(gallery.origin + path)
        await page.evaluate(
          `document.documentElement.style.fontSize = ${JSON.stringify(fontSize)};
         document.querySelectorAll('details').forEach((details) => (details.open = true))`,
        )
        const found = await page.evaluate(
          `[...document.querySelectorAll('body *')]
           .filter((element) => !element.closest('.unseen') && getComputedStyle(element).clipPath !== 'inset(50%)')
           .filter((element) => element.getBoundingClientRect().right > innerWidth + 1 || element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).overflowX !== 'visible' && element.tagName !== 'INPUT')
           .map((element) => element.outerHTML.slice(0, 200))`,
        )
        if (Array.isArray(found) && found.length > 0) wide[path] = found
      }
      expect(wide).toEqual({})
    },
    120_000,
  )

  test('breaks no word of a table that a line of 320 px holds', async () => {
    const page = await gallery.browser.newPage({ viewport: { width: 320, height: 640 } })
    const broken: Record<string, unknown> = {}
    let words = 0
    const withTable = gallery.fewPaths('usual').filter((path) => gallery.contentOf(path).includes('<table'))
    for (const path of withTable) {
      await page.goto(gallery.origin + path)
      const found = await page.evaluate<{ words: number; broken: string[] }>(wordsOfTables)
      words += found.words
      if (found.broken.length > 0) broken[path] = found.broken
    }
    expect(broken).toEqual({})
    expect(words).toBeGreaterThan(100)
  }, 120_000)

  test('is gone through by key from top to bottom, and shows where one is', async () => {
    const page = await gallery.browser.newPage({ viewport: { width: 360, height: 800 } })
    for (const path of gallery.fewPaths('usual').filter((each) => each.includes('/en/'))) {
      await page.goto(gallery.origin + path)
      const stops = await stopsOf(page)
      expect(stops.length, path).toBe(await countOfControls(page))
      for (const [index, stop] of stops.entries()) {
        expect(stop.isShown, `${path} ${stop.html}`).toBe(true)
        const before = stops[index - 1]
        const isBelow = before === undefined || stop.top >= before.top - 40
        expect(isBelow, `${path} ${before?.html} ${stop.html}`).toBe(true)
      }
    }
  }, 120_000)

  test('has the focus on its fault, with scripts and without', async () => {
    for (const javaScriptEnabled of [true, false]) {
      const page = await gallery.browser.newPage({ javaScriptEnabled })
      for (const path of gallery.fewPaths('usual')) {
        const content = gallery.contentOf(path)
        if (!content.includes('class="fault')) continue
        await page.goto(gallery.origin + path)
        const focused = page.locator(':focus')
        const isField = content.includes('aria-invalid')
        const attribute = isField ? 'aria-invalid' : 'role'
        expect(await focused.getAttribute(attribute), path).toBe(isField ? 'true' : 'alert')
      }
    }
  }, 120_000)
})

describe.skipIf(!hasTool('chromium'))('with scripts', () => {
  test('a password is shown and hidden again, and is a password when it is sent', async () => {
    const page = await open('/usual/en/password')
    const field = page.getByLabel('Password', { exact: true })
    await field.fill('velvet harbour')

    await page.getByRole('button', { name: 'Show the password' }).click()
    expect(await field.getAttribute('type')).toBe('text')
    await page.getByRole('button', { name: 'Hide the password' }).click()
    expect(await field.getAttribute('type')).toBe('password')

    await page.getByRole('button', { name: 'Show the password' }).click()
    await page.evaluate(`document.addEventListener('submit', (event) => event.preventDefault())`)
    await page.getByRole('button', { name: 'Sign in' }).click()
    expect(await field.getAttribute('type')).toBe('password')
  })

  test('a code is sent as soon as its six digits are in, once', async () => {
    const page = await open('/usual/en/totp-app')
    await page.keyboard.type('294 75')
    expect(gallery.posted).toEqual([])

    await page.keyboard.type('1')
    await page.waitForURL('**/sign-in/**')

    expect(gallery.posted).toEqual([expect.stringContaining('code=294+751&action=totp')])
  })

  test('a pasted code is sent, too', async () => {
    const page = await open('/usual/en/totp-app')
    await page.keyboard.insertText('294751')
    await page.waitForURL('**/sign-in/**')

    expect(gallery.posted).toHaveLength(1)
  })

  test('after a fault the button alone sends a code', async () => {
    const page = await open('/usual/en/totp-app-wrong_code')
    await page.keyboard.type('294751')
    expect(page.url()).toContain('wrong_code')

    await page.getByRole('button', { name: 'Continue' }).click()
    await page.waitForURL('**/sign-in/**')
    expect(gallery.posted).toHaveLength(1)
  })

  test('a form is sent once, however often its button is pressed', async () => {
    const page = await open('/usual/en/identifier')
    const count = await page.evaluate(
      `(() => {
         let sent = 0
         addEventListener('submit', (event) => { if (!event.defaultPrevented) sent += 1; event.preventDefault() })
         const button = document.querySelector('button.main')
         for (const _ of [1, 2, 3]) button.click()
         return sent
       })()`,
    )
    expect(count).toBe(1)
  })

  test('recovery codes are copied a line each', async () => {
    const page = await open('/usual/en/recovery-codes', {
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    await page.getByRole('button', { name: 'Copy' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()

    expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/^mzxw6-ytboi\n(.{11}\n){3}.{11}$/)
  })

  test('a logo that cannot be loaded gives way to the initial and the name', async () => {
    const page = await open('/inline/en/identifier')
    await page.locator('.monogram').waitFor()
    expect(await page.locator('img').isVisible()).toBe(false)
    expect(await page.locator('.organization').innerText()).toContain('Awesome company')
  })
})

describe.skipIf(!hasTool('chromium'))('without scripts', () => {
  test('nothing is offered that would not work', async () => {
    const page = await open('/usual/en/recovery-codes', { javaScriptEnabled: false })
    expect(await page.getByRole('button').allInnerTexts()).toEqual(['Continue'])
    await page.goto(`${gallery.origin}/usual/en/password`)
    expect(await page.getByRole('button', { name: 'Show' }).count()).toBe(0)
  })

  test('recovery codes are downloaded as a text', async () => {
    const page = await open('/usual/en/recovery-codes', { javaScriptEnabled: false, acceptDownloads: true })
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('recovery-codes.txt')
    const chunks = []
    for await (const chunk of await download.createReadStream()) chunks.push(chunk)
    expect(Buffer.concat(chunks).toString()).toMatch(/^Recovery codes for Awesome company\n\n(.{11}\n){5}$/)
  })

  test('recovery codes are printed with what they are for, and nothing to press', async () => {
    const page = await open('/usual/en/recovery-codes', { javaScriptEnabled: false })
    await page.emulateMedia({ media: 'print' })
    expect(await page.getByText('Recovery codes for Awesome company').isVisible()).toBe(true)
    expect(await page.getByText('mzxw6-ytboi').isVisible()).toBe(true)
    expect(await page.getByRole('button').count()).toBe(0)
  })
})

async function open(path: string, options: BrowserContextOptions = {}): Promise<Page> {
  gallery.posted.length = 0
  const page = await gallery.browser.newPage({ viewport: { width: 360, height: 800 }, ...options })
  await page.goto(gallery.origin + path)
  return page
}

async function openWatched() {
  const page = await gallery.browser.newPage()
  const faults: string[] = []
  page.on('console', (message) => void (message.type() === 'error' && faults.push(message.text())))
  page.on('pageerror', (error) => void faults.push(String(error)))
  return { page, faults }
}

interface Stop {
  readonly html: string
  readonly top: number
  readonly isShown: boolean
}

/** Where the Tab key stops, from the start of the page until it leaves. */
async function stopsOf(page: Page): Promise<Stop[]> {
  // A field that has the focus from the start gets it with the first frame, which may come after the page is loaded.
  await page.evaluate(`new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))`)
  await page.evaluate(
    `document.activeElement?.blur(); document.body.tabIndex = -1; document.body.focus(); document.body.removeAttribute('tabindex')`,
  )
  const stops: Stop[] = []
  for (;;) {
    await page.keyboard.press('Tab')
    // What the script in the page answers is of this form.
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

/** The radio buttons of a group are one stop: the one that is chosen. */
async function countOfControls(page: Page): Promise<number> {
  return page.evaluate(
    `[...document.querySelectorAll('a[href], button, input, select, textarea, summary')]
      .filter((element) => element.checkVisibility() && element.type !== 'hidden' && element.tabIndex >= 0)
      .filter((element) => element.type !== 'radio' || element.checked).length`,
  )
}

/** Runs in the page: how many words of up to 20 letters the tables have, and those of them that are on two lines. */
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

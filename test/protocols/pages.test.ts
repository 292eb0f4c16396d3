import type { BrowserContextOptions, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { browserTool, hasTool } from '../debian-tools.js'
import { openPageGallery, type PageGallery } from '../given/page-gallery.js'
import {
  brokenWordsIn,
  complaintsOf,
  expectFocusOnFault,
  expectKeysToLeadThrough,
  faultsOf,
  tooWideIn,
} from '../given/page-walks.js'
import { longTest } from '../sampled.js'

let gallery: PageGallery

beforeAll(async () => {
  if (hasTool(browserTool)) gallery = await openPageGallery()
}, 60_000)

// pages.long.test.ts runs the same tests on every page in every state and both languages; pages-in-light and pages-in-dark run axe on
// them in every look.
describe.skipIf(!hasTool(browserTool))('a page of each layout', () => {
  // Each color, width and language once, and with and without scripts.
  test.each([
    { colorScheme: 'light', width: 360, hasScript: true, lang: 'en' },
    { colorScheme: 'dark', width: 1280, hasScript: false, lang: 'fr' },
  ] as const)(
    'has no fault that axe knows, every other one of them: $colorScheme, $width px, $lang, scripts: $hasScript',
    async ({ lang, ...look }) => {
      const isSeen = (_: string, index: number) => (index % 2 === 0) === look.hasScript
      const paths = gallery.fewPaths('usual', lang).filter(isSeen)
      expect(await faultsOf(gallery, look, paths)).toEqual({})
    },
  )

  longTest('keeps to its policy, and runs without a fault', async () => {
    expect(await complaintsOf(gallery, gallery.fewPaths('usual', 'en'))).toEqual({})
  })

  test.each([
    ['at 320 px', '', 'en'],
    ['at 320 px with a text twice as large', '200%', 'fr'],
  ] as const)('is no wider than the screen %s', async (_, fontSize, lang) => {
    expect(await tooWideIn(gallery, fontSize, gallery.fewPaths('long', lang))).toEqual({})
  })

  test('breaks no word of a table that a line of 320 px holds', async () => {
    const { broken, words } = await brokenWordsIn(gallery, gallery.fewPaths('usual', 'en', 'fr'))
    expect(broken).toEqual({})
    expect(words).toBeGreaterThan(100)
  })

  longTest('is gone through by key from top to bottom, and shows where one is', async () => {
    await expectKeysToLeadThrough(gallery, gallery.fewPaths('usual', 'en'))
  })

  longTest('has the focus on its fault, with scripts and without', async () => {
    await expectFocusOnFault(gallery, gallery.fewPaths('usual', 'fr'))
  })
})

describe.skipIf(!hasTool(browserTool))('with scripts', () => {
  longTest('a password is shown and hidden again, and is a password when it is sent', async () => {
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

    expect(gallery.posted).toEqual([expect.stringContaining('code=294751&action=totp')])
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

  longTest('a paste that is too large is not sent, and stays beside a sentence that says so', async () => {
    const page = await open('/usual/en/onboarding-metadata')
    const field = page.getByLabel('Paste the XML')
    // As a paste does, at once: the field is set, and not typed into.
    await page.evaluate(`document.getElementById('xml').value = 'é'.repeat(256_001)`)
    await page.getByRole('button', { name: 'Check the metadata' }).click()

    await page.getByRole('alert').getByText('This is too large').waitFor()
    expect(await field.getAttribute('aria-describedby')).toBe('xml-fault')
    expect(await field.inputValue()).toHaveLength(256_001)
    expect(gallery.posted).toEqual([])
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
    const page = await open('/usual/en/recovery-codes')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
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

describe.skipIf(!hasTool(browserTool))('without scripts', () => {
  test('nothing is offered that would not work', async () => {
    const page = await open('/usual/en/recovery-codes', { javaScriptEnabled: false })
    expect(await page.getByRole('button').allInnerTexts()).toEqual(['Continue'])
    await page.goto(`${gallery.origin}/usual/en/password`)
    expect(await page.getByRole('button', { name: 'Show' }).count()).toBe(0)
  })

  test('recovery codes are downloaded as a text', async () => {
    const page = await open('/usual/en/recovery-codes', { javaScriptEnabled: false })
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('awesome-company-recovery-codes.txt')
    const chunks = []
    for await (const chunk of await download.createReadStream()) chunks.push(chunk)
    expect(Buffer.concat(chunks).toString()).toMatch(
      /^Recovery codes for Awesome company\nAccount: ada\.lovelace@awesome\.example\nCreated on March 14, 2026\n\n(.{11}\n){5}$/,
    )
  })

  test('recovery codes are printed with what they are for, and nothing to press', async () => {
    const page = await open('/usual/en/recovery-codes', { javaScriptEnabled: false })
    await page.emulateMedia({ media: 'print' })
    for (const line of ['Recovery codes for Awesome company', 'Account: ada', 'Created on March 14, 2026'])
      expect(await page.getByText(line).isVisible(), line).toBe(true)
    expect(await page.getByText('mzxw6-ytboi').isVisible()).toBe(true)
    expect(await page.getByRole('button').count()).toBe(0)
  })
})

async function open(path: string, options: BrowserContextOptions = {}): Promise<Page> {
  gallery.posted.length = 0
  const page = await gallery.browser.reusedPage(options)
  await page.setViewportSize({ width: 360, height: 800 })
  await page.goto(gallery.origin + path)
  // Autofocus takes effect with the first frame, which may follow the load event.
  if (gallery.contentOf(path).includes(' autofocus')) await page.locator(':focus').waitFor()
  return page
}

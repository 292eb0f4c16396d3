import { beforeAll, describe, expect, test } from 'vitest'
import { browserTool, hasTool } from '../debian-tools.js'
import { consoleGivenOf } from '../given/console-given.js'
import { anyEmail } from '../given/given.js'
import { startService } from '../given/harness.js'
import { faultsOf, tooWideIn } from '../given/page-walks.js'
import { longTest, sampled } from '../sampled.js'
import { attemptsUntilLocked, openConsolePages, type ConsolePages, type Kind } from './console-pages-given.js'
import { statusWith } from './staff-given.js'

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
  test.each(
    sampled(
      [
        { colorScheme: 'dark', width: 1280, hasScript: false, lang: 'fr' },
        { colorScheme: 'light', width: 320, hasScript: true, lang: 'en' },
      ] as const,
      1,
    ),
  )(
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

  // The other journeys are in console-journeys.long.test.ts.
  test.each(sampled([true, false], 1))(
    'the first owner makes an organization and an API key that gets a token, scripts: %s',
    async (javaScriptEnabled) => {
      const { account, url } = await consoleGivenOf(service).link()
      const page = await pages.gallery.browser.newPage({ javaScriptEnabled })
      page.setDefaultTimeout(10_000)
      const link = (name: string) => page.getByRole('link', { name, exact: true })
      const create = page.getByRole('main').getByRole('button', { name: 'Create', exact: true })
      await page.goto(url)
      await page.getByLabel('E-mail address').fill(anyEmail())
      await page.getByLabel('Your name').fill('Ada Lovelace')
      await page.getByRole('button', { name: 'Open the console' }).click()

      await link('Create an organization for your first customer').click()
      await page.getByLabel('Name (required)').fill('Awesome company')
      await create.click()
      await page.getByRole('heading', { level: 1, name: 'Awesome company', exact: true }).waitFor()

      await link('API keys').click()
      await link('Create').click()
      await page.getByLabel('Name (required)').fill('Back end')
      await page.getByLabel('read:organizations', { exact: true }).check()
      await create.click()
      await page.locator('.secret').waitFor()

      const shown = (label: string) =>
        page.locator('dt', { hasText: label }).first().locator('xpath=../dd').innerText()
      const key = { id: await shown('ID'), client_secret: await page.locator('.secret').innerText() }
      expect(await statusWith(service, key, account.domain)).toBe(200)
    },
    30_000,
  )
})

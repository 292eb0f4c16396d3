import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { axeFaultsOf } from '../given/axe.js'
import { openBrowser, type TestBrowser } from '../given/browser.js'
import { browserTool, hasTool } from '../debian-tools.js'
import { startService } from '../given/harness.js'
import { sampled } from '../sampled.js'
import { buildSite } from './built-site.js'

let browser: TestBrowser
/** A copy of the site opened from files. */
let folder: string
let files: string
let served: string

/** The first four cover every layout. */
const pagesToSee = [
  'index.html',
  'guides/sign-in.html',
  'reference/users.html',
  'records/User.html',
  'guides/start.html',
  'reference.html',
  'records.html',
  'errors.html',
  'events.html',
  'changelog.html',
]

beforeAll(async () => {
  if (!hasTool(browserTool)) return
  const site = await buildSite()
  folder = await mkdtemp(join(tmpdir(), 'portico site '))
  await cp(site.folder, join(folder, 'a/docs'), { recursive: true })
  files = pathToFileURL(join(folder, 'a/docs/')).href
  const [service, opened] = await Promise.all([startService(), openBrowser()])
  served = `${service.baseUrl}/docs/`
  browser = opened
}, 240_000)

afterAll(async () => {
  await browser?.close()
  if (folder) await rm(folder, { recursive: true, force: true })
})

describe.skipIf(!hasTool(browserTool))('the documentation in a browser', () => {
  test.each([
    ['a guide', 'onboarding administrator', 'guides/onboarding.html'],
    ['an error code', 'rate_limited', 'errors.html#rate_limited'],
    ['an operation by its name', 'users.getByEmail', 'reference/users.html#users.getByEmail'],
    ['an operation by its words', 'create a user', 'reference/users.html#users.create'],
    ['a heading, misspelled', 'environmnts', 'guides/environments.html'],
  ])(
    'the search finds %s without a network, in a page that was opened as a file',
    async (_, query, address) => {
      const page = await browser.reusedPage()
      await page.context().setOffline(true)
      const opened = `${files}guides/tokens.html`
      if (page.url() !== opened) await page.goto(opened)
      const results = await searchFor(page, query)

      expect(results.slice(0, 5)).toContain(files + address)
    },
  )

  test('the search is gone through by key: / leads to it, arrows to a result, Enter opens it, Escape closes it', async () => {
    const page = await browser.reusedPage()
    await page.goto(served)
    await searchFor(page, 'rate_limited')
    await page.keyboard.press('Escape')
    expect(await page.locator('#results').isVisible()).toBe(false)
    expect(await page.evaluate('document.activeElement.id')).toBe('query')

    await searchFor(page, 'rate_limited')
    await page.keyboard.press('ArrowDown')
    const chosen = await page.evaluate('document.activeElement.href')
    await page.keyboard.press('Enter')
    await page.waitForURL((url) => url.href === chosen)
    expect(chosen).toMatch(/\/docs\/.+#?/)
  })

  test('the color that a reader chooses is kept, on every page', async () => {
    const page = await browser.newPage({ colorScheme: 'light' })
    await page.goto(served)
    const color = () => page.evaluate('getComputedStyle(document.body).backgroundColor')
    const light = await color()
    await page.getByRole('button', { name: 'Dark' }).click()
    const dark = await color()
    await page.goto(`${served}guides/start.html`)

    expect(dark).not.toBe(light)
    expect(await color()).toBe(dark)
    expect(await page.getByRole('button', { name: 'Light' }).isVisible()).toBe(true)
  })

  test('a sample is copied by its button, and where a browser withholds the clipboard it is selected', async () => {
    const page = await browser.newPage({ permissions: ['clipboard-read', 'clipboard-write'] })
    await page.goto(served)
    await page.getByRole('button', { name: 'Copy' }).first().click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()

    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('npm ci && npm start')
    await page.evaluate('navigator.clipboard.writeText = () => Promise.reject(new Error("withheld"))')
    await page.evaluate('document.execCommand = () => false')
    await page.getByRole('button', { name: 'Copied' }).click()
    await page.getByRole('button', { name: 'Selected' }).waitFor()
    expect(await page.evaluate('String(getSelection())')).toBe('npm ci && npm start')
  })

  test('samples of one thing in several languages are one, and the language that a reader chooses is kept', async () => {
    const page = await browser.newPage()
    await page.goto(`${served}guides/curl.html`)
    const shown = () => page.locator('.languages').first().locator('pre').filter({ visible: true })

    expect(await shown().count()).toBe(1)
    expect(await shown().textContent()).toContain('member() {')
    await page.getByRole('button', { name: 'Python' }).click()
    expect(await shown().textContent()).toContain('def token()')
    await page.goto(`${served}guides/protect-a-route.html`)
    expect(await shown().textContent()).toContain('from verify import')
  })

  test('every page keeps to its policy, and runs without a fault', async () => {
    const page = await browser.reusedPage()
    const faults: string[] = []
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) faults.push(message.text())
    })
    page.on('pageerror', (error) => faults.push(error.message))
    page.on('requestfailed', (request) => faults.push(request.url()))
    for (const path of sampled(pagesToSee, 4)) {
      await page.goto(served + path)
      await searchFor(page, 'token')
      expect(faults, path).toEqual([])
    }
  })

  test.each(
    sampled(
      [
        { colorScheme: 'light', width: 360, first: 0 },
        { colorScheme: 'dark', width: 1400, first: 2 },
      ] as const,
      1,
    ),
  )(
    'the pages have no fault that axe knows: $colorScheme, $width px',
    async ({ colorScheme, width, first }) => {
      // axe is a script that the content security policy of the pages would block.
      const page = await browser.reusedPage({ bypassCSP: true })
      await page.setViewportSize({ width, height: 800 })
      await page.emulateMedia({ colorScheme })
      const faults: Record<string, unknown> = {}
      for (const path of sampled([...pagesToSee.slice(first), ...pagesToSee.slice(0, first)], 2)) {
        await page.goto(served + path)
        const found = await axeFaultsOf(page)
        if (found !== '') faults[path] = found
      }
      expect(faults).toEqual({})
    },
    120_000,
  )

  test('no page is wider than a screen of 320 px', async () => {
    const page = await browser.reusedPage()
    await page.setViewportSize({ width: 320, height: 640 })
    for (const path of sampled(pagesToSee, 4)) {
      await page.goto(served + path)
      expect(await page.evaluate('document.documentElement.scrollWidth'), path).toBe(320)
    }
  })

  test('without scripts everything is read, and nothing is offered that would not work', async () => {
    const page = await browser.newPage({ javaScriptEnabled: false })
    await page.goto(`${files}guides/start.html`)

    expect(await page.locator('#query, #theme').filter({ visible: true }).count()).toBe(0)
    await page.locator('a[rel=next]').click()
    expect(page.url()).toBe(`${files}guides/curl.html`)
  })
})

/** Opens the search with its key, types a query, and returns the links of the results. */
async function searchFor(page: Page, query: string): Promise<string[]> {
  await page.evaluate('document.activeElement.blur()')
  await page.keyboard.press('/')
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type(query)
  await page.locator('#results a').first().waitFor()
  // Waits for the results of the whole query.
  await page.waitForFunction('document.querySelector("#found").textContent !== ""')
  return page
    .locator('#results a')
    .evaluateAll((links) => links.map((link) => String((link as HTMLAnchorElement).href)))
}

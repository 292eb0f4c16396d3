import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from 'playwright-core'

import { browserTool, toolPath } from '../debian-tools.js'

/** A real browser; each page has its own cookies, like that of another user. */
export interface TestBrowser {
  /** Opens a blank page; locale, viewport, javaScriptEnabled and the like are options. */
  newPage: (options?: BrowserContextOptions) => Promise<Page>
  /** A context whose pages share their cookies. */
  newContext: (options?: BrowserContextOptions) => Promise<BrowserContext>
  /**
   * A page reset to no cookies, permissions, routes and listeners, for a test that opens one page at a time. Calls with the same
   * options get the same page, because opening one costs as much as three visits. The storage of its sites remains, and so
   * does the document of the previous test until the next visit.
   */
  reusedPage: (options?: BrowserContextOptions) => Promise<Page>
  /** Closes its pages and deletes their data. */
  close: () => Promise<void>
}

/**
 * Opens the system's Chromium headless, in a temporary profile of its own. The test files of a process share one, which
 * ends with the process: starting it costs more than most tests, and its pages share nothing.
 *
 * @throws Error when there is no Chromium on the PATH; ask `hasTool(browserTool)` first to skip instead.
 */
export async function openBrowser(): Promise<TestBrowser> {
  const browser = await runningBrowser()
  const contexts = new Set<BrowserContext>()
  const keep = (context: BrowserContext) => {
    contexts.add(context)
    context.once('close', () => contexts.delete(context))
  }
  const reused = new Map<string, Page>()
  return {
    newPage: async (options) => {
      const page = await browser.newPage(options)
      keep(page.context())
      return page
    },
    newContext: async (options) => {
      const context = await browser.newContext(options)
      keep(context)
      return context
    },
    reusedPage: async (options) => {
      const key = JSON.stringify(options ?? {})
      const known = reused.get(key)
      if (known && !known.isClosed()) return renew(known, options)
      const page = await browser.newPage(options)
      keep(page.context())
      reused.set(key, page)
      return page
    },
    close: async () => {
      await Promise.all([...contexts].map((context) => context.close()))
    },
  }
}

/** Resets the state that a test left on a page. */
async function renew(page: Page, options: BrowserContextOptions = {}): Promise<Page> {
  const context = page.context()
  for (const event of ['console', 'pageerror', 'request', 'requestfailed', 'response'] as const)
    page.removeAllListeners(event)
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await Promise.all([context.clearCookies(), context.clearPermissions(), context.setOffline(false)])
  // The default of Playwright.
  await page.setViewportSize(options.viewport ?? { width: 1280, height: 720 })
  await page.emulateMedia({ media: null, colorScheme: options.colorScheme ?? 'light' })
  return page
}

let running: Promise<Browser> | undefined

async function runningBrowser(): Promise<Browser> {
  running ??= launch()
  const browser = await running
  if (browser.isConnected()) return browser
  running = launch()
  return running
}

async function launch(): Promise<Browser> {
  const executablePath = toolPath(browserTool)
  if (!executablePath)
    throw new Error(`No ${browserTool} on the PATH. On Debian: apt-get install ${browserTool}.`)

  // Vitest ends its processes with this signal, and kills those that take longer than half a second.
  process.once('SIGTERM', () => process.exit())
  // Playwright creates the temporary profile, and on exit of this process ends the browser and removes the profile.
  return chromium.launch({ executablePath, headless: true, handleSIGTERM: false, args: quietFlags })
}

// The last five disable Chromium's background network requests, so that runs without a network behave the same.
const quietFlags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

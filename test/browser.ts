import { chromium, type BrowserContext, type BrowserContextOptions, type Page } from 'playwright-core'

import { toolPath } from './debian-tools.js'

/** A real browser; every page of it has its own cookies, as if a different person had opened it. */
export interface TestBrowser {
  /** Opens a blank page; locale, viewport, javaScriptEnabled and the like are options. */
  newPage: (options?: BrowserContextOptions) => Promise<Page>
  /** The same for somebody who opens several pages. */
  newContext: (options?: BrowserContextOptions) => Promise<BrowserContext>
  /** Ends the browser and removes its profile. */
  close: () => Promise<void>
}

/**
 * Starts the system's Chromium without a window, in a temporary profile of its own.
 *
 * @throws Error when there is no chromium on the PATH; ask `hasTool('chromium')` first to skip instead.
 */
export async function openBrowser(): Promise<TestBrowser> {
  const executablePath = toolPath('chromium')
  if (!executablePath) throw new Error('No chromium on the PATH. On Debian: apt-get install chromium.')

  // Playwright itself makes the temporary profile and removes it on close.
  const browser = await chromium.launch({ executablePath, headless: true, args: quietFlags })
  return {
    newPage: (options) => browser.newPage(options),
    newContext: (options) => browser.newContext(options),
    close: () => browser.close(),
  }
}

// The last five stop Chromium from calling home, so that a run without a network behaves like any other.
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

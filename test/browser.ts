import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from 'playwright-core'

import { toolPath } from './debian-tools.js'

/** A real browser; every page of it has its own cookies, as if a different person had opened it. */
export interface TestBrowser {
  /** Opens a blank page; locale, viewport, javaScriptEnabled and the like are options. */
  newPage: (options?: BrowserContextOptions) => Promise<Page>
  /** The same for somebody who opens several pages. */
  newContext: (options?: BrowserContextOptions) => Promise<BrowserContext>
  /** Ends its pages, and all that they have kept. */
  close: () => Promise<void>
}

/**
 * Opens the system's Chromium without a window, in a temporary profile of its own. The files of a process share one, which
 * ends with the process: to start it costs more than most of what is done in it, and its pages share nothing.
 *
 * @throws Error when there is no chromium on the PATH; ask `hasTool('chromium')` first to skip instead.
 */
export async function openBrowser(): Promise<TestBrowser> {
  const browser = await runningBrowser()
  const contexts = new Set<BrowserContext>()
  const keep = (context: BrowserContext) => {
    contexts.add(context)
    context.once('close', () => contexts.delete(context))
  }
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
    close: async () => {
      await Promise.all([...contexts].map((context) => context.close()))
    },
  }
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
  const executablePath = toolPath('chromium')
  if (!executablePath) throw new Error('No chromium on the PATH. On Debian: apt-get install chromium.')

  // Vitest ends its processes by this signal, and kills those that take longer than half a second.
  process.once('SIGTERM', () => process.exit())
  // Playwright itself makes the temporary profile; when this process exits, it ends the browser and removes the profile.
  return chromium.launch({ executablePath, headless: true, handleSIGTERM: false, args: quietFlags })
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

import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import axe from 'axe-core'
import type { BrowserContextOptions } from 'playwright-core'
import { openBrowser, type TestBrowser } from './browser.js'
import { atFileEnd } from './file-end.js'

/**
 * The pages in every state, with views of their own (server/src/pages/gallery.given.tsx): a sign-in comes by few of the
 * faults that they can show. They are answered with the headers of the service, so its policy holds here, too.
 */
export interface PageGallery {
  readonly origin: string
  readonly browser: TestBrowser
  /** Of a set of names (usual, long), in both languages. */
  readonly paths: (set: string) => string[]
  /** One of each look of a fault, and every page without one. */
  readonly fewPaths: (set: string) => string[]
  readonly contentOf: (path: string) => string
  /** The forms that were sent to it. */
  readonly posted: string[]
}

interface Answer {
  readonly path: string
  readonly headers: Record<string, string>
  readonly content: string
}

/** How a page can be looked at. */
export interface Look {
  readonly colorScheme: 'light' | 'dark'
  readonly width: number
  readonly hasScript: boolean
}

const faultsToSee = [
  'identifier-invalid',
  'password-too_many',
  'enroll-code-app-wrong_code',
  'recovery-codes-not_acknowledged',
  'onboarding-code-wrong_code',
  'onboarding-metadata-not_xml',
]

/** One step of each kind; all of them are walked through in onboarding-pages.long.test.ts. */
const tutorialsToSee = ['okta-1', 'entra_id-1', 'adfs-4', 'auth0-2', 'custom_saml-1']

/** Starts a server and a browser, which end with the test file. */
export async function openPageGallery(): Promise<PageGallery> {
  const answers = await readGallery()
  const posted: string[] = []
  const [origin, browser] = await Promise.all([serve(answers, posted), openBrowser()])
  atFileEnd(() => browser.close())
  const contents = new Map(answers.map(({ path, content }) => [path, content]))
  const paths = (set: string) => [...contents.keys()].filter((path) => path.startsWith(`/${set}/`))
  const contentOf = (path: string) => contents.get(path) ?? ''
  const isTutorialToSee = (path: string) =>
    !path.includes('-tutorial-') || tutorialsToSee.some((name) => path.endsWith(`-${name}`))
  const isToSee = (path: string) =>
    isTutorialToSee(path) &&
    (!contentOf(path).includes('class="fault') || faultsToSee.some((name) => path.endsWith(`/${name}`)))
  return { origin, browser, posted, contentOf, paths, fewPaths: (set) => paths(set).filter(isToSee) }
}

/** What axe finds wrong with pages under one look, by path; empty when it finds nothing. */
export async function faultsOf(
  { origin, browser }: Pick<PageGallery, 'origin' | 'browser'>,
  { colorScheme, width, hasScript }: Look,
  paths: readonly string[],
): Promise<Record<string, unknown>> {
  // axe itself is a script: what has none shows what would be there without.
  const options: BrowserContextOptions = { colorScheme, viewport: { width, height: 800 }, bypassCSP: true }
  const page = await browser.newPage(options)
  if (!hasScript) await page.route('**/pages.js', (route) => route.abort())
  const faults: Record<string, unknown> = {}
  for (const path of paths) {
    await page.goto(origin + path)
    await page.evaluate(axe.source)
    const found = await page.evaluate(
      `axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'] }).then(({ violations }) =>
         violations.map(({ id, nodes }) => id + ' ' + nodes.map(({ html }) => html).join(' ')).join('; '))`,
    )
    if (found !== '') faults[path] = found
  }
  return faults
}

async function readGallery(): Promise<Answer[]> {
  const server = fileURLToPath(new URL('../server', import.meta.url))
  const script = 'src/pages/write-gallery.given.ts'
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', script], {
    cwd: server,
    maxBuffer: 64 * 1024 * 1024,
  })
  // What the script writes.
  return JSON.parse(stdout) as Answer[]
}

/** Answers each address as the gallery says, and keeps what is posted. */
/** A page that would go on by itself, as one that can be looked at: for longer than axe takes for a hurry. */
function staying(content: string): string {
  return content
    .replace('http-equiv="refresh" content="0;', 'http-equiv="refresh" content="100000;')
    .replace(' data-at-once', '')
}

async function serve(all: readonly Answer[], posted: string[]): Promise<string> {
  const byPath = new Map(all.map((answer) => [answer.path, answer]))
  const server = createServer((req, res) => {
    const [path = ''] = (req.url ?? '').split('?')
    if (req.method === 'POST') {
      let body = ''
      req.on('data', (chunk) => (body += chunk))
      req.on('end', () => {
        posted.push(body)
        res.setHeader('content-type', 'text/html').end('<!doctype html><title>sent</title>')
      })
      return
    }
    const answer = byPath.get(path)
    res.writeHead(answer === undefined ? 404 : 200, answer?.headers).end(answer && staying(answer.content))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  atFileEnd(() => server.close())
  // A TCP server that listens has an address with a port.
  const { port } = server.address() as AddressInfo
  return `http://127.0.0.1:${port}`
}

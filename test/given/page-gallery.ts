import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { openBrowser, type TestBrowser } from './browser.js'
import { atFileEnd } from '../file-end.js'
import { listenUntilFileEnd } from './loopback.js'

/**
 * The pages in every state, rendered directly (server/src/pages/gallery.given.tsx), because a sign-in reaches few of the
 * faults that they can show. They are served with the headers of the service, so its content security policy applies, too.
 */
export interface PageGallery {
  readonly origin: string
  readonly browser: TestBrowser
  /** The paths of a set of names (usual, long), in both languages. */
  readonly paths: (set: string) => string[]
  /** One path of each layout, in one language or in both. */
  readonly fewPaths: (set: string, ...langs: ('en' | 'fr')[]) => string[]
  readonly contentOf: (path: string) => string
  /** The submitted forms. */
  readonly posted: string[]
}

/** A page, or a file of pages, as it is served. */
export interface Answer {
  readonly path: string
  readonly headers: Record<string, string>
  readonly content: string
  /** Of files that are no text. */
  readonly encoding?: 'base64'
}

/** Forms with and without faults, lists, tables, a picture, long texts, tutorials. pages.long.test.ts covers all pages. */
const pagesToSee = [
  'identifier-invalid',
  'password',
  'form-post',
  'consent',
  'choose',
  'link-sent-code',
  'enroll-code-app-wrong_code',
  'recovery-codes-not_acknowledged',
  'sessions',
  'error-no-test-idp',
  'onboarding-connections-directory',
  'onboarding-provider',
  'onboarding-tutorial-okta-1',
  'onboarding-tutorial-custom_saml-1',
  'onboarding-metadata-not_xml',
  'onboarding-result-success',
  'onboarding-client-review-warnings',
  'onboarding-directory-secret',
  'onboarding-directory-rules-manyRoles',
  'onboarding-roles-rules',
  'onboarding-domains-states',
]

/** Starts a server, which ends with the test file, and opens a browser for it. */
export async function openPageGallery(): Promise<PageGallery> {
  return openGalleryOf(await readOnce())
}

/** The same with other pages, whose files are among the answers. */
export async function openGalleryOf(answers: readonly Answer[]): Promise<PageGallery> {
  const browser = await openBrowser()
  const posted: string[] = []
  const origin = await serve(answers, posted)
  atFileEnd(() => browser.close())
  return { origin, browser, posted, ...contentsOf(answers) }
}

/** The contents of the gallery, without a browser. */
export async function readPageContents(): Promise<Pick<PageGallery, 'contentOf'>> {
  return contentsOf(await readOnce())
}

function contentsOf(answers: readonly Answer[]) {
  const contents = new Map(answers.map(({ path, content }) => [path, content]))
  const paths = (set: string) => [...contents.keys()].filter((path) => path.startsWith(`/${set}/`))
  const contentOf = (path: string) => contents.get(path) ?? ''
  const fewPaths: PageGallery['fewPaths'] = (set, ...langs) => {
    const few = langs.flatMap((lang) => pagesToSee.map((name) => `/${set}/${lang}/${name}`))
    const gone = few.filter((path) => !contents.has(path))
    if (gone.length > 0) throw new Error(`not in the gallery: ${gone.join(', ')}`)
    return few
  }
  return { contentOf, paths, fewPaths }
}

/** Shared by all test files of a process. */
let answered: Promise<Answer[]> | undefined

function readOnce(): Promise<Answer[]> {
  return (answered ??= readGallery())
}

const server = fileURLToPath(new URL('../../server', import.meta.url))

/** The output of write-gallery.given.ts, run with the compiled pages, which load faster than their sources. */
async function readGallery(): Promise<Answer[]> {
  const { outputFiles } = await build({
    entryPoints: [join(server, 'src/pages/write-gallery.given.ts')],
    plugins: [compiledServer],
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    // Without the path aliases of this repository, which lead to the sources of the contract.
    tsconfigRaw: { compilerOptions: { jsx: 'react-jsx', jsxImportSource: 'preact' } },
    write: false,
  })
  const writing = execFile(process.execPath, ['--input-type=module'], {
    cwd: server,
    maxBuffer: 64 * 1024 * 1024,
  })
  const [said, faults]: [string[], string[]] = [[], []]
  writing.stdout?.on('data', (chunk: string) => said.push(chunk))
  writing.stderr?.on('data', (chunk: string) => faults.push(chunk))
  writing.stdin?.end(outputFiles[0]?.text)
  const [code] = (await once(writing, 'close')) as [number | null]
  if (code !== 0) throw new Error(`the gallery cannot be written: ${faults.join('')}`)
  // The output format of the script.
  return JSON.parse(said.join('')) as Answer[]
}

/** Keeps compiled files external; fixtures are never compiled. */
const compiledServer: Plugin = {
  name: 'compiled server',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^\./ }, ({ path, resolveDir }) => {
      const source = join(resolveDir, path).replace(/\.js$/, '')
      if (['.ts', '.tsx'].some((ending) => existsSync(source + ending)) && source.endsWith('.given'))
        return null
      const compiled = source.replace(join(server, 'src'), join(server, 'dist'))
      return { path: pathToFileURL(`${compiled}.js`).href, external: true }
    })
  },
}

function bodyOf({ content, encoding }: Answer): string | Buffer {
  return encoding === undefined ? staying(content) : Buffer.from(content, encoding)
}

/** Delays the automatic redirect of a page beyond the limit that axe reports, so that it can be inspected. */
export function staying(content: string): string {
  return content
    .replace('http-equiv="refresh" content="0;', 'http-equiv="refresh" content="100000;')
    .replace(' data-at-once', '')
}

/** The path of an empty page without a policy, into which tests write pages. */
export const emptyPath = '/empty'

/** Serves the gallery, and collects submitted forms. */
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
    if (path === emptyPath) {
      res.setHeader('content-type', 'text/html').end('<!doctype html>')
      return
    }
    const answer = byPath.get(path)
    res.writeHead(answer === undefined ? 404 : 200, answer?.headers).end(answer && bodyOf(answer))
  })
  const port = await listenUntilFileEnd(server)
  return `http://127.0.0.1:${port}`
}

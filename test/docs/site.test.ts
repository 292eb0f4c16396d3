import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { appendFile, cp, mkdtemp, rm } from 'node:fs/promises'
import { request, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { runInNewContext } from 'node:vm'
import { emulator, emulatorErrorCodes } from '@portico/contract/emulator'
import { errorCodes } from '@portico/contract/errors'
import { eventCodes } from '@portico/contract/event-catalog'
import { remarksOf } from '@portico/contract/openapi'
import { routes } from '@portico/contract/walk'
import { beforeAll, expect, test } from 'vitest'
import { longTest } from '../sampled.js'
import { startService, type Service } from '../given/harness.js'
import { buildSite, idsIn, linksOf, siteIn, type BuiltSite } from './built-site.js'
import { queries } from './search-queries.js'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))

/** Excluded, because its operations and codes share names with those of the service. */
const emulatorPage = 'reference/emulator.html'

let site: BuiltSite
let service: Service

beforeAll(async () => {
  site = await buildSite()
  service = await startService()
}, 240_000)

test('each page is a document with a title of its own, a description, one heading and one main part', () => {
  expect(site.pages.length).toBeGreaterThan(200)
  const titles = site.pages.map((page) => {
    const markup = site.read(page)
    expect(markup, page).toMatch(/^<!doctype html>\n<html lang="en">/)
    expect(markup.match(/<h1[ >]/g), page).toHaveLength(1)
    expect(markup.match(/<main[ >]/g), page).toHaveLength(1)
    expect(markup, page).toMatch(/<meta name="description" content="[^"]{20,}"/)
    return /<title>([^<]+)<\/title>/.exec(markup)?.[1]
  })
  expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([])
})

test('no page has a script, a style or a handler of its own', () => {
  for (const page of site.pages) {
    const markup = site.read(page)
    expect(
      markup.match(/<script[^>]*>[^<]*/g)?.filter((script) => !/src="[^"]+">$/.test(script)),
      page,
    ).toEqual([])
    expect(markup, page).not.toMatch(/<style|<[^>]+\sstyle=|<[^>]+\son[a-z]+=|javascript:/)
  }
})

test('no two places of a page have one address', () => {
  for (const page of site.pages) {
    const ids = idsIn(site.read(page))
    expect(
      ids.filter((id, index) => ids.indexOf(id) !== index),
      page,
    ).toEqual([])
  }
})

longTest('every link leads to a page and to a place on it, from wherever the site is opened', () => {
  const { dead, external } = linksOf(site)

  expect(dead).toEqual([])
  expect(external.filter((address) => !/^(https?|mailto):/.test(address))).toEqual([])
})

longTest('a link to a page or a place that is not there is found', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'portico-site-'))
  try {
    await cp(site.folder, folder, { recursive: true })
    const links = '<a href="gone.html">1</a><a href="start.html#gone">2</a><a href="/guides/start.html">3</a>'
    await appendFile(join(folder, 'guides/totp.html'), links)

    expect(linksOf(siteIn(folder)).dead).toEqual([
      'guides/totp.html: gone.html',
      'guides/totp.html: start.html#gone',
      'guides/totp.html: /guides/start.html',
    ])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

longTest(
  'every guide and decision is a page, and one without a place in the contents stops the build',
  async () => {
    const folders = ['guides', 'decisions']
    const documents = folders.flatMap((folder) =>
      readdirSync(join(root, 'docs', folder)).map((name) => `${folder}/${name.replace(/\.md$/, '.html')}`),
    )
    const script = `import { documentsOfDocs, readContents } from './docs/site/contents.ts'
    readContents([...documentsOfDocs(), 'docs/guides/new.md'])`
    const build = run(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
      cwd: root,
    })

    expect(site.pages).toEqual(
      expect.arrayContaining(documents.filter((page) => page !== 'decisions/0000-template.html')),
    )
    await expect(build).rejects.toMatchObject({
      stderr: expect.stringContaining('Give a place in docs/site/contents.ts to: docs/guides/new.md'),
    })
  },
)

test('every operation, error code and event code of the contract has its place', () => {
  const places = (folder: string) =>
    site.pages
      .filter((page) => page.startsWith(folder) && page !== emulatorPage)
      .flatMap((page) => idsIn(site.read(page)))

  expect(places('reference/')).toEqual(expect.arrayContaining(routes().map(({ name }) => name)))
  expect(places('errors.html')).toEqual(expect.arrayContaining(Object.keys(errorCodes)))
  expect(places('events.html')).toEqual(expect.arrayContaining([...eventCodes]))
})

test('the control of an emulator has a page of its own: every operation with a call by curl, every code, its document', () => {
  const markup = site.read(emulatorPage)

  expect(idsIn(markup)).toEqual(
    expect.arrayContaining([...routes(emulator).map(({ name }) => name), ...Object.keys(emulatorErrorCodes)]),
  )
  for (const { path } of routes(emulator).filter(({ pathParameters }) => pathParameters.length === 0))
    expect(markup).toContain(`http://127.0.0.1:3000${path}`)
  expect(markup).toContain('<code>by_seconds</code>')
  expect(markup).toContain('href="../openapi-emulator.json"')
  expect(site.read('guides/testing.html')).toContain('href="../reference/emulator.html"')
  expect(JSON.stringify(JSON.parse(readFileSync(join(site.folder, 'openapi.json'), 'utf8')))).not.toContain(
    '_emulator',
  )
})

test('an operation says what holds for it beside its parameters: whom it serves, where it exists, what it counts against', () => {
  const words = (text: string) => text.replaceAll('`', '')
  const pages = site.pages
    .filter((page) => page.startsWith('reference/') && page !== emulatorPage)
    .map((page) => site.read(page))
  const articles = new Map(
    pages.flatMap((page) =>
      [...page.matchAll(/<article class="operation" aria-labelledby="([^"]+)">(.*?)<\/article>/gs)].map(
        ([, name = '', markup = '']) => [name, markup.replace(/<\/?code>/g, '')] as const,
      ),
    ),
  )
  const remarked = routes().filter((route) => remarksOf(route) !== '')

  expect(remarked.length).toBeGreaterThan(10)
  for (const route of remarked)
    expect(articles.get(route.name), route.name).toContain(`<p>${words(remarksOf(route))}</p>`)
})

test.each([
  ['guides/sign-in.html', 'A sign-in on the pages'],
  ['guides/sign-in.html', 'Authorization code with PKCE'],
  ['guides/magic-link.html', 'A sign-in by a link in a mail'],
  ['guides/sso.html', 'A sign-in by SAML'],
  ['guides/oidc-connections.html', 'A sign-in by OpenID Connect'],
  ['guides/directory-sync.html', 'Somebody joins and leaves'],
  ['guides/webhooks.html', 'A delivery'],
  ['guides/tokens.html', 'Refresh tokens in rotation'],
])('%s draws the flow «%s», and says the same in words', (page, title) => {
  const figures = site.read(page).match(/<figure class="flow">.*?<\/figure>/gs) ?? []
  const figure = figures.find((each) => each.includes(`aria-label="${title}. `)) ?? ''

  const messages = figure.match(/class="(?:call|answer)"/g) ?? []
  expect(messages.length).toBeGreaterThan(5)
  expect((figure.match(/<li>/g) ?? []).length).toBeGreaterThanOrEqual(messages.length)
})

test('the first page shows what it is, and has a tile for each task', () => {
  const first = site.read('index.html')
  const tiles = [...first.matchAll(/<li><a href="([^"]+)">([^<]+)<\/a> <span>/g)].map(([, page, title]) => [
    title,
    page,
  ])

  expect(tiles).toEqual(
    expect.arrayContaining([
      ["Sign in my customers' employees", 'guides/sign-in.html'],
      ['Connect Okta', 'guides/sso.html#connect-okta-entra-id-or-another'],
      ['Answer the GDPR', 'guides/privacy.html'],
      ['Sync a directory', 'guides/directory-sync.html'],
      ['Test without a network', 'guides/testing.html'],
    ]),
  )
  for (const image of ['sign-in', 'sign-in-dark', 'attempt', 'attempt-dark'])
    expect(first).toContain(`src="images/${image}.webp"`)
  expect(first).toContain('<code>npm ci &amp;&amp; npm start</code>')
})

test('each page names its version, with the changelog of it, its document and its Markdown', () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  expect(site.read('changelog.html')).toContain(`<h2 id="${version.replaceAll('.', '')}">${version}</h2>`)
  for (const page of site.pages) {
    const markup = site.read(page)
    expect(markup, page).toMatch(new RegExp(`changelog\\.html"[^>]*>${version}</a>`))
    expect(markup, page).toMatch(/<link rel="alternate" href="[^"]+\.md" type="text\/markdown"/)
  }
  expect(site.read('guides/totp.html')).toContain('Edit <code>docs/guides/totp.md</code>')
})

test('where the manifest has the repository, its documents are edited on its host', async () => {
  const script = `import { editAddress } from './docs/site/about.ts'
    for (const repository of ['https://github.com/acme/portico', { url: 'git+https://gitlab.example/a/b.git' }, undefined])
      console.log(editAddress({ version: '1.0.0', repository }, 'README.md'))`
  const { stdout } = await run(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
    cwd: root,
  })

  expect(stdout.trim().split('\n')).toEqual([
    'https://github.com/acme/portico/edit/main/README.md',
    'https://gitlab.example/a/b/-/edit/main/README.md',
    'undefined',
  ])
})

test('every page is there as Markdown, whose links lead to files of the site, and /llms.txt lists those of the contents', () => {
  const dead = site.pages.flatMap((page) => {
    const markdown = page.replace(/\.html$/, '.md')
    const text = site.read(markdown)
    expect(text, markdown).toMatch(/^# \S/)
    expect(proseIn(text), markdown).not.toMatch(/<\/(?:td|p|li|div|table)>/)
    return targetsIn(text).filter((target) => !isFile(markdown, target))
  })
  expect(dead).toEqual([])

  const list = site.read('llms.txt')
  const listed = targetsIn(list)
  expect(list).toMatch(/^# Portico\n\n> /)
  expect(listed.filter((target) => !isFile('llms.txt', target))).toEqual([])
  expect(listed).toEqual(
    expect.arrayContaining(['guides/sso.md', 'reference/users.md', 'decisions/0001-contract-first.md']),
  )
  expect(list.indexOf('## Optional')).toBeGreaterThan(list.indexOf('reference/users.md'))
})

test('an operation as Markdown has its call, its members at every depth, and its answers', () => {
  const users = site.read('reference/users.md')

  expect(users).toContain('```sh\ncurl -X POST https://auth.example/api/v2/org/awesome-company/users')
  expect(users).toContain('```ts\nconst answer = await client.users.create({')
  expect(users).toMatch(/\| `profile\.address\.locality`|\| `address\.locality`/)
  expect(users).toContain('[`email_taken`](../errors.md#email_taken)')
})

let opened: ReturnType<typeof openSearch> | undefined
const search = (query: string) => (opened ??= openSearch())(query)

test('the search knows the words of buyers: each query has its page first', () => {
  const misses = queries.flatMap(([query, first]) => {
    const [found] = search(query)
    return found?.id === `/${first}` ? [] : [`${query}: ${found?.id ?? 'nothing'}`]
  })

  expect(queries.length).toBeGreaterThanOrEqual(40)
  expect(misses).toEqual([])
})

test('the search has pages for contributors last, and finds them', () => {
  const contributors = /^\/(?:contributing|architecture|style|glossary|dependencies|decisions\/.*)\.html/
  for (const query of ['token', 'session', 'migration', 'SAML', 'index']) {
    const places = search(query).map(({ id }) => contributors.test(id))
    expect(places.includes(true), query).toBe(true)
    expect(places.indexOf(true), query).toBeGreaterThan(places.lastIndexOf(false))
  }
  expect(search('smells')[0]?.id).toBe('/style.html#smells')
})

test('each section about what Portico does not do begins by saying so', () => {
  const page = site.read('guides/not-there.html')
  const sections = [...page.matchAll(/<h2 id="([^"]+)"[^>]*>.*?<\/h2>\s*<p>(.*?)<\/p>/gs)]

  expect(sections.length).toBeGreaterThan(10)
  for (const [, id = '', text = ''] of sections)
    expect(text, id).toMatch(/^(?:Not available|The SDK is for TypeScript)/)
})

test('the service has the first page at /docs, under a policy without anything inline', async () => {
  const answer = await fetch(`${service.baseUrl}/docs`)

  expect([answer.status, answer.url]).toEqual([200, `${service.baseUrl}/docs/`])
  expect(await answer.text()).toContain('href="guides/start.html">From nothing to a verified token')
  const policy = answer.headers.get('content-security-policy') ?? ''
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
  expect(policy).not.toContain('unsafe')
})

test('each page has an icon, which the policy lets a browser have', async () => {
  for (const page of site.pages)
    expect(site.read(page), page).toMatch(
      /<link rel="icon" href="(\.\.\/)*assets\/icon\.svg" type="image\/svg\+xml"/,
    )
  const icon = await fetch(`${service.baseUrl}/docs/assets/icon.svg`)

  expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/svg+xml'])
})

test('docs_url of a failure leads to the place of its code', async () => {
  const failure = await fetch(`${service.baseUrl}/nowhere`)
  const { error } = (await failure.json()) as { error: { docs_url: string; code: string } }
  const page = await fetch(error.docs_url)

  expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/html')])
  expect(idsIn(await page.text())).toContain(new URL(error.docs_url).hash.slice(1))
})

test('a page is found without .html, too', async () => {
  const [named, unnamed] = await Promise.all(
    ['.html', ''].map(async (end) => (await fetch(`${service.baseUrl}/docs/guides/testing${end}`)).text()),
  )

  expect(unnamed).toContain('<h1 id="test-your-program">')
  expect(unnamed).toBe(named)
})

test('404: what is not of the site is no page of it', async () => {
  // With raw paths, because fetch() resolves dots itself.
  for (const path of [
    '/docs/nowhere.html',
    '/docs/.built',
    '/docs/../package.json',
    '/docs/%2e%2e/package.json',
  ])
    expect(await statusOf(path), path).toBe(404)
})

test('programs get the Markdown of a page by its address, and the list of pages at the root', async () => {
  const page = await fetch(`${service.baseUrl}/docs/guides/sso.md`)
  const list = await fetch(`${service.baseUrl}/llms.txt`)

  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8'])
  expect([list.status, list.url]).toEqual([200, `${service.baseUrl}/docs/llms.txt`])
  expect(list.headers.get('content-type')).toBe('text/plain; charset=utf-8')
})

/** The search with the scripts that a browser loads. */
function openSearch(): (query: string) => { id: string }[] {
  const loaded: { porticoOpenSearch?: (index: string) => (query: string) => { id: string }[] } & {
    porticoSearchIndex?: string
  } = {}
  for (const script of ['search.js', 'search-index.js'])
    runInNewContext(site.read(`assets/${script}`), loaded)
  return loaded.porticoOpenSearch?.(loaded.porticoSearchIndex ?? '') ?? (() => [])
}

/** A document in Markdown without its samples. */
function proseIn(markdown: string): string {
  return markdown.replace(/^ *(`{3,}).*\n[^]*?^ *\1 *$/gm, '').replace(/`[^`\n]*`/g, '')
}

function targetsIn(markdown: string): string[] {
  return [...proseIn(markdown).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target ?? '')
}

function isFile(page: string, target: string): boolean {
  const [path = ''] = target.split('#')
  return /^[a-z]+:/.test(target) || path === '' || existsSync(join(site.folder, dirname(page), path))
}

/** The status of a request with a raw path. */
async function statusOf(path: string): Promise<number | undefined> {
  const { hostname, port } = new URL(service.baseUrl)
  const sent = request({ hostname, port, path }).end()
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  answer.resume()
  return answer.statusCode
}

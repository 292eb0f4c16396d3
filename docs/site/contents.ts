import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, posix, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The root of the repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url))

/** A document of the repository that is a page of the site. */
export interface Document {
  /** From the root of the repository. */
  readonly file: string
  /** As the contents list it: its heading, or a shorter one. */
  readonly title: string
  /** Where its page is, from the root of the site, which begins with a slash. */
  readonly address: string
}

export interface Group {
  readonly title: string
  readonly documents: readonly Document[]
}

/** The order of the pages. A guide that is added to docs/guides needs its place here, or nothing is built. */
const order: readonly { readonly title: string; readonly files: readonly string[] }[] = [
  {
    title: 'Begin',
    files: [
      'docs/guides/start.md',
      'docs/guides/curl.md',
      'docs/guides/environments.md',
      'sdk/README.md',
      'docs/guides/testing.md',
      'docs/examples/product/README.md',
      'docs/examples/spa-and-api/README.md',
      'README.md',
      'docs/guides/not-there.md',
    ],
  },
  {
    title: 'Sign users in',
    files: guides(
      'sign-in',
      'front-door',
      'password',
      'magic-link',
      'totp',
      'passkeys',
      'sessions',
      'account',
      'sign-out',
      'tokens',
      'client-secrets',
      'client-libraries',
      'sessions-in-your-app',
      'protect-a-route',
      'roles',
      'invitations',
      'fine-grained',
      'impersonation',
      'branding',
    ),
  },
  {
    title: 'Connect companies',
    files: guides(
      'sso',
      'domains',
      'oidc-connections',
      'social',
      'directory-sync',
      'onboarding',
      'sso-troubleshooting',
    ),
  },
  { title: 'Exchange data', files: guides('events', 'webhooks', 'relays', 'import', 'privacy') },
  {
    title: 'Operate',
    files: [
      ...guides('deploy', 'operate', 'sizes', 'console', 'promotion', 'certification'),
      'docs/benchmarks.md',
      'docs/conformance.md',
      'SECURITY.md',
      'CHANGELOG.md',
      'sdk/CHANGELOG.md',
    ],
  },
  {
    title: 'Contribute',
    files: [
      'CONTRIBUTING.md',
      'docs/architecture.md',
      'docs/style.md',
      'docs/glossary.md',
      'docs/dependencies.md',
      ...decisions(),
    ],
  },
]

/** What the contents call a document whose heading says too little, or too much. */
const labels: Readonly<Record<string, string>> = {
  'README.md': 'Compared with others',
  'sdk/README.md': 'The SDK',
  'docs/examples/product/README.md': 'Example: sessions',
  'docs/examples/spa-and-api/README.md': 'Example: a page and its API',
}

/** What is copied as it is, because documents link to it: the file, and where the site has it. */
export const copiedFiles: Readonly<Record<string, string>> = {
  LICENSE: '/license.txt',
  '.env.example': '/env.example.txt',
  'docs/openapi.json': '/openapi.json',
  'docs/openapi-3.0.json': '/openapi-3.0.json',
  'docs/openapi-emulator.json': '/openapi-emulator.json',
  Dockerfile: '/deploy/Dockerfile.txt',
  ...deployFiles(),
  ...sourcesOf('docs/examples/protected-route'),
}

/** All that is linked by documents and is not one of them. */
export const otherFiles: Readonly<Record<string, string>> = {
  ...copiedFiles,
  // Their pages are written from the contract, as these files are.
  'docs/openapi-emulator.json': '/reference/emulator.html',
  'docs/errors.md': '/errors.html',
  'docs/events.md': '/events.html',
}

/**
 * The documents of the site in their order.
 *
 * @throws Error for a document of docs that has no place in the order, and for one in it that is not there.
 */
export function readContents(present: readonly string[] = documentsOfDocs()): Group[] {
  const listed = order.flatMap(({ files }) => files)
  const missing = listed.filter((file) => !existsSync(join(root, file)))
  if (missing.length > 0)
    throw new Error(`docs/site/contents.ts lists what is not there: ${missing.join(', ')}`)
  const lost = present.filter((file) => !listed.includes(file) && !(file in otherFiles))
  if (lost.length > 0) throw new Error(`Give a place in docs/site/contents.ts to: ${lost.join(', ')}`)
  return order.map(({ title, files }) => ({
    title,
    documents: files.map((file) => ({
      file,
      title: labels[file] ?? titleOf(file),
      address: addressOf(file),
    })),
  }))
}

/**
 * Where a link of a document leads on the site.
 *
 * @throws Error for a file that the site does not have.
 */
export function linkedAddress(documents: readonly Document[], file: string, target: string): string {
  if (/^[a-z]+:/.test(target) || target.startsWith('#')) return target
  const [path = '', anchor] = target.split('#')
  const to = posix.join(posix.dirname(file), path)
  const address =
    documents.find((document) => document.file === to)?.address ?? otherFiles[to] ?? imageAddress(to)
  if (address === undefined) throw new Error(`${file} links to ${target}, which is no page of the site`)
  return anchor === undefined ? address : `${address}#${anchor}`
}

function imageAddress(file: string): string | undefined {
  return file.startsWith('docs/images/') ? file.replace('docs/', '/') : undefined
}

/** Those of docs/deploy, as text where a browser does not know what their name says. */
function deployFiles(): Record<string, string> {
  const files = readdirSync(join(root, 'docs/deploy'), { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && !entry.parentPath.endsWith('secrets'),
  )
  const names = files.map(({ parentPath, name }) =>
    relative(join(root, 'docs'), join(parentPath, name)).replaceAll('\\', '/'),
  )
  return Object.fromEntries(
    names.map((name) => [`docs/${name}`, `/${name}${/\.(?:ya?ml|json)$/.test(name) ? '' : '.txt'}`]),
  )
}

/** The programs of an example, as text. */
function sourcesOf(folder: string): Record<string, string> {
  const names = readdirSync(join(root, folder)).filter((name) => /\.(ts|py)$/.test(name))
  return Object.fromEntries(
    names.map((name) => [`${folder}/${name}`, `/${folder.replace('docs/', '')}/${name}.txt`]),
  )
}

/** The documents below docs, from the root of the repository. */
export function documentsOfDocs(): string[] {
  return readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .map((name) => `docs/${name.replaceAll('\\', '/')}`)
    .filter(
      (name) => name.endsWith('.md') && !name.startsWith('docs/dist/') && !name.endsWith('/0000-template.md'),
    )
}

function guides(...names: string[]): string[] {
  return names.map((name) => `docs/guides/${name}.md`)
}

function decisions(): string[] {
  return documentsOfDocs()
    .filter((name) => name.startsWith('docs/decisions/'))
    .toSorted()
}

/** docs/guides/start.md is /guides/start.html, sdk/README.md is /sdk.html. */
function addressOf(file: string): string {
  const path = file
    .replace(/^docs\//, '')
    .replace(/\/README\.md$/, '.md')
    .replace(/\.md$/, '.html')
  return `/${path.toLowerCase()}`
}

function titleOf(file: string): string {
  const [, title] = /^# (.+)$/m.exec(readFileSync(join(root, file), 'utf8')) ?? []
  if (title === undefined) throw new Error(`${file} has no heading`)
  return title.replaceAll('`', '')
}

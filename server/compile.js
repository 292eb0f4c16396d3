// @ts-check
import {
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import process from 'node:process'
import { fileURLToPath, URL } from 'node:url'

/**
 * Writes the JavaScript that runs, where it is older than its sources. Checks no type and writes no declaration;
 * `npm run build` does both.
 */
const root = fileURLToPath(new URL('..', import.meta.url))

/** The entries of the SDK as its package.json names them. */
const entries = ['index', 'express', 'hono', 'mock', 'next', 'session', 'testing', 'webhooks']

/** What else decides how an output looks. */
const tools = ['server/compile.js', 'package-lock.json'].map((name) => join(root, name))

/** @type {import('esbuild').BuildOptions} */
const settings = { format: 'esm', target: 'node20.19', platform: 'node', logLevel: 'error', sourcemap: true }

/**
 * For those who import the workspaces: of contract and server a file for each source, of the SDK its bundles. Compiles the
 * files that have changed.
 */
export async function compile() {
  const begun = new Date()
  const stale = ['contract', 'server'].map((workspace) => ({ workspace, files: staleFiles(workspace) }))
  const isBundled = isSdkBundled()
  if (isBundled && stale.every(({ files }) => files.length === 0)) return
  await withCompiler((build) => {
    const modules = stale
      .filter(({ files }) => files.length > 0)
      .map(({ workspace, files }) =>
        build({
          ...settings,
          entryPoints: files,
          outbase: join(root, workspace, 'src'),
          outdir: join(root, workspace, 'dist'),
        }),
      )
    return Promise.all([...modules, ...(isBundled ? [] : [bundleSdk(build)])])
  })
  for (const { workspace, files } of stale) for (const file of files) stamp(outputOf(workspace, file), begun)
  if (!isBundled) for (const name of entries) stamp(join(root, 'sdk/dist', `${name}.mjs`), begun)
}

/**
 * The command line in a few files, which start in half the time of 700.
 *
 * @returns {Promise<string>} The file to run.
 */
export async function bundleProgram() {
  const begun = new Date()
  // A folder beside those of server/dist: what the code reads by a path from its own file is where it was.
  const folder = join(root, 'server/dist/program')
  const program = join(folder, 'main.js')
  const sources = ['contract', 'server', 'sdk'].flatMap((workspace) =>
    sourcesIn(join(root, workspace, 'src')),
  )
  if (lastChange(sources) < writtenAt(program)) return program
  putInPlace(folder, await bundledProgram(folder), begun)
  return program
}

/**
 * The files of the command line, with contract and SDK inside.
 *
 * @param {string} folder Where they will be.
 * @param {import('esbuild').BuildOptions} [own]
 * @returns {Promise<import('esbuild').OutputFile[]>}
 */
export async function bundledProgram(folder, own = {}) {
  const { outputFiles = [] } = await withCompiler((build) =>
    build({
      ...settings,
      entryPoints: [join(root, 'server/src/cli/main.ts')],
      outdir: folder,
      bundle: true,
      splitting: true,
      packages: 'external',
      alias: { ...contractSources(), '@portico/sdk': join(root, 'sdk/src') },
      ...own,
      write: false,
    }),
  )
  return outputFiles
}

/** The sources of the contract by the names that its package.json has for them. */
function contractSources() {
  /** @type {{ exports: Record<string, { source: string }> }} */
  const { exports } = JSON.parse(readFileSync(join(root, 'contract/package.json'), 'utf8'))
  const names = Object.entries(exports).filter(([name]) => name !== '.')
  return Object.fromEntries(
    names.map(([name, { source }]) => [`@portico/contract/${name.slice(2)}`, join(root, 'contract', source)]),
  )
}

/**
 * Several programs may do so at once, or run from there: a file is written beside and renamed, the entry last, and the
 * names of the others tell their content. A program may load the old ones until it has started.
 *
 * @param {string} folder
 * @param {readonly import('esbuild').OutputFile[]} files
 * @param {Date} begun Before the sources were read.
 */
function putInPlace(folder, files, begun) {
  mkdirSync(folder, { recursive: true })
  const names = new Set(files.map(({ path }) => basename(path)))
  const isEntry = (/** @type {{ path: string }} */ { path }) => basename(path) === 'main.js'
  for (const { path, contents } of files.toSorted((a, b) => Number(isEntry(a)) - Number(isEntry(b)))) {
    const beside = join(dirname(path), `.${process.pid}-${basename(path)}`)
    writeFileSync(beside, contents)
    stamp(beside, begun)
    renameSync(beside, path)
  }
  const anHourAgo = begun.getTime() - 3_600_000
  for (const name of readdirSync(folder)) {
    const isOld = !names.has(name) && writtenAt(join(folder, name)) < anHourAgo
    if (isOld) rmSync(join(folder, name), { force: true })
  }
}

/**
 * An output has the time before its sources were read: what is edited meanwhile is compiled the next time.
 *
 * @param {string} output
 * @param {Date} begun
 */
function stamp(output, begun) {
  utimesSync(output, begun, begun)
}

/** How many builds of this process use the compiler. */
let users = 0

/**
 * Loads the compiler where there is something to compile, and ends its process, which else lives on with its memory. Two
 * builds at once share it, and the one that it is taken from is never told.
 *
 * @template Result
 * @param {(build: typeof import('esbuild').build) => Promise<Result>} use
 */
async function withCompiler(use) {
  users += 1
  const { build, stop } = await import('esbuild')
  try {
    return await use(build)
  } finally {
    users -= 1
    if (users === 0) await stop()
  }
}

/** @param {typeof import('esbuild').build} build */
function bundleSdk(build) {
  return build({
    ...settings,
    entryPoints: entries.map((name) => join(root, 'sdk/src', `${name}.ts`)),
    outdir: join(root, 'sdk/dist'),
    outExtension: { '.js': '.mjs' },
    bundle: true,
    // One error class for all entries.
    splitting: true,
    // From its source, as in sdk/tsdown.config.ts.
    alias: { '@portico/contract/webhook-signature': join(root, 'contract/src/events/webhook-signature.ts') },
    external: ['msw', 'next/*'],
  })
}

/** @param {string} workspace */
function staleFiles(workspace) {
  const toolsChanged = lastChange([])
  return sourcesIn(join(root, workspace, 'src')).filter(
    (file) => !(Math.max(toolsChanged, changedAt(file)) < writtenAt(outputOf(workspace, file))),
  )
}

/**
 * @param {string} workspace
 * @param {string} file
 */
function outputOf(workspace, file) {
  const path = relative(join(root, workspace, 'src'), file)
  return join(root, workspace, 'dist', path).replace(/\.tsx?$/, '.js')
}

function isSdkBundled() {
  const sources = [
    ...sourcesIn(join(root, 'sdk/src')),
    join(root, 'contract/src/events/webhook-signature.ts'),
    join(root, 'sdk/package.json'),
  ]
  const written = entries.map((name) => writtenAt(join(root, 'sdk/dist', `${name}.mjs`)))
  return lastChange(sources) < Math.min(...written)
}

/**
 * The sources below a folder, but for tests and what tests share.
 *
 * @param {string} folder
 */
function sourcesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /(?<!\.test|\.given|\.d)\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
}

/**
 * When one of these sources, or of the tools, was changed last, in ms since 1970. By the inode too, because a copy may keep
 * the time of its original.
 *
 * @param {readonly string[]} sources
 */
function lastChange(sources) {
  return Math.max(...[...tools, ...sources].map(changedAt))
}

/** @param {string} file */
function changedAt(file) {
  const { mtimeMs = 0, ctimeMs = 0 } = statSync(file, { throwIfNoEntry: false }) ?? {}
  return Math.max(mtimeMs, ctimeMs)
}

/**
 * In ms since 1970; 0 for a file that is missing.
 *
 * @param {string} file
 */
function writtenAt(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
}

// Node resolves the links of a module's address, and not of the argument.
if (realpathSync(process.argv[1] ?? '.') === fileURLToPath(import.meta.url)) await compile()

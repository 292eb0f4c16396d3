// @ts-check
import { mkdirSync, readdirSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import process from 'node:process'
import { fileURLToPath, URL } from 'node:url'

/**
 * Writes the JavaScript that runs, where it is older than its sources. Checks no type and writes no declaration;
 * `npm run build` does both.
 */
const root = fileURLToPath(new URL('..', import.meta.url))

/** The entries of the SDK as its package.json names them. */
const entries = ['index', 'mock', 'testing', 'webhooks']

/** @type {import('esbuild').BuildOptions} */
const settings = { format: 'esm', target: 'node20.19', platform: 'node', logLevel: 'error', sourcemap: true }

/**
 * For those who import the workspaces: of contract and server a file for each source, of the SDK its bundles. Compiles the
 * files that have changed.
 */
export async function compile() {
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
}

/**
 * The command line in a few files, which start in half the time of 700.
 *
 * @returns {Promise<string>} The file to run.
 */
export async function bundleProgram() {
  // A folder beside those of server/dist: what the code reads by a path from its own file is where it was.
  const folder = join(root, 'server/dist/program')
  const program = join(folder, 'main.js')
  const sources = ['contract', 'server', 'sdk'].flatMap((workspace) =>
    sourcesIn(join(root, workspace, 'src')),
  )
  if (Math.max(...sources.map(changedAt)) < writtenAt(program)) return program
  const { outputFiles = [] } = await withCompiler((build) =>
    build({
      ...settings,
      entryPoints: [join(root, 'server/src/cli/main.ts')],
      outdir: folder,
      bundle: true,
      splitting: true,
      packages: 'external',
      alias: { '@portico/contract': join(root, 'contract/src'), '@portico/sdk': join(root, 'sdk/src') },
      write: false,
    }),
  )
  putInPlace(folder, outputFiles)
  return program
}

/**
 * Several programs may do so at once, or run from there: a file is written beside and renamed, the entry last, and the
 * names of the others tell their content.
 *
 * @param {string} folder
 * @param {readonly import('esbuild').OutputFile[]} files
 */
function putInPlace(folder, files) {
  mkdirSync(folder, { recursive: true })
  const names = new Set(files.map(({ path }) => basename(path)))
  const old = readdirSync(folder).filter((name) => !names.has(name) && !name.startsWith('.'))
  for (const name of old) rmSync(join(folder, name), { force: true })
  const isEntry = (/** @type {{ path: string }} */ { path }) => basename(path) === 'main.js'
  for (const { path, contents } of files.toSorted((a, b) => Number(isEntry(a)) - Number(isEntry(b)))) {
    const beside = join(dirname(path), `.${process.pid}-${basename(path)}`)
    writeFileSync(beside, contents)
    renameSync(beside, path)
  }
}

/**
 * Loads the compiler where there is something to compile, and ends its process, which else lives on with its memory.
 *
 * @template Result
 * @param {(build: typeof import('esbuild').build) => Promise<Result>} use
 */
async function withCompiler(use) {
  const { build, stop } = await import('esbuild')
  try {
    return await use(build)
  } finally {
    await stop()
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
    alias: { '@portico/contract/webhook-signature': join(root, 'contract/src/webhook-signature.ts') },
    external: ['msw'],
  })
}

/** @param {string} workspace */
function staleFiles(workspace) {
  const src = join(root, workspace, 'src')
  return sourcesIn(src).filter((file) => {
    const output = join(root, workspace, 'dist', relative(src, file)).replace(/\.tsx?$/, '.js')
    return !(changedAt(file) < writtenAt(output))
  })
}

function isSdkBundled() {
  const sources = [
    ...sourcesIn(join(root, 'sdk/src')),
    join(root, 'contract/src/webhook-signature.ts'),
    join(root, 'sdk/package.json'),
  ]
  const written = entries.map((name) => writtenAt(join(root, 'sdk/dist', `${name}.mjs`)))
  return Math.max(...sources.map(changedAt)) < Math.min(...written)
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
 * In ms since 1970. By the inode too, because a copy may keep the time of its original.
 *
 * @param {string} file
 */
function changedAt(file) {
  const { mtimeMs, ctimeMs } = statSync(file)
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

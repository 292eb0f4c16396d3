// @ts-check
import { readdirSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import process from 'node:process'
import { fileURLToPath, URL } from 'node:url'

/**
 * Writes the JavaScript that runs: of contract and server a file for each source, of the SDK its bundles. Checks no type and
 * writes no declaration; `npm run build` does both. A file whose output is newer than its source is left as it is, whoever
 * wrote it.
 */
const root = fileURLToPath(new URL('..', import.meta.url))

/** The entries of the SDK as its package.json names them. */
const entries = ['index', 'mock', 'testing', 'webhooks']

/** @type {import('esbuild').BuildOptions} */
const settings = { format: 'esm', target: 'node20.19', platform: 'node', logLevel: 'error', sourcemap: true }

/** Compiles what has changed; loads the compiler for that alone. */
export async function compile() {
  const stale = ['contract', 'server'].map((workspace) => ({ workspace, files: staleFiles(workspace) }))
  const isBundled = isSdkBundled()
  if (isBundled && stale.every(({ files }) => files.length === 0)) return
  const { build } = await import('esbuild')
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
  await Promise.all([...modules, ...(isBundled ? [] : [bundleSdk(build)])])
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

if (process.argv[1] === fileURLToPath(import.meta.url)) await compile()

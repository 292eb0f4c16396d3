import { spawn } from 'node:child_process'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath, URL } from 'node:url'

/**
 * What `npm start` and `npm run demo` run first: it compiles the server, bundles the SDK for programs beside it, and
 * builds the documentation that the server has at /docs. What has not changed since is left as it is.
 */
const root = fileURLToPath(new URL('..', import.meta.url))
const sdk = join(root, 'sdk')

/** The last files that each of the SDK's entries and formats leaves. */
const bundle = ['index', 'mock', 'testing', 'webhooks'].flatMap((name) =>
  ['mjs', 'cjs', 'd.mts', 'd.cts'].map((ending) => join(sdk, `dist/${name}.${ending}`)),
)

/** Where the documentation is from, below the root; a folder stands for all that is in it. */
const documented = [
  ...['contract/src', 'docs', 'sdk/README.md', '.env.example', 'LICENSE', 'package-lock.json'],
  ...(await readdir(root)).filter((name) => name.endsWith('.md')),
]

// On stderr, because stdout is the service's.
process.stderr.write('Compiling…\n')
const [isCompiled, hasSdk, hasDocs] = await Promise.all([
  run('node_modules/typescript/bin/tsc', ['-b', 'server'], root),
  (await isBundled()) || run('node_modules/tsdown/dist/run.mjs', ['--logLevel', 'error'], sdk),
  (await isDocumented()) ||
    run('node_modules/tsx/dist/cli.mjs', ['--tsconfig', 'docs/tsx.json', 'docs/site/main.ts', 'build'], root),
])
// A document with a wrong link is a reason to fail for the tests, and none to keep the service from starting.
if (!hasDocs) process.stderr.write('The documentation was not built: /docs is as it was, or is not there.\n')
process.exitCode = isCompiled && hasSdk ? 0 : 1

async function isBundled() {
  const names = (await readdir(join(sdk, 'src'))).filter((name) => !/\.(test|given)\.ts$/.test(name))
  const ofContract = '../contract/src/webhook-signature.ts'
  const sources = ['package.json', 'tsdown.config.ts', ofContract, ...names.map((name) => `src/${name}`)]
  const changed = await Promise.all(sources.map((name) => changedAt(join(sdk, name))))
  const built = await Promise.all(bundle.map(changedAt))
  return Math.max(...changed) < Math.min(...built)
}

async function isDocumented() {
  const built = await changedAt(join(root, 'docs/dist/site/.built'))
  const changed = await Promise.all(documented.map((name) => lastChangeIn(join(root, name))))
  return Math.max(...changed) < built
}

/** When a file, or anything in a folder, was changed last. A folder itself changes when something of it is removed. */
async function lastChangeIn(path) {
  const names = await readdir(path, { withFileTypes: true }).catch(() => [])
  const inside = names
    .filter(({ name }) => name !== 'dist' && name !== 'node_modules')
    .map((entry) => (entry.isDirectory() ? lastChangeIn : changedAt)(join(path, entry.name)))
  return Math.max(await changedAt(path), ...(await Promise.all(inside)))
}

/** In ms since 1970; 0 for a file that is missing. */
async function changedAt(path) {
  const file = await stat(path).catch(() => undefined)
  return file?.mtimeMs ?? 0
}

/** Runs a program, and shows what it says only when it fails: tsdown has a word for every Node older than 22. */
async function run(program, words, cwd) {
  const said = []
  const child = spawn(process.execPath, [join(root, program), ...words], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => said.push(chunk))
  const code = await new Promise((resolve) => child.once('close', resolve))
  if (code !== 0) for (const chunk of said) process.stderr.write(chunk)
  return code === 0
}

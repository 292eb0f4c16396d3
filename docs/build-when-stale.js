// @ts-check
import { spawn } from 'node:child_process'
import { subscribe } from 'node:diagnostics_channel'
import { lstatSync, mkdirSync, readdirSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath, URL } from 'node:url'

/**
 * Builds the documentation site where something that it is made of has changed since.
 *
 *     node docs/build-when-stale.js               and waits for the end
 *     node --import ./docs/build-when-stale.js …  beside a service, once that listens, behind all other work
 */
const root = fileURLToPath(new URL('..', import.meta.url))

/** Where the site is from, below the root; a folder stands for all that is in it. */
const origins = [
  ...[
    'contract/src',
    'docs',
    'sdk/README.md',
    '.env.example',
    'LICENSE',
    'package.json',
    'package-lock.json',
  ],
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
]

const command = 'npm run docs -- build'
/** By which the service knows that the site will be there (server/src/app/http/documentation.ts). */
const builderFile = join(root, 'docs/dist/.builder')

// Node resolves the links of a module's address, and not of the argument.
if (realpathSync(process.argv[1] ?? '.') === fileURLToPath(import.meta.url)) {
  if (isStale()) start({ isBehind: false }).once('close', (code) => (process.exitCode = code ?? 1))
}
// What else runs at the first start would wait for it.
else subscribe('portico.listening', buildBehind)

/** The service does without its documentation: whatever fails here is told, and ends nothing. */
function buildBehind() {
  try {
    if (!isStale()) return
    const builder = start({ isBehind: true })
    builder.once('error', tell)
    builder.once('close', (code) => code !== 0 && tell(new Error(`${command} says why`)))
    if (builder.pid !== undefined) setPriority(builder.pid, 19)
    builder.unref()
  } catch (error) {
    tell(error)
  }
}

/** @param {unknown} error */
function tell(error) {
  rmSync(builderFile, { force: true })
  const reason = error instanceof Error ? error.message : String(error)
  process.stderr.write(`The documentation could not be built: ${reason}\n`)
}

function isStale() {
  const stamp = statSync(join(root, 'docs/dist/site/.built'), { throwIfNoEntry: false })
  if (stamp === undefined) return true
  return !(Math.max(...origins.map((name) => lastChangeIn(join(root, name)))) < stamp.mtimeMs)
}

/** @param {{ isBehind: boolean }} options */
function start({ isBehind }) {
  const words = ['node_modules/tsx/dist/cli.mjs', '--conditions=source', 'docs/site/main.ts', 'build']
  const builder = spawn(process.execPath, words, {
    cwd: root,
    detached: isBehind,
    windowsHide: true,
    stdio: isBehind ? 'ignore' : 'inherit',
  })
  mkdirSync(join(root, 'docs/dist'), { recursive: true })
  writeFileSync(builderFile, String(builder.pid))
  return builder
}

/**
 * When a file, or anything in a folder, was changed last, in ms since 1970. A folder itself changes when something of it is removed.
 *
 * @param {string} path
 * @returns {number}
 */
function lastChangeIn(path) {
  // Of a link itself: where it leads there may be nothing.
  const entry = lstatSync(path, { throwIfNoEntry: false })
  if (!entry?.isDirectory()) return entry?.mtimeMs ?? 0
  const names = readdirSync(path).filter((name) => name !== 'dist' && name !== 'node_modules')
  return Math.max(entry.mtimeMs, ...names.map((name) => lastChangeIn(join(path, name))))
}

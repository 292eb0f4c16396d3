// @ts-check
import { spawn } from 'node:child_process'
import { subscribe } from 'node:diagnostics_channel'
import { mkdirSync, readdirSync, realpathSync, statSync, writeFileSync } from 'node:fs'
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
  ...['contract/src', 'docs', 'sdk/README.md', '.env.example', 'LICENSE', 'package-lock.json'],
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
]

// Node resolves the links of a module's address, and not of the argument.
if (realpathSync(process.argv[1] ?? '.') === fileURLToPath(import.meta.url)) build({ isBehind: false })
// What else runs at the first start would wait for it.
else subscribe('portico.listening', () => build({ isBehind: true }))

/** @param {{ isBehind: boolean }} options */
function build({ isBehind }) {
  const stamp = statSync(join(root, 'docs/dist/site/.built'), { throwIfNoEntry: false })
  if (
    stamp !== undefined &&
    Math.max(...origins.map((name) => lastChangeIn(join(root, name)))) < stamp.mtimeMs
  )
    return
  const words = ['node_modules/tsx/dist/cli.mjs', 'docs/site/main.ts', 'build']
  const builder = spawn(process.execPath, words, {
    cwd: root,
    detached: isBehind,
    windowsHide: true,
    stdio: isBehind ? 'ignore' : 'inherit',
  })
  // By which the service knows that the site will be there (server/src/http/documentation.ts).
  mkdirSync(join(root, 'docs/dist'), { recursive: true })
  writeFileSync(join(root, 'docs/dist/.builder'), String(builder.pid))
  if (isBehind) {
    if (builder.pid !== undefined) setPriority(builder.pid, 19)
    builder.unref()
  } else builder.once('close', (code) => (process.exitCode = code ?? 1))
}

/**
 * When a file, or anything in a folder, was changed last, in ms since 1970. A folder itself changes when something of it is removed.
 *
 * @param {string} path
 * @returns {number}
 */
function lastChangeIn(path) {
  const entry = statSync(path)
  if (!entry.isDirectory()) return entry.mtimeMs
  const names = readdirSync(path).filter((name) => name !== 'dist' && name !== 'node_modules')
  return Math.max(entry.mtimeMs, ...names.map((name) => lastChangeIn(join(path, name))))
}

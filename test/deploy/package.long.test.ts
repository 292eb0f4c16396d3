import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { credentialsIn } from '../cli/serve-given.js'
import { tokenOf } from '../cli/portico-given.js'
import { atFileEnd } from '../file-end.js'
import { freePort } from '../given/free-port.js'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))

let home: string
let tarball: string
let variables: NodeJS.ProcessEnv

// npm installs the package into an empty folder.
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'portico-package-'))
  atFileEnd(() => rmSync(home, { recursive: true, force: true }))
  const folder = join(home, 'bundle')
  await run('npm', ['run', '--silent', 'bundle', '--', folder], { cwd: root })
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', home], { cwd: folder })
  tarball = join(home, stdout.trim())
  // What npm has downloaded for the repository, and a folder of its own for what npx installs.
  const { stdout: cache } = await run('npm', ['config', 'get', 'cache'], { cwd: root })
  mkdirSync(join(home, 'cache'))
  mkdirSync(join(home, 'empty'))
  symlinkSync(join(cache.trim(), '_cacache'), join(home, 'cache/_cacache'))
  variables = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    XDG_CACHE_HOME: join(home, 'emulators'),
    npm_config_cache: join(home, 'cache'),
    npm_config_prefer_offline: 'true',
    npm_config_yes: 'true',
    npm_config_update_notifier: 'false',
    METRICS_PORT: '0',
    LOG_LEVEL: 'warn',
  }
}, 300_000)

/** Runs a command of the package by npx, until the test says so, and reads the first line that it tells. */
async function runByNpx(command: readonly string[], own: Record<string, string> = {}) {
  const child = spawn('npx', ['--package', tarball, 'portico', ...command, '--json'], {
    cwd: join(home, 'empty'),
    env: { ...variables, ...own },
    stdio: ['ignore', 'pipe', 'inherit'],
    // npx starts a shell that starts the program: a signal for all of them.
    detached: true,
  })
  const ended = once(child, 'exit')
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid ?? 0), 'SIGTERM')
    await ended
  }
  atFileEnd(stop)
  const line: unknown = await Promise.race([
    once(createInterface(child.stdout), 'line').then(([first]) => JSON.parse(String(first))),
    ended.then(() => Promise.reject(new Error(`portico ${command.join(' ')} ended`))),
  ])
  return { told: line, stop }
}

test('npx starts the packed service in an empty folder, with its own database, documentation and keys that work', async () => {
  const port = String(await freePort())
  const { told, stop } = await runByNpx(['serve'], { PORT: port })

  const address = `http://localhost:${port}`
  expect(told).toMatchObject({ base_url: address, pending_migrations: [] })
  expect((await fetch(`${address}/readyz`)).status).toBe(200)
  expect((await fetch(`${address}/docs/`)).status).toBe(200)
  const { domain, sandbox } = credentialsIn(join(home, 'empty/.data'))
  expect((await tokenOf(address, domain, sandbox)).status).toBe(200)
  await stop()
}, 300_000)

test('npx starts the emulator of the package, too', async () => {
  const { told, stop } = await runByNpx(['emulate', '--port', '0'])

  const { base_url } = told as { base_url: string }
  expect((await fetch(`${base_url}/readyz`)).status).toBe(200)
  await stop()
}, 300_000)

test('the package has every dependency of the server and no workspace', () => {
  const manifest = (path: string) =>
    JSON.parse(readFileSync(path, 'utf8')) as {
      dependencies: Record<string, string>
      optionalDependencies: Record<string, string>
    }
  const packed = manifest(join(home, 'bundle/package.json'))
  const { dependencies, optionalDependencies } = manifest(join(root, 'server/package.json'))

  const outside = Object.entries(dependencies).filter(([name]) => !name.startsWith('@portico/'))
  expect(packed.dependencies).toEqual(Object.fromEntries(outside))
  expect(packed.optionalDependencies).toEqual(optionalDependencies)
})

import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { request } from 'node:http'
import { networkInterfaces, tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { emulator } from '@portico/contract/emulator'
import { routes } from '@portico/contract/walk'
import { startPortico } from '@portico/sdk/testing'
import { describe, expect, test } from 'vitest'
import { portico as run } from '../cli/portico.js'
import { startService } from '../harness.js'
import { command, givenEmulator } from './emulator.js'

describe('an emulator does not start', () => {
  test.each([
    ['NODE_ENV', 'production', /NODE_ENV is production.*run portico serve/],
    ['DATABASE_URL', 'postgres://db.example/app', /DATABASE_URL is set.*env -u DATABASE_URL portico emulate/],
    ['DATABASE_DIRECT_URL', 'postgres://db.example/app', /DATABASE_DIRECT_URL is set/],
    ['DATABASE_READ_URL', 'postgres://db.example/app', /DATABASE_READ_URL is set/],
    ['MASTER_KEYS', 'v1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=', /MASTER_KEYS is set.*unset it/],
    ['SMTP_URL', 'smtps://mail.example', /SMTP_URL is set.*outbox.*unset it/],
    ['SMS_URL', 'https://a:b@sms.example?from=1', /SMS_URL is set.*outbox.*unset it/],
    ['HOST', '0.0.0.0', /HOST is 0\.0\.0\.0.*127\.0\.0\.1/],
    ['BASE_URL', 'https://auth.example', /BASE_URL is https:\/\/auth\.example.*unset it/],
  ])('with %s of a service that somebody relies on', async (name, value, sentence) => {
    const { code, stdout, stderr } = await run(['emulate', '--port', '0', '--json'], { [name]: value })

    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(sentence)
  })
})

const controlRoutes = routes(emulator)

describe('the control of an emulator', () => {
  test('is open to this machine alone, by a name of its own, and to no page of another site', async () => {
    const portico = await givenEmulator()
    const { port } = new URL(portico.baseUrl)
    const statusOf = (headers: Record<string, string>) =>
      new Promise<number | undefined>((done, fail) => {
        request({ host: '127.0.0.1', port, path: '/_emulator/state', headers }, (answer) => {
          answer.resume()
          done(answer.statusCode)
        })
          .on('error', fail)
          .end()
      })

    expect(await statusOf({})).toBe(200)
    expect(await statusOf({ host: `rebound.example:${port}` })).toBe(404)
    expect(await statusOf({ 'x-forwarded-for': '203.0.113.9' })).toBe(404)
    expect(await statusOf({ origin: 'https://evil.example' })).toBe(404)
    const [outside] = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .filter(({ internal, family }) => !internal && family === 'IPv4')
    if (outside !== undefined)
      await expect(fetch(`http://${outside.address}:${port}/_emulator/state`)).rejects.toThrow()
  })

  test('is no part of the service: none of it is there in portico serve', async () => {
    const service = await startService()

    for (const { method, path } of controlRoutes) {
      const answer = await fetch(service.baseUrl + path.replace(/:\w+/g, 'acme'), { method })
      expect([path, answer.status]).toEqual([path, 404])
    }
    expect(controlRoutes.length).toBeGreaterThan(10)
    const document = await (await fetch(`${service.baseUrl}/openapi.json`)).text()
    expect(document).toContain('"openapi"')
    expect(document).not.toContain('_emulator')
  })

  test('and what derives keys is loaded by no command but portico emulate', () => {
    const src = fileURLToPath(new URL('../../server/src/', import.meta.url))
    const commands = readdirSync(join(src, 'cli')).filter((name) => name.endsWith('.ts'))
    const loaders = commands.filter((name) => reachedFrom(join(src, 'cli', name)).some(isOfEmulator))

    expect(loaders).toEqual(['emulate.ts'])
    expect(reachedFrom(join(src, 'cli/serve.ts')).length).toBeGreaterThan(200)

    function isOfEmulator(file: string): boolean {
      return relative(src, file).startsWith('emulator')
    }

    /** Files that a file imports, and that these import; main.ts loads commands by name, so it has none. */
    function reachedFrom(file: string, found = new Set<string>()): string[] {
      if (found.has(file)) return []
      found.add(file)
      const imports = [
        ...readFileSync(file, 'utf8').matchAll(/^(?:import|export|\} from)\b.*?'(\.[^']+)\.js'$/gm),
      ]
      for (const [, path = ''] of imports) {
        const target = ['.ts', '.tsx']
          .map((ending) => resolve(dirname(file), path) + ending)
          .find((each) => existsSync(each))
        if (target !== undefined) reachedFrom(target, found)
      }
      return [...found]
    }
  })
})

test('everything that an emulator made is gone when it stops', async () => {
  const portico = await startPortico({ command: [...command] })
  const { port } = new URL(portico.databaseUrl)
  expect(leftovers(port)).toBe(true)

  await portico.stop()

  expect(leftovers(port)).toBe(false)
  await expect(fetch(portico.baseUrl)).rejects.toThrow()
})

test.skipIf(process.platform === 'win32')('an emulator ends when its parent was killed', async () => {
  const script = `
    import { startPortico } from ${JSON.stringify(new URL('../../sdk/dist/testing.mjs', import.meta.url).href)}
    const portico = await startPortico({ command: ${JSON.stringify(command)} })
    console.log(portico.baseUrl)
    setInterval(() => {}, 1000)`
  const parent = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const baseUrl = await new Promise<string>((done) => {
    parent.stdout.setEncoding('utf8').once('data', (text: string) => done(text.trim()))
  })
  expect((await fetch(`${baseUrl}/_emulator/state`)).status).toBe(200)

  parent.kill('SIGKILL')

  const isThere = () =>
    fetch(`${baseUrl}/_emulator/state`).then(
      () => true,
      () => false,
    )
  for (let left = 300; left > 0 && (await isThere()); left -= 1) await sleep(50)
  expect(await isThere()).toBe(false)
})

test('what cannot be started is told, with how to name the command', async () => {
  await expect(startPortico({ command: ['portico-that-is-not-installed'] })).rejects.toThrow(
    /cannot be started by portico-that-is-not-installed.*PORTICO_COMMAND/,
  )
  await expect(startPortico({ command: [...command], seed: '/lost.yaml' })).rejects.toThrow(
    /did not start.*lost\.yaml cannot be read/s,
  )
  await expect(startPortico({ command: [...command], timeoutMs: 1 })).rejects.toThrow(/not ready within 1 ms/)
})

/** Whether an emulator whose Postgres is at a port left its directory. */
function leftovers(port: string): boolean {
  return readdirSync(tmpdir())
    .filter((name) => name.startsWith('portico-emulator-'))
    .some((name) => {
      const file = join(tmpdir(), name, 'postgres', 'postmaster.pid')
      return existsSync(file) && readFileSync(file, 'utf8').split('\n').includes(port)
    })
}

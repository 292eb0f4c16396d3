import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { anything } from '../given/given.js'
import { freePort } from '../given/free-port.js'
import { atFileEnd } from '../file-end.js'

/** The programs of Postgres 15, which tests install (test/debian-tools.ts); undefined where there are none. */
export const postgres15 = ['/usr/lib/postgresql/15/bin', '/usr/local/bin'].find((candidate) =>
  /\(PostgreSQL\) 15\./.test(outputOf(join(candidate, 'postgres'), ['--version'])),
)
if (postgres15 === undefined)
  process.stderr.write('Postgres 15 is not installed here: its tests are skipped.\n')

/** A Postgres 15 whose superuser postgres needs no password; it ends with the test file. */
export interface DebianPostgres {
  /** The address of its database postgres. */
  readonly url: string
  /** Shuts it down while the work is done. */
  whileStopped(work: () => Promise<void>): Promise<void>
  query<Row extends object>(text: string): Promise<Row[]>
}

/** Starts a new cluster. */
export function startPostgres15(): Promise<DebianPostgres> {
  return startCluster((data) => {
    const access = ['-U', 'postgres', '-A', 'trust']
    runAsPostgres('initdb', ['-D', data, ...access, '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync'])
  })
}

/** Starts a streaming replica, which begins with a copy of the primary. */
export function startReplicaOf(primary: DebianPostgres): Promise<DebianPostgres> {
  return startCluster((data) => {
    const source = ['-d', primary.url, '--checkpoint=fast', '--wal-method=stream', '--no-sync']
    runAsPostgres('pg_basebackup', ['-D', data, ...source, '--write-recovery-conf'])
  })
}

/** Runs as the user postgres if this process is root, under which Postgres refuses to run. */
export function asPostgres(): { uid: number; gid: number } | undefined {
  return process.getuid?.() === 0 ? identityOf('postgres') : undefined
}

/** Creates a folder that the user postgres owns; it is removed at the end of the test file. */
export async function givenPostgresFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-postgres-15-'))
  const identity = asPostgres()
  if (identity !== undefined) await chown(folder, identity.uid, identity.gid)
  atFileEnd(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Creates a database. @returns Its address. */
export async function createDatabase15(
  { url: adminUrl, query }: DebianPostgres,
  options = '',
): Promise<string> {
  const name = `portico_${anything()}`
  await query(`create database ${name} template template0 ${options}`)
  const url = new URL(adminUrl)
  url.pathname = name
  return url.href
}

async function startCluster(fill: (data: string) => void): Promise<DebianPostgres> {
  const directory = await givenPostgresFolder()
  const data = join(directory, 'data')
  fill(data)
  const port = await freePort()
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  const settings = [
    'listen_addresses=127.0.0.1',
    `port=${port}`,
    'fsync=off',
    `unix_socket_directories=${directory}`,
  ]
  const args = ['-D', data, ...settings.flatMap((setting) => ['-c', setting])]
  let server: ChildProcess | undefined

  async function start(): Promise<void> {
    const started = spawn(join(postgres15 ?? '', 'postgres'), args, {
      ...asPostgres(),
      cwd: '/',
      stdio: 'ignore',
    })
    server = started
    while (!(await isReady(url))) {
      if (started.exitCode !== null) throw new Error(`Postgres ended with ${started.exitCode}`)
      await pause(50)
    }
  }
  async function stop(): Promise<void> {
    if (server === undefined || server.exitCode !== null) return
    const exit = once(server, 'exit')
    server.kill('SIGINT')
    await exit
  }

  await start()
  atFileEnd(stop)
  return {
    url,
    async whileStopped(work) {
      await stop()
      try {
        await work()
      } finally {
        await start()
      }
    },
    async query<Row extends object>(text: string) {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      try {
        return (await client.query<Row>(text)).rows
      } finally {
        await client.end()
      }
    },
  }
}

function runAsPostgres(program: string, args: string[]): void {
  execFileSync(join(postgres15 ?? '', program), args, { ...asPostgres(), cwd: '/', stdio: 'ignore' })
}

async function isReady(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url })
  try {
    await client.connect()
    await client.end()
    return true
  } catch {
    return false
  }
}

function identityOf(user: string): { uid: number; gid: number } {
  const [uid, gid] = ['-u', '-g'].map((flag) => Number(outputOf('id', [flag, user])))
  if (!uid || !gid) throw new Error(`there is no user ${user} for Postgres to run as`)
  return { uid, gid }
}

function outputOf(command: string, args: string[]): string {
  if (command.startsWith('/') && !existsSync(command)) return ''
  return spawnSync(command, args, { encoding: 'utf8' }).stdout
}

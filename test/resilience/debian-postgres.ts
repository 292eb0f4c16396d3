import { join } from 'node:path'
import pg from 'pg'
import { anything } from '../given/given.js'
import { freePort } from '../given/free-port.js'
import { atFileEnd } from '../file-end.js'
import { makePostgresFolder, outputOf, postgresPrograms } from './postgres-programs.js'

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

const programs = postgresPrograms(postgres15 ?? '')

/** Starts a new cluster. */
export function startPostgres15(): Promise<DebianPostgres> {
  return startCluster((data) => programs.initialize(data))
}

/** Starts a streaming replica, which begins with a copy of the primary. */
export function startReplicaOf(primary: DebianPostgres): Promise<DebianPostgres> {
  return startCluster((data) => {
    const source = ['-d', primary.url, '--checkpoint=fast', '--wal-method=stream', '--no-sync']
    programs.run('pg_basebackup', ['-D', data, ...source, '--write-recovery-conf'])
  })
}

/** Creates a folder that the user postgres owns; it is removed at the end of the test file. */
export async function givenPostgresFolder(): Promise<string> {
  const { path, remove } = await makePostgresFolder()
  atFileEnd(remove)
  return path
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
  const start = () => programs.start(data, port, [`unix_socket_directories=${directory}`])
  let server = await start()
  atFileEnd(() => server.stop())
  return {
    url,
    async whileStopped(work) {
      await server.stop()
      try {
        await work()
      } finally {
        server = await start()
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

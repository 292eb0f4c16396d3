import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbedded, type EmbeddedPostgres } from '@portico/server/embedded'
import pg from 'pg'
import { freePort } from '../given/free-port.js'
import { until } from './until.js'

/** A Postgres with the durability of production, at a constant address across restarts. */
export interface OwnPostgres {
  readonly url: string
  /**
   * Stops Postgres, and restarts it after the work is done.
   *
   * @param signal SIGINT shuts down in order; SIGQUIT aborts, so that the restart recovers from the log; SIGKILL leaves its
   *   processes to notice that it is gone.
   */
  whileStopped(signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL', work: () => Promise<void>): Promise<void>
  /** SIGTERM: new connections are refused while the work is done, and existing ones stay. Then Postgres is restarted. */
  whileClosing(work: () => Promise<void>): Promise<void>
  /** The folder of its files. */
  readonly dataDir: string
  /** Sends a signal to each of its processes. */
  signalAll(name: NodeJS.Signals): Promise<void>
  /** Restarts it if it has ended by itself. */
  ensureRunning(): Promise<void>
  /** Queries on a new connection, unaffected by restarts. */
  query<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>
  /** Stops Postgres, and removes its folder. */
  remove(): Promise<void>
}

/** Starts Postgres in a folder of its own. */
export async function startOwnPostgres(options: {
  maxConnections: number
  /** Parent of its folder; default: that of temporary files. */
  parent?: string
}): Promise<OwnPostgres> {
  const { parent = tmpdir(), maxConnections } = options
  const dataDir = await mkdtemp(join(parent, 'portico-own-postgres-'))
  const port = await freePort()
  const start = () => startEmbedded({ maxConnections, dataDir, port })
  let postgres: EmbeddedPostgres | undefined = await start()
  const { url } = postgres

  async function postmaster(): Promise<number> {
    const [pid] = (await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')
    return Number(pid)
  }

  return {
    url,
    dataDir,
    async signalAll(name) {
      const pid = await postmaster()
      const signalled = new Set<number>()
      let found = [pid]
      // Repeated, to include processes started in the meantime or missed by a listing.
      while (found.length > 0) {
        for (const each of found) {
          signalled.add(each)
          if (isAlive(each)) process.kill(each, name)
        }
        const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
        found = children
          .split(' ')
          .filter((each) => each.trim() !== '')
          .map(Number)
          .filter((each) => !signalled.has(each))
      }
    },
    async ensureRunning() {
      const pid = await postmaster().catch(() => undefined)
      if (pid !== undefined && isAlive(pid)) return
      await postgres?.stop().catch(() => undefined)
      postgres = await start()
    },
    async whileStopped(signal, work) {
      const pid = await postmaster()
      process.kill(pid, signal)
      await until(() => !isAlive(pid))
      postgres = undefined
      await work()
      postgres = await start()
    },
    async whileClosing(work) {
      const pid = await postmaster()
      process.kill(pid, 'SIGTERM')
      await work()
      if (isAlive(pid)) process.kill(pid, 'SIGINT')
      await until(() => !isAlive(pid))
      postgres = await start()
    },
    async query<Row extends object>(text: string, values: unknown[] = []) {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      try {
        return (await client.query<Row>(text, values)).rows
      } finally {
        await client.end()
      }
    },
    async remove() {
      await postgres?.stop()
      await rm(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 })
    },
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

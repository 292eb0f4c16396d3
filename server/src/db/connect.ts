import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import type { Logger } from 'pino'
import { preparedPool } from './prepared.js'
import type { DB } from './schema.js'

export interface ConnectOptions {
  readonly url: string
  readonly poolSize: number
  readonly named: boolean
  readonly log: Logger
  readonly onRoundTrip?: () => void
}

/** Opens a pool of connections and Kysely on it. Statements end after 30 s, idle transactions after 60 s. */
export function connect(options: ConnectOptions): Kysely<DB> {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.poolSize,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 60_000,
    pipeline: true,
    application_name: 'portico',
  })
  // Postgres may stop before a connection that is being closed is gone.
  const tellLoss = (error: Error, what: string) => {
    if (!pool.ending) options.log.warn({ err: error }, what)
  }
  // Without a listener, a restart of Postgres would end this process.
  pool.on('error', (error) => tellLoss(error, 'an idle database connection was lost'))
  pool.on('connect', (client) => {
    // The pool listens to idle clients alone; a lost connection in the middle of a transaction is told here.
    client.on('error', (error) => tellLoss(error, 'a database connection was lost'))
    client
      .query(
        "set statement_timeout = '30s'; set idle_in_transaction_session_timeout = '60s'; set timezone = 'UTC'",
      )
      .catch((error: unknown) => options.log.warn({ err: error }, 'a database connection cannot be set up'))
  })
  const prepared = preparedPool(pool, {
    named: options.named,
    onRoundTrip: options.onRoundTrip ?? (() => undefined),
  })
  // Kysely asks a pool for connect() and end() alone, and a client for query() and release().
  return new Kysely<DB>({ dialect: new PostgresDialect({ pool: prepared as unknown as pg.Pool }) })
}

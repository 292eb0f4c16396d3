import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import type { Logger } from 'pino'
import { refusalOf, stateOfPool, type PoolState, type Refusal } from './pool-state.js'
import { preparedPool, type StatementPool } from './prepared.js'
import { replicaPool } from './replica.js'
import type { DB } from './schema.js'
import { openShares } from './shares.js'

interface ConnectOptions {
  readonly url: string
  readonly poolSize: number
  readonly named: boolean
  readonly log: Logger
  readonly onRoundTrip?: () => void
  /** Told why a connection could not be had. */
  readonly onRefused?: (refusal: Refusal) => void
  /** For a replica, which must only be read from: where it fails, this pool answers. */
  readonly primary?: { readonly db: Kysely<DB>; readonly onFallback: () => void }
}

/** In ms. For work that nobody waits for: longer than Postgres lets a statement take, so that its own error comes first. */
const patience = 35_000
/** In ms. For a connection of the pool to come free. */
const waitingMs = 5_000
/** In ms. For a new one: what was begun while no answer came must not keep its place in the pool for longer. */
const connectingMs = 3_000
/** In ms. For what somebody waits for, and for the looks of the worker. */
const promptness = 3_000
/** How long a statement waits for a lock that another transaction has, where somebody waits for it. */
const promptLockTimeout = "'2s'"
/** How long connections in use have to come back when their pool is closed. */
const closingMs = 2_000

/**
 * Opens a pool of connections and Kysely on it. Postgres ends statements after 30 s and idle transactions after 60 s. What
 * lies between may lose an answer and leave the connection open: a statement without one after 35 s has failed, on
 * promptDb() after 3 s, and its connection is closed. On promptDb() a statement waits 2 s for a lock.
 */
export function connect(options: ConnectOptions): Kysely<DB> {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.poolSize,
    connectionTimeoutMillis: waitingMs,
    Client: impatientClient,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    pipeline: true,
    application_name: 'portico',
  })
  // Postgres may stop before a connection that is being closed is gone.
  const tellLoss = (error: Error, what: string) => {
    if (!pool.ending) options.log.warn({ err: error }, what)
  }
  const open = new Set<pg.PoolClient>()
  pool.on('remove', (client) => open.delete(client))
  // Without a listener, a restart of Postgres would end this process.
  pool.on('error', (error) => tellLoss(error, 'an idle database connection was lost'))
  pool.on('connect', (client) => {
    open.add(client)
    // The pool listens to idle clients alone; a lost connection in the middle of a transaction is told here.
    client.on('error', (error) => tellLoss(error, 'a database connection was lost'))
    client
      .query(
        `set statement_timeout = '30s'; set idle_in_transaction_session_timeout = '60s'; set timezone = 'UTC';
        set enable_seqscan = off; set plan_cache_mode = force_generic_plan`,
      )
      .catch((error: unknown) => options.log.warn({ err: error }, 'a database connection cannot be set up'))
    // A statement whose client has gone would keep its locks to its end. Not every system can tell that a client has gone.
    client.query("set client_connection_check_interval = '2s'").catch(() => undefined)
  })
  const names = options.named ? new Map<string, string>() : undefined
  const { onRoundTrip = () => undefined, onRefused = () => undefined } = options
  const connecting = async () => {
    try {
      return await pool.connect()
    } catch (error) {
      onRefused(refusalOf(error))
      throw error
    }
  }
  const inShares = openShares(options.poolSize, () => onRefused('share'))
  const statementsWithin = (answerWithin: number, lockTimeout: string, onPrimary?: StatementPool) => {
    const own = preparedPool(
      { connect: connecting, end: () => pool.end() },
      { names, answerWithin, lockTimeout, onRoundTrip },
    )
    return inShares(
      options.primary && onPrimary ? replicaPool(own, onPrimary, options.primary.onFallback) : own,
    )
  }
  const primary = options.primary && pools.get(options.primary.db)
  const statements = {
    patient: statementsWithin(patience, 'default', primary?.statements.patient),
    prompt: statementsWithin(promptness, promptLockTimeout, primary?.statements.prompt),
  }
  const patient = kyselyOn(statements.patient)
  const prompt = kyselyOn(statements.prompt)
  for (const db of [patient, prompt]) pools.set(db, { pool, statements, prompt, open, log: options.log })
  return patient
}

/** What the pool makes its connections with; it would give them as long as somebody waits for one that is free. */
const impatientClient = function (options: pg.ClientConfig) {
  return new pg.Client({ ...options, connectionTimeoutMillis: connectingMs })
} as unknown as typeof pg.Client

// Kysely asks a pool for connect() and end() alone, and a client for query() and release().
function kyselyOn(statements: StatementPool): Kysely<DB> {
  return new Kysely<DB>({ dialect: new PostgresDialect({ pool: statements as unknown as pg.Pool }) })
}

interface Pool {
  readonly pool: pg.Pool
  readonly statements: { readonly patient: StatementPool; readonly prompt: StatementPool }
  readonly prompt: Kysely<DB>
  readonly open: ReadonlySet<pg.PoolClient>
  readonly log: Logger
}

const pools = new WeakMap<Kysely<DB>, Pool>()

/** Closes what connect() has opened. Connections that are still in use after 2 s are cut. */
export async function closePool(db: Kysely<DB>): Promise<void> {
  const cut = setTimeout(() => {
    const { open, log } = pools.get(db) ?? {}
    log?.warn({ connections: open?.size }, 'connections to the database are cut while in use')
    for (const client of open ?? []) client.connection.stream.destroy()
  }, closingMs)
  await db.destroy().finally(() => clearTimeout(cut))
}

/** The same pool, for work that somebody waits for. */
export function promptDb(db: Kysely<DB>): Kysely<DB> {
  return pools.get(db)?.prompt ?? db
}

/** The connections of the pool that connect() has opened. */
export function poolStateOf(db: Kysely<DB>): PoolState {
  const opened = pools.get(db)
  if (opened === undefined) throw new Error('connect() has not opened this pool')
  return stateOfPool(opened.pool)
}

/** What those have in common that connect() and promptDb() have made of one pool. */
export function poolOf(db: Kysely<DB>): object {
  return pools.get(db)?.pool ?? db
}

/** For operations that somebody waits for: a statement without an answer fails soon. */
export function promptly<Some extends { readonly db: Kysely<DB>; readonly readDb: Kysely<DB> }>(
  deps: Some,
): Some {
  return { ...deps, db: promptDb(deps.db), readDb: promptDb(deps.readDb) }
}

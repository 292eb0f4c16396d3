import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import type { Logger } from 'pino'
import { openLookups, shareLookups, type Lookups } from './lookups.js'
import { refusalOf, stateOfPool, type PoolState, type PoolRefusal } from './pool-state.js'
import { connectionSettings, settingsThatMayFail, toSetStatements } from './connection-settings.js'
import type { Positions } from './positions.js'
import { preparedPool, type OnStatement, type StatementPool } from './prepared.js'
import { replicaPool, type OnRead } from './replica.js'
import type { DB } from './schema.js'
import { openShares } from './shares.js'

export interface ConnectOptions {
  readonly url: string
  readonly poolSize: number
  readonly named: boolean
  readonly log: Logger
  readonly onRoundTrip?: () => void
  readonly onStatement?: OnStatement | undefined
  /** Called with the reason when no connection is available. */
  readonly onRefused?: (refusal: PoolRefusal) => void
  /** Whether the address is that of a pooler in transaction mode: then nothing is set for a session. */
  readonly isPooled?: boolean
  /** What is known of the log of the primary; with `primary`, of that one. Undefined without a replica. */
  readonly positions?: Positions | undefined
  /** For a read-only replica: where it fails, or is not as new as a read needs, this pool answers. */
  readonly primary?: { readonly db: Kysely<DB>; readonly onRead: OnRead }
}

/** In ms. For background work: longer than statement_timeout, so that the error of Postgres comes first. */
const patience = 35_000
/** In ms. For a free connection of the pool. */
const waitingMs = 5_000
/** In ms. For a new connection: an unanswered attempt must not keep its place in the pool for longer. */
const connectingMs = 3_000
/** In ms. For requests, and for the worker's polls. */
const promptness = 3_000
/** How long a statement of a request waits for another transaction's lock. */
const promptLockTimeout = "'2s'"
/** How many connections of a pool lookups share, where it has a few more (docs/decisions/0027). */
const forLookups = 2
const leastForLookups = 6
/** How long connections in use may take to return when their pool is closed. */
const closingMs = 2_000

/**
 * Opens a pool of connections and Kysely on it. Postgres ends statements after 30 s and idle transactions after 60 s.
 * The network may lose an answer: a statement without one fails after 35 s, on promptDb() after 3 s, and its connection
 * is closed. On promptDb() a statement waits 2 s for a lock.
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
  // While the pool is being closed, Postgres may stop before the connections are gone.
  const logLoss = (error: Error) => {
    if (!pool.ending) options.log.warn({ err: error }, 'a database connection was lost')
  }
  const open = new Set<pg.PoolClient>()
  pool.on('remove', (client) => open.delete(client))
  // Without a listener, a restart of Postgres would end this process. The client's own logs the loss.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => {
    open.add(client)
    client.on('error', logLoss)
    // They would stay with the next one to whom the pooler gives the connection to Postgres.
    if (options.isPooled) return
    client
      .query(toSetStatements(connectionSettings))
      .catch((error: unknown) => options.log.warn({ err: error }, 'a database connection cannot be set up'))
    client.query(toSetStatements(settingsThatMayFail)).catch(() => undefined)
  })
  const names = options.named ? new Map<string, string>() : undefined
  const { onRoundTrip = () => undefined, onRefused = () => undefined, onStatement } = options
  // By `performance.now()`. An answer that never came says that the network has swallowed it, perhaps those of other
  // connections, too: the ones made before are not used again, since each would be waited for in turn.
  let lostAt = 0
  const onSilence = () => (lostAt = performance.now())
  const madeAt = new WeakMap<pg.PoolClient, number>()
  pool.on('connect', (client) => madeAt.set(client, performance.now()))
  const connectSound = async () => {
    for (;;) {
      const client = await pool.connect()
      if ((madeAt.get(client) ?? 0) >= lostAt) return client
      client.release(true)
    }
  }
  const connecting = async () => {
    try {
      return await connectSound()
    } catch (error) {
      onRefused(refusalOf(error))
      throw error
    }
  }
  // A lookup has a time limit of its own, which it sets for the session. Those on a replica would ask for no position.
  const hasLookups = options.poolSize >= leastForLookups && !options.isPooled && !options.primary
  const lookups =
    names && hasLookups
      ? openLookups({ connect: connectSound, count: forLookups, names, onRoundTrip, onStatement, onSilence })
      : undefined
  const endPool = () => {
    lookups?.close()
    return pool.end()
  }
  const { primary: ofPrimary, positions, isPooled } = options
  const afterChange = positions && (() => positions.afterChange())
  const inShares = openShares(options.poolSize, () => onRefused('share'))
  const statementsWithin = (answerWithin: number, lockTimeout: string, onPrimary?: StatementPool) => {
    const own = preparedPool(
      { connect: connecting, end: endPool },
      { names, answerWithin, lockTimeout, onRoundTrip, onStatement, onSilence, isPooled, afterChange },
    )
    const isReplica = ofPrimary && positions && onPrimary
    return inShares(
      isReplica ? replicaPool(own, { pool: onPrimary, positions, onRead: ofPrimary.onRead }) : own,
    )
  }
  const primary = ofPrimary && pools.get(ofPrimary.db)
  const statements = {
    patient: statementsWithin(patience, 'default', primary?.statements.patient),
    prompt: statementsWithin(promptness, promptLockTimeout, primary?.statements.prompt),
  }
  const patient = kyselyOn(statements.patient)
  const prompt = kyselyOn(statements.prompt)
  for (const db of [patient, prompt]) {
    pools.set(db, { pool, statements, prompt, open, lookups, log: options.log })
    if (lookups) shareLookups(db, lookups)
  }
  return patient
}

/** The pool's client: pg would give it the timeout of the wait for a free connection. */
const impatientClient = function (options: pg.ClientConfig) {
  return new pg.Client({ ...options, connectionTimeoutMillis: connectingMs })
} as unknown as typeof pg.Client

// Kysely calls only connect() and end() of a pool, and query() and release() of a client.
function kyselyOn(statements: StatementPool): Kysely<DB> {
  return new Kysely<DB>({ dialect: new PostgresDialect({ pool: statements as unknown as pg.Pool }) })
}

interface Pool {
  readonly pool: pg.Pool
  readonly statements: { readonly patient: StatementPool; readonly prompt: StatementPool }
  readonly prompt: Kysely<DB>
  readonly open: ReadonlySet<pg.PoolClient>
  readonly lookups: Lookups | undefined
  readonly log: Logger
}

const pools = new WeakMap<Kysely<DB>, Pool>()

/** Closes what connect() has opened. Connections that are still in use after 2 s are cut. */
export async function closePool(db: Kysely<DB>): Promise<void> {
  const { pool, open, lookups, log } = pools.get(db) ?? {}
  const cut = setTimeout(() => {
    log?.warn({ connections: open?.size }, 'connections to the database are cut while in use')
    for (const client of open ?? []) client.connection.stream.destroy()
  }, closingMs)
  try {
    await db.destroy()
    // Kysely ends nothing where it has sent nothing, and promptDb() is another one on the pool.
    if (pool?.ending === false) {
      lookups?.close()
      await pool.end()
    }
  } finally {
    clearTimeout(cut)
  }
}

/** The same pool, for work of a request. */
export function promptDb(db: Kysely<DB>): Kysely<DB> {
  return pools.get(db)?.prompt ?? db
}

/** The connections of the pool that connect() has opened. */
export function poolStateOf(db: Kysely<DB>): PoolState {
  const opened = pools.get(db)
  if (opened === undefined) throw new Error('connect() has not opened this pool')
  return stateOfPool(opened.pool, opened.lookups?.idle)
}

/** The identity of the pool that connect() and promptDb() share. */
export function poolOf(db: Kysely<DB>): object {
  return pools.get(db)?.pool ?? db
}

/** For operations of a request: a statement without an answer fails soon. */
export function promptly<Some extends { readonly db: Kysely<DB>; readonly readDb: Kysely<DB> }>(
  deps: Some,
): Some {
  return { ...deps, db: promptDb(deps.db), readDb: promptDb(deps.readDb) }
}

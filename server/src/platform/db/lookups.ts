import type { CompiledQuery, Kysely } from 'kysely'
import pg from 'pg'
import { isSilence, isTimerLate, nameOf, type OnStatement } from './prepared.js'
import type { DB } from './schema.js'

interface LookupOptions {
  /** Takes a connection from the pool. */
  readonly connect: () => Promise<pg.PoolClient>
  /** How many connections are shared. */
  readonly count: number
  /** The names of the texts, shared with the pool. */
  readonly names: Map<string, string>
  /** Called once for each wait for an answer of the database. */
  readonly onRoundTrip: () => void
  readonly onStatement?: OnStatement | undefined
  /** Called when an answer has not come in time. */
  readonly onSilence: () => void
}

interface Answer<Row> {
  readonly rows: Row[]
}

/** The shared connections of a pool. */
export interface Lookups {
  /** The answer to a lookup, by one of them or by the pool. */
  run<Row>(query: CompiledQuery<Row>, onPool: () => Promise<Answer<Row>>): Promise<Answer<Row>>
  /** How many of the connections have no lookup under way. */
  readonly idle: number
  close(): void
}

/** In ms. A connection whose next answer takes longer gets no further lookups until it has answered. */
const stuckAfter = 100
/** In ms. A lookup without an answer by then is run on the pool, and the connection is closed. */
const answerWithin = 1_000
/** Postgres ends a lookup that takes longer, so that the ones behind it are not delayed further. */
const statementTimeout = "'500ms'"
/** In ms. A connection that was not used for longer goes back, as the idle ones of the pool do. */
const idleFor = 30_000
/** In ms. After a failure, the pool alone is used for this long. */
const restMs = 1_000
/** More than this many on each connection are run on the pool. */
const maxUnderWay = 100

interface Shared {
  readonly client: pg.PoolClient
  underWay: number
  /** The last answer, or the first request since there was none under way; by `performance.now()`. */
  progressAt: number
  isCorked: boolean
}

/**
 * Runs lookups of many requests on a few connections at once: all that are sent in one turn of the event loop leave in
 * one packet, and their answers come in order. A lookup that fails here, for whatever reason, is run again on the pool,
 * which it may be because it only reads.
 *
 * Connections are taken from the pool when two lookups are under way at once.
 */
export function openLookups(options: LookupOptions): Lookups {
  const { connect, count, names, onRoundTrip, onStatement, onSilence } = options
  const shared = new Set<Shared>()
  let isConnecting = false
  let isClosed = false
  let restsUntil = 0
  let onThePool = 0

  function discard(connection: Shared): void {
    if (!shared.delete(connection)) return
    connection.client.release(true)
  }

  async function add(): Promise<void> {
    isConnecting = true
    let client: pg.PoolClient | undefined
    try {
      client = await connect()
      await client.query(limited(`set statement_timeout = ${statementTimeout}`))
      const connection = { client, underWay: 0, progressAt: performance.now(), isCorked: false }
      client.once('error', () => discard(connection))
      shared.add(connection)
      if (isClosed) discard(connection)
    } catch {
      client?.release(true)
      restsUntil = performance.now() + restMs
    } finally {
      isConnecting = false
    }
  }

  /** The connection with the fewest lookups under way, among those that answer. */
  function choose(): Shared | undefined {
    const now = performance.now()
    let best: Shared | undefined
    for (const connection of shared) {
      const { underWay, progressAt } = connection
      if (underWay === 0 && now - progressAt > idleFor) discard(connection)
      else if (underWay >= maxUnderWay || (underWay > 0 && now - progressAt > stuckAfter)) continue
      else if (best === undefined || underWay < best.underWay) best = connection
    }
    const isBusy = best === undefined ? onThePool > 0 : best.underWay > 0
    if (isBusy && shared.size < count && !isConnecting && !isClosed && now > restsUntil) void add()
    return best
  }

  async function send<Row>(connection: Shared, { sql: text, parameters }: CompiledQuery<Row>) {
    const sentAt = performance.now()
    if (connection.underWay++ === 0) connection.progressAt = sentAt
    const { client } = connection
    const { stream } = client.connection
    if (!connection.isCorked) {
      connection.isCorked = true
      stream.cork()
      setImmediate(() => {
        connection.isCorked = false
        stream.uncork()
      })
    }
    onRoundTrip()
    try {
      const query = { name: nameOf(text, names), text, values: [...parameters], query_timeout: answerWithin }
      const answer = client.query<Row & pg.QueryResultRow>(query)
      onStatement?.(text, answer)
      return await answer
    } catch (error) {
      if (isSilence(error) && !isTimerLate(sentAt, answerWithin)) {
        onSilence()
        for (const other of shared) if (other.underWay === 0) discard(other)
      }
      // An error of Postgres leaves the connection usable, unless the plan's columns have changed.
      if (!(error instanceof pg.DatabaseError) || error.code === '0A000') discard(connection)
      return undefined
    } finally {
      connection.progressAt = performance.now()
      connection.underWay--
      if (isClosed && connection.underWay === 0) discard(connection)
    }
  }

  return {
    async run(query, onPool) {
      const connection = choose()
      const answer = connection && (await send(connection, query))
      if (answer !== undefined) return answer
      onThePool++
      try {
        return await onPool()
      } finally {
        onThePool--
      }
    },
    get idle() {
      return [...shared].filter(({ underWay }) => underWay === 0).length
    },
    close() {
      isClosed = true
      for (const connection of shared) if (connection.underWay === 0) discard(connection)
    },
  }
}

/** What pg takes; its types leave out `query_timeout`. */
function limited(text: string): pg.QueryConfig & { readonly query_timeout: number } {
  return { text, query_timeout: answerWithin }
}

const opened = new WeakMap<Kysely<DB>, Lookups>()

/** Lookups on a database, outside of transactions, go over these connections. */
export function shareLookups(db: Kysely<DB>, lookups: Lookups): void {
  opened.set(db, lookups)
}

/** Runs a lookup on the connections that its database shares; on the pool, or in the transaction, where it has none. */
export function runLookup<Row>(db: Kysely<DB>, query: CompiledQuery<Row>): Promise<Answer<Row>> {
  const onPool = () => db.executeQuery<Row>(query)
  return opened.get(db)?.run(query, onPool) ?? onPool()
}

import type pg from 'pg'

/** More distinct texts than this are sent unnamed, so that varying lists do not fill the server's memory. */
const maxNames = 500

interface StatementOptions {
  /** The names of the texts; undefined where statements are unnamed. Shared by all clients of a pool. */
  readonly names: Map<string, string> | undefined
  /** In ms. A statement without an answer by then fails, and its connection is closed. */
  readonly answerWithin: number
  /** How long a statement waits for a lock, as Postgres writes it; `default` is what the database says. */
  readonly lockTimeout: string
  /** Called once for each wait for an answer of the database. */
  readonly onRoundTrip: () => void
  /** Called when an answer has not come in time. */
  readonly onSilence: () => void
}

/** Whether a statement was not answered in time, as pg says it. */
export function isSilence(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout'
}

/** What pg takes; its types leave out `query_timeout`. */
interface LimitedQuery extends pg.QueryConfig {
  /** In ms. */
  readonly query_timeout: number
}

/** The part of pg's pool that is used. */
interface ConnectingPool {
  connect(): Promise<pg.PoolClient>
  end(): Promise<void>
}

/** The part of a pool that Kysely uses. */
export interface StatementPool {
  connect(): Promise<{
    query(text: string, values?: unknown[]): Promise<pg.QueryResult>
    release(): void
  }>
  end(): Promise<void>
}

/**
 * A pool whose statements are named, so that Postgres parses and plans each text once per connection, and whose
 * `begin` travels together with the statement after it. Kysely sees an ordinary pool.
 */
export function preparedPool(pool: ConnectingPool, options: StatementOptions): StatementPool {
  return {
    async connect() {
      return preparedClient(await pool.connect(), options)
    },
    end: () => pool.end(),
  }
}

/** The current lock_timeout of connections on which it was changed. */
const lockTimeouts = new WeakMap<pg.PoolClient, string>()

function preparedClient(client: pg.PoolClient, options: StatementOptions) {
  const { names, answerWithin: query_timeout, lockTimeout } = options
  let isBeginDue = false
  let mustDiscard = false

  if ((lockTimeouts.get(client) ?? 'default') !== lockTimeout) {
    lockTimeouts.set(client, lockTimeout)
    // Sent before the first statement, whose answer is awaited.
    client.query(`set lock_timeout = ${lockTimeout}`).catch(() => (mustDiscard = true))
  }

  function send(text: string, values: unknown[]): Promise<pg.QueryResult> {
    const name = names && nameOf(text, names)
    const query: LimitedQuery = { ...(name !== undefined && { name }), text, values, query_timeout }
    return client.query(query).catch((error: unknown) => {
      if (isSilence(error)) options.onSilence()
      // The plan's columns changed: the statement would fail forever on this connection.
      if (error instanceof Error && 'code' in error && error.code === '0A000') mustDiscard = true
      throw error
    })
  }

  return {
    async query(text: string, values: unknown[] = []): Promise<pg.QueryResult> {
      if (text === 'begin') {
        isBeginDue = true
        return emptyResult
      }
      if (isBeginDue && (text === 'commit' || text === 'rollback')) {
        isBeginDue = false
        return emptyResult
      }
      options.onRoundTrip()
      if (!isBeginDue) return send(text, values)
      isBeginDue = false
      // Both leave in one packet, before either is answered. A failed begin leaves the connection unusable.
      const { stream } = client.connection
      stream.cork()
      const begin: LimitedQuery = { text: 'begin', query_timeout }
      const both = [client.query(begin), send(text, values)] as const
      stream.uncork()
      const [begun, answered] = await Promise.allSettled(both)
      if (begun.status === 'rejected') {
        mustDiscard = true
        throw begun.reason
      }
      if (answered.status === 'rejected') throw answered.reason
      return answered.value
    },
    release() {
      client.release(mustDiscard)
    },
  }
}

const emptyResult: pg.QueryResult = { command: '', rowCount: 0, oid: 0, fields: [], rows: [] }

/** The name under which a text is prepared on a connection; undefined once there are too many. */
export function nameOf(text: string, names: Map<string, string>): string | undefined {
  const known = names.get(text)
  if (known !== undefined || names.size >= maxNames) return known
  const name = `s${names.size + 1}`
  names.set(text, name)
  return name
}

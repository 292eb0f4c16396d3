import type pg from 'pg'

/** More distinct texts than this are sent unnamed, so that varying lists do not fill the server's memory. */
const maxNames = 500

/** Called with each statement that is sent, and its answer. */
export type OnStatement = (text: string, answer: Promise<unknown>) => void

interface StatementOptions {
  /** The names of the texts; undefined where statements are unnamed. Shared by all clients of a pool. */
  readonly names: Map<string, string> | undefined
  /** In ms. A statement without an answer by then fails, and its connection is closed. */
  readonly answerWithin: number
  /** How long a statement waits for a lock, as Postgres writes it; `default` is what the database says. */
  readonly lockTimeout: string
  /** Called once for each wait for an answer of the database. */
  readonly onRoundTrip: () => void
  readonly onStatement?: OnStatement | undefined
  /** Called when an answer has not come in time. */
  readonly onSilence: () => void
}

/** Whether a statement was not answered in time, as pg says it. */
export function isSilence(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout'
}

/**
 * Whether a timer of this length has fired so late that the process itself has stood still, as when it is stopped or its machine
 * sleeps: then the answers may be there, and no connection is to blame.
 *
 * @param setAt By `performance.now()`.
 */
export function isTimerLate(setAt: number, lengthMs: number): boolean {
  return performance.now() - setAt > 2 * lengthMs
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

/** The texts of statements that a transaction sends together with the one after them. */
const companions = new Set<string>()

/**
 * A statement of this text, whose answer must tell nothing, waits within a transaction for the next one, the commit at
 * the latest, and leaves in one packet with it. Where it fails, the next one fails with its error.
 */
export function sendWithNext(text: string): void {
  companions.add(text)
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
  let isInTransaction = false
  let isBeginDue = false
  let mustDiscard = false
  /** Of the transaction, sent with its next statement. */
  let waiting: Statement[] = []

  if ((lockTimeouts.get(client) ?? 'default') !== lockTimeout) {
    lockTimeouts.set(client, lockTimeout)
    // Sent before the first statement, whose answer is awaited.
    client.query(`set lock_timeout = ${lockTimeout}`).catch(() => (mustDiscard = true))
  }

  function send({ text, values }: Statement): Promise<pg.QueryResult> {
    const name = names && nameOf(text, names)
    const query: LimitedQuery = { ...(name !== undefined && { name }), text, values, query_timeout }
    const sentAt = performance.now()
    const answer = client.query(query)
    options.onStatement?.(text, answer)
    return answer.catch((error: unknown) => {
      if (isSilence(error) && !isTimerLate(sentAt, query_timeout)) options.onSilence()
      // The plan's columns changed: the statement would fail forever on this connection.
      if (error instanceof Error && 'code' in error && error.code === '0A000') mustDiscard = true
      throw error
    })
  }

  function begin(): Promise<pg.QueryResult> {
    const query: LimitedQuery = { text: 'begin', query_timeout }
    return client.query(query).catch((error: unknown) => {
      // A failed begin leaves the connection unusable.
      mustDiscard = true
      throw error
    })
  }

  /** Sends all in one packet, before any is answered. Of several failures the first is the cause of the others. */
  async function sendTogether(statement: Statement): Promise<pg.QueryResult> {
    const { stream } = client.connection
    stream.cork()
    const answers = [...(isBeginDue ? [begin()] : []), ...waiting.map(send), send(statement)]
    stream.uncork()
    isBeginDue = false
    waiting = []
    const settled = await Promise.allSettled(answers)
    const failed = settled.find((answer) => answer.status === 'rejected')
    if (failed !== undefined) throw failed.reason
    return answers[answers.length - 1] ?? emptyResult
  }

  return {
    async query(text: string, values: unknown[] = []): Promise<pg.QueryResult> {
      if (text === 'begin') {
        isInTransaction = true
        isBeginDue = true
        return emptyResult
      }
      if (isInTransaction && companions.has(text)) {
        waiting.push({ text, values })
        return emptyResult
      }
      if (text === 'rollback') waiting = []
      const isEnd = text === 'commit' || text === 'rollback'
      if (isEnd) isInTransaction = false
      if (isEnd && isBeginDue && waiting.length === 0) {
        isBeginDue = false
        return emptyResult
      }
      options.onRoundTrip()
      const statement = { text, values }
      return isBeginDue || waiting.length > 0 ? sendTogether(statement) : send(statement)
    },
    release() {
      client.release(mustDiscard)
    },
  }
}

interface Statement {
  readonly text: string
  readonly values: unknown[]
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

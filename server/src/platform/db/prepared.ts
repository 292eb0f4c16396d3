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
  /** Whether a pooler gives each transaction another connection to Postgres, so that nothing may be set for a session. */
  readonly isPooled?: boolean | undefined
  /** Asked at the end of each change for a statement to send right after it. */
  readonly afterChange?: (() => Aside | undefined) | undefined
}

/** A statement that leaves in the packet of another one. Where it fails, nothing is called, and the other does not fail. */
export interface Aside {
  readonly text: string
  readonly values: unknown[]
  readonly onAnswer: (rows: readonly Readonly<Record<string, unknown>>[]) => void
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
  connect(): Promise<StatementClient>
  end(): Promise<void>
}

export interface StatementClient {
  /** @param before Answered before the statement is run. */
  query(text: string, values?: unknown[], before?: Aside): Promise<pg.QueryResult>
  release(): void
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

function preparedClient(client: pg.PoolClient, options: StatementOptions): StatementClient {
  const { names, answerWithin: query_timeout, lockTimeout, isPooled = false, afterChange } = options
  let isInTransaction = false
  let isBeginDue = false
  let mustDiscard = false
  /** Of the transaction, sent with its next statement. */
  let waiting: Statement[] = []

  if (!isPooled && (lockTimeouts.get(client) ?? 'default') !== lockTimeout) {
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

  function begin(): Promise<pg.QueryResult>[] {
    const local = isPooled && lockTimeout !== 'default' ? [`set local lock_timeout = ${lockTimeout}`] : []
    return ['begin', ...local].map((text) => {
      const query: LimitedQuery = { text, query_timeout }
      return client.query(query).catch((error: unknown) => {
        // A failed begin leaves the connection unusable.
        mustDiscard = true
        throw error
      })
    })
  }

  function sendAside({ text, values, onAnswer }: Aside): Promise<void> {
    return send({ text, values }).then(
      ({ rows }) => onAnswer(rows),
      () => undefined,
    )
  }

  /** Sends all in one packet, before any is answered. Of several failures the first is the cause of the others. */
  async function sendTogether(statement: Statement, { isEnclosed, before, after }: Beside) {
    const { stream } = client.connection
    stream.cork()
    const opening = [...(isBeginDue || isEnclosed ? begin() : []), ...waiting.map(send)]
    const aside = before && sendAside(before)
    const answer = send(statement)
    const closing = isEnclosed ? [send({ text: 'commit', values: [] })] : []
    const last = after && sendAside(after)
    stream.uncork()
    isBeginDue = false
    waiting = []
    const settled = await Promise.allSettled([...opening, answer, ...closing])
    const failed = settled.find((each) => each.status === 'rejected')
    await Promise.all([aside, last])
    if (failed !== undefined) throw failed.reason
    return answer
  }

  return {
    async query(text, values = [], before) {
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
      const matters = isPooled || afterChange !== undefined
      const isChangeAlone = matters && !isInTransaction && change.test(text)
      if (isEnd) isInTransaction = false
      // One that is read only, or isolated from others.
      if (text.startsWith('start transaction')) isInTransaction = true
      if (isEnd && isBeginDue && waiting.length === 0) {
        isBeginDue = false
        return emptyResult
      }
      options.onRoundTrip()
      const statement = { text, values }
      const after = isChangeAlone || text === 'commit' ? afterChange?.() : undefined
      // So that a change alone, too, waits no longer for a lock than it may, and one server answers both of what goes together.
      const isEnclosed = isPooled && ((isChangeAlone && lockTimeout !== 'default') || before !== undefined)
      if (isBeginDue || waiting.length > 0 || isEnclosed || before !== undefined || after !== undefined)
        return sendTogether(statement, { isEnclosed, before, after })
      return send(statement)
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

/** What a statement is sent with. */
interface Beside {
  /** Whether it is a transaction of its own, with begin and commit. */
  readonly isEnclosed: boolean
  readonly before: Aside | undefined
  readonly after: Aside | undefined
}

/** A statement that may write, or lock rows. */
const change = /^\s*(?:insert|update|delete|merge|with)\b/i

const emptyResult: pg.QueryResult = { command: '', rowCount: 0, oid: 0, fields: [], rows: [] }

/** The name under which a text is prepared on a connection; undefined once there are too many. */
export function nameOf(text: string, names: Map<string, string>): string | undefined {
  const known = names.get(text)
  if (known !== undefined || names.size >= maxNames) return known
  const name = `s${names.size + 1}`
  names.set(text, name)
  return name
}

import {
  databaseIdentity,
  readsUnderWay,
  type Fallback,
  type Needed,
  type Positions,
  type Reads,
} from './positions.js'
import type { Aside, StatementClient, StatementPool } from './prepared.js'
import { isStatementTimeout, isTransient, isUnavailable } from './violations.js'

/** In ms. How long a replica is not asked after it has failed so. */
const restsMs: Partial<Record<Fallback, number>> = { unreachable: 10_000, not_replica: 10_000, lag: 1_000 }

/** Called for each statement that the replica may answer, with why the primary does; undefined: the replica has answered. */
export type OnRead = (fallback: Fallback | undefined) => void

interface Primary {
  readonly pool: StatementPool
  /** What is known of its log. */
  readonly positions: Positions
  readonly onRead: OnRead
}

/**
 * A pool for statements that only read. Those of a request for which the replica may answer (positions.ts) go to it
 * together with the question whether it is as new as they need. Where it is not, fails, or cancels a statement that
 * conflicts with its replay, the primary answers that statement and the others of the request. All else is the primary's.
 */
export function replicaPool(replica: StatementPool, primary: Primary): StatementPool {
  let resting: Fallback | undefined
  let restsUntil = 0

  async function onPrimary(text: string, values?: unknown[]) {
    const client = await primary.pool.connect()
    try {
      return await client.query(text, values)
    } finally {
      client.release()
    }
  }

  function leave(reads: Reads, reason: Fallback): undefined {
    const restMs = restsMs[reason]
    if (restMs !== undefined && performance.now() >= restsUntil) {
      resting = reason
      restsUntil = performance.now() + restMs
    }
    reads.onPrimaryFor = reason
  }

  /** A connection to the replica; undefined where the primary has to answer. */
  async function lend(reads: Reads): Promise<StatementClient | undefined> {
    if (performance.now() < restsUntil) reads.onPrimaryFor ??= resting
    if (reads.onPrimaryFor !== undefined) return undefined
    return replica.connect().catch((error: unknown) => leave(reads, reasonOf(error)))
  }

  /** The answer of the replica; undefined where it has none that may be given. */
  async function ask(client: StatementClient, reads: Reads, text: string, values?: unknown[]) {
    const needed = primary.positions.neededBy(reads)
    if (needed === undefined) return leave(reads, 'unmeasured')
    const freshness = askFreshness(needed)
    try {
      const answer = await client.query(text, values, freshness.question)
      return freshness.fault === undefined ? answer : leave(reads, freshness.fault)
    } catch (error) {
      return leave(reads, freshness.fault ?? reasonOf(error))
    }
  }

  return {
    async connect() {
      const reads = readsUnderWay()
      const client = reads && (await lend(reads))
      return {
        async query(text, values) {
          if (reads === undefined) return onPrimary(text, values)
          const isAsked = client !== undefined && reads.onPrimaryFor === undefined
          const answer = isAsked ? await ask(client, reads, text, values) : undefined
          primary.onRead(answer === undefined ? reads.onPrimaryFor : undefined)
          return answer ?? onPrimary(text, values)
        },
        release: () => client?.release(),
      }
    },
    end: () => replica.end(),
  }
}

/** @throws the error, where it is the statement's own. */
function reasonOf(error: unknown): Fallback {
  if (isUnavailable(error) && !isStatementTimeout(error)) return 'unreachable'
  if (isTransient(error)) return 'conflict'
  throw error
}

/**
 * Asked before the statement, so that its rows are at least as new. A server that takes writes has a log of its own, and so
 * has the replica of another one; another database in the same log has other rows.
 */
const freshness = `
  select pg_is_in_recovery() as is_replica, ${databaseIdentity} = $3 as is_same, pg_last_wal_replay_lsn() >= $1::pg_lsn as has_own,
    pg_last_wal_replay_lsn() >= $2::pg_lsn as has_old`

/** The question whether a server is as new as it needs to be, and why it is not: also where it has said nothing. */
function askFreshness(needed: Needed) {
  const heard: { fault: Fallback | undefined; question: Aside } = {
    fault: 'unreachable',
    question: {
      text: freshness,
      values: [needed.own, needed.old, needed.database],
      onAnswer([row]) {
        heard.fault = faultOf(row, needed)
      },
    },
  }
  return heard
}

function faultOf(
  row: Readonly<Record<string, unknown>> | undefined,
  { isOldRecent }: Needed,
): Fallback | undefined {
  if (row?.['is_replica'] !== true) return 'not_replica'
  if (row['is_same'] !== true) return 'not_replica'
  if (row['has_old'] !== true) return isOldRecent ? 'unmeasured' : 'lag'
  return row['has_own'] === true ? undefined : 'position'
}

import { AsyncLocalStorage } from 'node:async_hooks'
import { sql, type Kysely } from 'kysely'
import type { Aside } from './prepared.js'
import type { DB } from './schema.js'
import { countedForNobody } from './shares.js'

/**
 * Why the primary answers a statement in place of the replica: the replica cannot be reached, has cancelled the statement
 * for its replay, lacks a change that the caller must see, is too far behind, or is none, because it takes writes itself;
 * `unmeasured`: how far behind it may be was not known yet.
 */
export const fallbacks = ['unreachable', 'conflict', 'position', 'lag', 'not_replica', 'unmeasured'] as const
export type Fallback = (typeof fallbacks)[number]

/** The reads of one request, which may be answered by the replica. */
export interface Reads {
  readonly accountId: string
  /** Where the log was after the newest change that the caller has told of. */
  readonly seen: string | undefined
  /** Why the primary answers the rest: after its rows, those of a replica would be older. */
  onPrimaryFor: Fallback | undefined
}

/** The changes of one request. */
interface Changes {
  readonly accountId: string
  /** Called after each with the newest position of the account that this process knows. */
  readonly onChange: (position: string) => void
}

const requests = new AsyncLocalStorage<Reads | Changes>()

/** Runs a request that only reads: its lists may come from the replica. All other work reads on the primary. */
export function asReads<Result>(
  { accountId, seen }: Pick<Reads, 'accountId' | 'seen'>,
  work: () => Result,
): Result {
  return requests.run({ accountId, seen, onPrimaryFor: undefined }, work)
}

/** Runs a request that may change something, and reads on the primary. */
export function asChanges<Result>(changes: Changes, work: () => Result): Result {
  return requests.run(changes, work)
}

/** The reads of the request under way; undefined where they must be the primary's. */
export function readsUnderWay(): Reads | undefined {
  const request = requests.getStore()
  return request !== undefined && 'seen' in request ? request : undefined
}

const start = '00000000/00000000'
/** No log gets there, so that only the primary is as new. */
export const furthest = 'FFFFFFFF/FFFFFFFF'

/** A place in the write-ahead log as Postgres writes it, such as `16/B374D848`, with leading zeros: positions compare as texts. */
export function toPosition(lsn: string): string {
  return lsn
    .split('/')
    .map((half) => half.toUpperCase().padStart(8, '0'))
    .join('/')
}

/** Where the log ends, with all commits before. */
const readLog = 'select pg_current_wal_insert_lsn()::text as lsn'

/**
 * An expression that tells databases apart: its server, whose replicas share the identifier, and which of the databases there
 * it is. Everybody may ask for both.
 */
export const databaseIdentity = `((select system_identifier from pg_control_system()) || '/' ||
  (select oid from pg_database where datname = current_database()))`

/** Where the log of a server ends, and with which database it was asked. */
export interface LogEnd {
  readonly position: string
  /** The value of `databaseIdentity`. */
  readonly database: string
}

/** Where the log of the primary ends now. */
export async function readLogEnd(primary: Kysely<DB>): Promise<LogEnd> {
  const { rows } = await sql
    .raw<{ lsn: string; database: string }>(`${readLog}, ${databaseIdentity} as database`)
    .execute(primary)
  const [{ lsn, database } = { lsn: furthest, database: '' }] = rows
  return { position: toPosition(lsn), database }
}

/** What a replica must have replayed for a read: the changes that the caller must see, and all that are not recent. */
export interface Needed {
  /** The database that it must be a replica of: in the log of another server, or for another database, the positions say nothing. */
  readonly database: string
  readonly own: string
  readonly old: string
  /** Whether nothing older is known: a replica without it is not behind for that alone. */
  readonly isOldRecent: boolean
}

/** What one process knows of the log of its primary. */
export interface Positions {
  /** The statement that asks for the position after a change of the request under way; undefined for other work. */
  afterChange(): Aside | undefined
  /** Undefined where it is not known. */
  neededBy(reads: Reads): Needed | undefined
}

interface Sample {
  readonly position: string
  /** By `performance.now()`, before the question was sent: what was committed by then is before the position. */
  readonly at: number
}

/** How often within the lag that is allowed the primary is asked for its position while there are reads. */
const samplesPerLag = 4

/**
 * Keeps where the log of the primary was lately. A replica that has replayed it up to the position of a moment lacks nothing
 * that was committed before that moment, whatever the clocks of both servers say and however idle the primary is.
 *
 * @param maxLagMs How old the rows of the replica may be.
 * @param read Asks the primary where its log ends.
 */
export function openPositions(maxLagMs: number, read: () => Promise<LogEnd>): Positions {
  let samples: readonly (Sample & LogEnd)[] = []
  let isAsking = false
  /** By account, in the order of their times. Older ones than the lag are before each sample. */
  const changes = new Map<string, Sample>()

  async function ask(): Promise<void> {
    isAsking = true
    const at = performance.now()
    try {
      const end = await countedForNobody(read)
      samples = [...samples, { ...end, at }]
    } catch {
      // The reads go to the primary, which says what is wrong with it.
    } finally {
      isAsking = false
    }
  }

  function note(accountId: string, changed: string): string {
    const at = performance.now()
    const position = latest(changes.get(accountId)?.position, changed)
    changes.delete(accountId)
    changes.set(accountId, { position, at })
    for (const [account, change] of changes) {
      if (isRecent(change, at)) break
      changes.delete(account)
    }
    return position
  }

  function isRecent({ at }: Sample, now: number): boolean {
    return now - at <= maxLagMs
  }

  return {
    afterChange() {
      const request = requests.getStore()
      if (request === undefined || !('onChange' in request)) return undefined
      return {
        text: readLog,
        values: [],
        onAnswer([row]) {
          request.onChange(note(request.accountId, toPosition(String(row?.['lsn']))))
        },
      }
    },
    neededBy({ accountId, seen }) {
      const now = performance.now()
      samples = samples.filter((sample) => isRecent(sample, now))
      const newest = samples.at(-1)
      if (!isAsking && (newest === undefined || now - newest.at >= maxLagMs / samplesPerLag)) void ask()
      const [oldest] = samples
      if (oldest === undefined) return undefined
      return {
        database: oldest.database,
        own: latest(seen, changes.get(accountId)?.position),
        old: oldest.position,
        isOldRecent: now - oldest.at < maxLagMs / 2,
      }
    },
  }
}

export function latest(one: string | undefined = start, other: string | undefined = start): string {
  return one > other ? one : other
}

import { CompiledQuery, type Kysely } from 'kysely'
import { RateLimiterMemory, RateLimiterPostgres } from 'rate-limiter-flexible'
import type { DB } from '../../platform/db/schema.js'
import type { PlatformDeps } from '../../platform/deps/deps.js'

/** How many of something there may be in a window of time, which begins with the first. */
export interface Policy {
  readonly name: string
  readonly limit: number
  readonly windowSeconds: number
}

/** How many there are in a window, and how long it is still open. */
export interface Count {
  readonly count: number
  readonly resetSeconds: number
}

/** Counts by key, in the database for all processes. */
export interface Counter {
  /** Counts one more; of many at once, each is told another number. */
  add(key: string): Promise<Count>
  /** Counts one less: what was added turned out to be nothing to count. */
  takeBack(key: string): Promise<void>
  /** Lets nothing more pass for so long, instead of until the window ends. */
  lock(key: string, seconds: number): Promise<void>
  forget(key: string): Promise<void>
}

/**
 * Opens a counter, which tells the metrics of each count above the limit. While the database cannot be asked, each process counts for itself, in its memory and by the clock of
 * the machine.
 */
export function openCounter(
  deps: Pick<PlatformDeps, 'db' | 'now' | 'log' | 'metrics'>,
  { name, limit, windowSeconds }: Policy,
): Counter {
  const policy = { keyPrefix: name, points: limit, duration: windowSeconds }
  const limiter = new RateLimiterPostgres({
    ...policy,
    storeClient: storeOf(deps),
    storeType: 'client',
    tableName: 'rate_limits',
    tableCreated: true,
    clearExpiredByTimeout: false,
    insuranceLimiter: new RateLimiterMemory(policy),
  })
  const hits = deps.metrics.rateLimitHits.labels({ limit: name })
  hits.inc(0)
  return {
    async add(key) {
      // Unlike consume() it tells a count above the limit as it tells any other.
      const { consumedPoints, msBeforeNext } = await limiter.penalty(key)
      if (consumedPoints > limit) hits.inc()
      return { count: consumedPoints, resetSeconds: Math.ceil(msBeforeNext / 1000) }
    },
    async takeBack(key) {
      await limiter.reward(key)
    },
    async lock(key, seconds) {
      await limiter.block(key, seconds)
    },
    async forget(key) {
      await limiter.delete(key)
    },
  }
}

interface Stored {
  readonly points: number
  readonly expire: string
}

/**
 * What the library takes for a client of Postgres: the service's own pool, by the service's own clock. The library reads
 * the clock of the machine, which nobody can set; but it sends what it has read, as the last value of the one statement
 * that has times, and compares with it what that returns. So its times are moved to the service's clock on their way to
 * the database, and back on their way from it.
 */
function storeOf({ db, now, log }: { db: Kysely<DB> } & Pick<PlatformDeps, 'now' | 'log'>) {
  async function run(text: string, values: readonly unknown[]) {
    try {
      return await db.executeQuery<Stored>(CompiledQuery.raw(text, [...values]))
    } catch (error) {
      log.warn({ err: error }, 'limits are counted in memory: the database cannot be asked')
      throw error
    }
  }
  return {
    async query({ text, values }: { text: string; values: readonly (string | number)[] }) {
      const [key, points, expire, libraryNow] = values
      if (typeof expire !== 'number' || typeof libraryNow !== 'number') {
        const { numAffectedRows } = await run(text, values)
        return { rows: [], rowCount: Number(numAffectedRows ?? 0) }
      }
      const aheadMs = now().getTime() - libraryNow
      const { rows } = await run(text, [key, points, expire + aheadMs, libraryNow + aheadMs])
      return { rows: rows.map((row) => ({ points: row.points, expire: Number(row.expire) - aheadMs })) }
    },
  }
}

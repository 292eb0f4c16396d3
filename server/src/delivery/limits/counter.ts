import { CompiledQuery, type Kysely } from 'kysely'
import { RateLimiterMemory, RateLimiterPostgres } from 'rate-limiter-flexible'
import type { DB } from '../../platform/db/schema.js'
import type { PlatformDeps } from '../../platform/deps/deps.js'

/** A limit with its configured value. */
export interface Policy {
  readonly name: string
  readonly most: number
  readonly windowSeconds: number
}

/** Counts by key in the database, for all processes; while it is unreachable, in memory and by the clock of the machine. */
export function openCounter(
  deps: Pick<PlatformDeps, 'db' | 'now' | 'log'>,
  { name, most, windowSeconds }: Policy,
): RateLimiterPostgres {
  const policy = { keyPrefix: name, points: most, duration: windowSeconds }
  return new RateLimiterPostgres({
    ...policy,
    storeClient: storeOf(deps),
    storeType: 'client',
    tableName: 'rate_limits',
    tableCreated: true,
    clearExpiredByTimeout: false,
    insuranceLimiter: new RateLimiterMemory(policy),
  })
}

interface Stored {
  readonly points: number
  readonly expire: string
}

/**
 * Adapts the service's pool and clock to the Postgres client that the library expects. The library reads the machine's
 * clock, which cannot be set. It sends this time as the last parameter of the two statements that have one, to count and to look, and
 * compares it with the returned times. The adapter therefore shifts times to the service's clock in the query, and back in the result.
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
      const [key, ...counted] = values
      const libraryNow = counted.at(-1)
      if (typeof libraryNow !== 'number') {
        const { numAffectedRows } = await run(text, values)
        return { rows: [], rowCount: Number(numAffectedRows ?? 0) }
      }
      const aheadMs = now().getTime() - libraryNow
      // The points of a count come before its times.
      const points = counted.slice(0, -2)
      const times = counted.slice(-2).map((time) => (typeof time === 'number' ? time + aheadMs : time))
      const { rows } = await run(text, [key, ...points, ...times])
      const shifted = rows.map((row) => ({ points: row.points, expire: Number(row.expire) - aheadMs }))
      return { rows: shifted, rowCount: rows.length }
    },
  }
}

import { promptDb } from '../platform/db/connect.js'
import { pendingMigrations } from '../platform/db/migrate.js'
import type { OpenDeps } from '../delivery/deps.js'
import type { WhyWaiting } from './http/health.js'

/** In ms. How often the database is asked whether it has the migrations by now. */
const lookAgainMs = 1_000

/**
 * For a process that has been started before the migrations of its version: probes and requests have it look whether they are
 * there, once a second at most, and begin its work then. Of a process that has begun nothing is asked.
 *
 * @param begin What the start has left out for want of tables.
 */
export function untilMigrated(
  { db, log, pendingMigrations: lacking }: Pick<OpenDeps, 'db' | 'log' | 'pendingMigrations'>,
  begin: () => Promise<void>,
): WhyWaiting {
  let reason = reasonOf(lacking)
  let lookedAt = Number.NEGATIVE_INFINITY
  let underWay: Promise<string | undefined> | undefined
  return () => {
    if (reason === undefined) return undefined
    underWay ??= look().finally(() => (underWay = undefined))
    return underWay
  }

  async function look(): Promise<string | undefined> {
    if (performance.now() - lookedAt < lookAgainMs) return reason
    try {
      const pending = await pendingMigrations(promptDb(db))
      if (pending.length === 0) {
        await begin()
        log.info('the database has every migration: the process takes part')
      }
      reason = reasonOf(pending)
    } catch (error) {
      log.error({ err: error }, 'the process cannot begin')
      reason = 'the process cannot begin: see its log'
    }
    lookedAt = performance.now()
    return reason
  }
}

function reasonOf({ length }: readonly string[]): string | undefined {
  return length === 0 ? undefined : `${length} pending migrations: run portico migrate`
}

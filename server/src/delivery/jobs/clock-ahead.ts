import { sql, type Kysely } from 'kysely'
import type { DB } from '../../platform/db/schema.js'

/** The clocks of processes differ by less. */
const aheadMs = 60_000

/**
 * Brings jobs and deliveries back that a clock far ahead has written: by another clock, they would wait for as long as it
 * was ahead. Jobs keep the time that they wait from when they were made or given back; a delivery that was never tried is due.
 */
export async function bringBackFromAhead(db: Kysely<DB>, at: Date): Promise<void> {
  const ahead = new Date(at.getTime() + aheadMs)
  await sql`
    update jobs
    set run_at = run_at - (coalesce(returned_at, inserted_at) - ${at}),
      inserted_at = least(inserted_at, ${at}), returned_at = least(returned_at, ${at})
    where coalesce(returned_at, inserted_at) > ${ahead} and lease is null and run_at <> 'infinity'`.execute(
    db,
  )
  // Of each webhook the earliest tells, which is what the index has; what is behind it follows when that has been sent.
  await sql`
    with recursive earliest as (
      (
        select webhook_id, run_at from webhook_deliveries
        where state = 'pending' order by webhook_id, run_at limit 1
      )
      union all
      select next.webhook_id, next.run_at from earliest cross join lateral (
        select webhook_id, run_at from webhook_deliveries
        where state = 'pending' and webhook_id > earliest.webhook_id
        order by webhook_id, run_at limit 1
      ) next
    )
    update webhook_deliveries set run_at = ${at}
    where state = 'pending' and attempt = 0 and run_at > ${ahead}
      and webhook_id = any(array(select webhook_id from earliest where run_at > ${ahead}))`.execute(db)
}

import { sql, type Kysely } from 'kysely'
import { later } from '../../platform/db/later.js'
import type { DB } from '../../platform/db/schema.js'

/** Clocks of correctly configured processes differ by less. */
const aheadMs = 60_000

/**
 * Reschedules jobs and deliveries whose times were written by a clock far ahead: otherwise they wait for as long as it was
 * ahead. Jobs keep their delay, counted from their creation or their last return; a delivery without an attempt becomes due.
 * What is leased waits for one lease more: a process that is alive extends it or ends its attempt by then.
 */
export async function rescheduleAheadOfClock(db: Kysely<DB>, at: Date, leaseMs: number): Promise<void> {
  const ahead = new Date(at.getTime() + aheadMs)
  const leasedAhead = new Date(at.getTime() + leaseMs + aheadMs)
  const leaseUntil = new Date(at.getTime() + leaseMs)
  await sql`
    update jobs
    set run_at = ${later(sql`run_at`, sql`(${at}::timestamptz - coalesce(returned_at, inserted_at))`)},
      inserted_at = least(inserted_at, ${at}), returned_at = least(returned_at, ${at})
    where coalesce(returned_at, inserted_at) > ${ahead} and lease is null and run_at <> 'infinity'`.execute(
    db,
  )
  await sql`
    update jobs set run_at = ${leaseUntil}
    where lease is not null and run_at > ${leasedAhead} and run_at <> 'infinity'`.execute(db)
  // Only the earliest delivery of each webhook, by its index; the next one follows once that has been sent.
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
    update webhook_deliveries set run_at = case when attempt = 0 then ${at}::timestamptz else ${leaseUntil} end
    where state = 'pending' and run_at > ${ahead} and (attempt = 0 or lease is not null and run_at > ${leasedAhead})
      and webhook_id = any(array(select webhook_id from earliest where run_at > ${ahead}))`.execute(db)
}

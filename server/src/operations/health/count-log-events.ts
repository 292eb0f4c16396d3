import { sql } from 'kysely'
import type { Deps } from '../../delivery/deps.js'

const hourMs = 60 * 60 * 1000
/** What was not counted in this time never is: the statement must end soon also after a long pause of the workers. */
const longestPauseMs = 48 * hourMs

/**
 * Counts the log events of the current hour and the previous one again, and of the hours since the last count: of every account,
 * environment and code.
 */
export async function countLogEvents({ db, now }: Pick<Deps, 'db' | 'now'>): Promise<void> {
  const at = now().getTime()
  const previous = new Date(Math.floor(at / hourMs - 1) * hourMs)
  const earliest = new Date(previous.getTime() - longestPauseMs)
  // With both bounds the planner takes the index, whatever it knows of the parameters.
  await sql`
    insert into log_event_counts (account_id, environment, hour, event_code, n)
    select account_id, environment, date_trunc('hour', inserted_at at time zone 'UTC') at time zone 'UTC' as hour, event_code, count(*)
    from log_events
    where environment is not null
      and inserted_at >= (
        select greatest(least(max(hour), ${previous}::timestamptz), ${earliest}::timestamptz) from log_event_counts
      )
      and inserted_at < ${new Date(at + hourMs)}::timestamptz
    group by account_id, environment, hour, event_code
    order by account_id, environment, hour, event_code
    on conflict (account_id, environment, hour, event_code) do update set n = excluded.n
    where log_event_counts.n <> excluded.n`.execute(db)
}

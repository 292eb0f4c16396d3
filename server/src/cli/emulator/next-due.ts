import { sql } from 'kysely'
import type { Deps } from '../../delivery/deps.js'

/**
 * When the next message, delivery or other awaited work comes due; undefined when nothing does until then. Recurring
 * jobs are excluded: they run whenever the clock stops for another reason.
 */
export async function findNextDue(
  { db }: Pick<Deps, 'db'>,
  { after, until }: { readonly after: Date; readonly until: Date },
): Promise<Date | undefined> {
  const { rows } = await sql<{ run_at: Date | null }>`
    select min(run_at) as run_at from (
      select min(run_at) as run_at from jobs
      where run_at > ${after} and run_at <= ${until} and key is distinct from 'recurring'
      union all
      select min(run_at) from webhook_deliveries
      where state = 'pending' and run_at > ${after} and run_at <= ${until}
    ) as due`.execute(db)
  return rows[0]?.run_at ?? undefined
}

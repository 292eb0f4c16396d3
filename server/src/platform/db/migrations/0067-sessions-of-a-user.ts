import { sql, type Kysely } from 'kysely'
import { findIsInCluster } from '../cluster.js'

/**
 * A user may have many sessions, though most have one or two. Otherwise the planner takes the index of a user's sessions for as good
 * as the key of a session, where a statement names both. It counts from the next analyze on. A cluster has no settings of columns.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  if (await findIsInCluster(db)) return
  await sql`alter table sessions alter user_id set (n_distinct = -0.02)`.execute(db)
}

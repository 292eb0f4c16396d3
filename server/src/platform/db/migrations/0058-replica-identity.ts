import { sql, type Kysely } from 'kysely'

/**
 * Rows of totals have no key, so that logical replication compares them whole. Without it their updates and deletions fail where
 * the table is published, as for a change to another version of Postgres.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table record_counts replica identity full`.execute(db)
}

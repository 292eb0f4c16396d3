import { sql, type Kysely } from 'kysely'

/** When a job was last given back to run again: by it, a wait that a clock far ahead began is told from a long one. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table jobs add column returned_at timestamptz(3)`.execute(db)
}

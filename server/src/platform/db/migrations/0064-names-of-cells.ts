import { sql, type Kysely } from 'kysely'

/** Where accounts are in several databases, the first of them has the names of all: those of another one name it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table slugs add column cell text`.execute(db)
}

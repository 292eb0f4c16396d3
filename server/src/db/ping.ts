import { sql, type Kysely } from 'kysely'
import type { DB } from './schema.js'

/** Asks the database for an answer. */
export async function ping(db: Kysely<DB>): Promise<void> {
  await sql`select 1`.execute(db)
}

import { sql, type Kysely } from 'kysely'
import type { DB } from './schema.js'

/** Queries the database, and reports whether it refuses writes, as a replica does. */
export async function ping(db: Kysely<DB>): Promise<{ isReadOnly: boolean }> {
  const { rows } = await sql<{ isReadOnly: boolean }>`
    select current_setting('transaction_read_only') = 'on' as "isReadOnly"`.execute(db)
  return { isReadOnly: rows[0]?.isReadOnly ?? false }
}

/** Commits a transaction without changes, which waits for the write-ahead log and synchronous standbys. */
export async function pingByCommit(db: Kysely<DB>): Promise<void> {
  await sql`select pg_logical_emit_message(true, 'portico', 'ready')`.execute(db)
}

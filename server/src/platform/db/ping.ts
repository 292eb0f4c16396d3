import { sql, type Kysely } from 'kysely'
import type { DB } from './schema.js'

/** Reads a table of the database, and reports whether it refuses writes, as a replica does. */
export async function ping(db: Kysely<DB>): Promise<{ isReadOnly: boolean }> {
  // In a cluster the tables are on another server than that which answers. A setting read beside them would be that one's.
  await sql`select 1 from kysely_migration limit 1`.execute(db)
  const { rows } = await sql<{ isReadOnly: boolean }>`
    select current_setting('transaction_read_only') = 'on' as "isReadOnly"`.execute(db)
  return { isReadOnly: rows[0]?.isReadOnly ?? false }
}

/** Commits a transaction without changes, which waits for the write-ahead log and synchronous standbys. */
export async function pingByCommit(db: Kysely<DB>): Promise<void> {
  await sql`select pg_logical_emit_message(true, 'portico', 'ready')`.execute(db)
}

import { sql, type QueryExecutorProvider } from 'kysely'
import type { ConcurrentIndex } from './schema-migration.js'

/**
 * Builds an index while others read and write its table. An index that is there already is kept; what an interrupted build
 * has left is removed first.
 *
 * @param db Not a transaction, which Postgres refuses.
 */
export async function buildIndex(db: QueryExecutorProvider, index: ConcurrentIndex): Promise<void> {
  const { name, isUnique, table, of } = index
  const { rows } = await sql<{ isValid: boolean }>`
    select indisvalid as "isValid" from pg_index where indexrelid = to_regclass(${name})`.execute(db)
  if (rows[0]?.isValid === true) return
  if (rows.length > 0) await sql`drop index concurrently ${sql.ref(name)}`.execute(db)
  await sql`
    create ${sql.raw(isUnique ? 'unique' : '')} index concurrently ${sql.ref(name)}
    on ${sql.table(table)} ${sql.raw(of)}`.execute(db)
}

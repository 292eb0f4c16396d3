import { sql, type Kysely } from 'kysely'

/**
 * Statistics of tenants, now for every table: one tenant may be all of it. Otherwise the planner multiplies the
 * selectivities of account and organization, expects less than one row, and takes any index that begins with the tenant
 * for as good as the key of the row. (The statistics themselves are made by seedStatistics().)
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ table: string; column: string }>`
    select relname as "table", attname as "column"
    from pg_attribute join pg_class on pg_class.oid = attrelid
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and relpersistence = 'p'
      and not attisdropped and attname in (
        'account_id', 'environment', 'organization_id', 'directory_id', 'connection_id', 'webhook_id'
      )`.execute(db)
  for (const { table, column } of rows)
    await sql`alter table ${sql.table(table)} alter ${sql.ref(column)} set (n_distinct = 1)`.execute(db)
}

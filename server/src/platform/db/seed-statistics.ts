import { sql, type Kysely, type QueryExecutorProvider, type Transaction } from 'kysely'
import { findIsInCluster } from './cluster.js'

/** Temporary rows that give a table statistics. */
const seeds = 25

/** The columns that name a row's tenant, of the service's customers and of theirs. */
const tenantColumns = [
  'account_id',
  'environment',
  'organization_id',
  'directory_id',
  'connection_id',
  'webhook_id',
]

/**
 * Gives the planner statistics of every table's tenants: their columns have `n_distinct`, which takes effect when the
 * table is analyzed, but not while it is empty. In a database without accounts, an empty table therefore gets rows
 * temporarily. Otherwise a first directory synchronization would read all of it for each user until autovacuum ran.
 *
 * In a database with accounts nothing but the table itself is locked: foreign keys, which the temporary rows do not
 * satisfy, are dropped under locks of the tables that they refer to, and those are busy with requests. There, autovacuum
 * analyzes a new table within a minute of its first 50 rows. It does so in a cluster, too, which refuses the settings of a column.
 */
export async function seedStatistics<T>(db: Kysely<T>): Promise<void> {
  if (await findIsInCluster(db)) return
  const { rows: tables } = await sql<SeededTable>`
    select relname as name, array_agg(attname::text) as columns, (
      select inhparent::regclass::text from pg_inherits where inhrelid = pg_class.oid
    ) as parent, pg_get_expr(relpartbound, pg_class.oid) as bounds
    from pg_attribute join pg_class on pg_class.oid = attrelid
    where relnamespace = current_schema()::regnamespace and relkind = 'r'
      and not attisdropped and (attname = any(${tenantColumns}) or attname = 'deleted_at')
      and not exists (
        select from pg_stats
        where schemaname = current_schema() and tablename = relname and pg_stats.attname = pg_attribute.attname
      )
    group by pg_class.oid
    order by relname`.execute(db)
  const isInUse = await hasRows(db, 'accounts')
  for (const table of tables)
    await db
      .transaction()
      .execute((trx) => (isInUse ? analyzeTenants(trx, table.name, table.columns) : seedTable(trx, table)))
}

interface SeededTable {
  readonly name: string
  readonly columns: readonly string[]
  /** The table that it is a partition of, and its bounds. */
  readonly parent: string | null
  readonly bounds: string | null
}

/** The same for a table whose constraints are not there yet. */
export async function seedColumns(
  db: QueryExecutorProvider,
  table: string,
  columns: readonly string[],
): Promise<void> {
  if (await findIsInCluster(db)) return
  const { rows: needed } = await sql<{ name: string; type: string }>`
    select attname as name, format_type(atttypid, null) as type
    from pg_attribute
    where attrelid = ${table}::regclass and attnum > 0 and not attisdropped and attidentity = ''
      and attgenerated = '' and (attnotnull or attname = any(${tenantColumns}))`.execute(db)
  const names = sql.join(needed.map(({ name }) => sql.ref(name)))
  const values = sql.join(needed.map(({ type }) => valueOf(type)))
  await sql`
    insert into ${sql.table(table)} (${names}) select ${values} from generate_series(1, ${seeds}) n`.execute(
    db,
  )
  await analyzeTenants(db, table, columns)
  await sql`delete from ${sql.table(table)}`.execute(db)
}

async function seedTable<T>(
  trx: Transaction<T>,
  { name, columns, parent, bounds }: SeededTable,
): Promise<void> {
  const table = sql.table(name)
  const isUsed = await hasRows(trx, name)
  if (!isUsed) await sql`lock table ${table} in access exclusive mode`.execute(trx)
  // Others may have written rows before the lock, and all rows are deleted below.
  if (isUsed || (await hasRows(trx, name))) {
    await analyzeTenants(trx, name, columns)
    return
  }
  // A partition's constraints come from its parent.
  if (parent !== null) await sql`alter table ${sql.table(parent)} detach partition ${table}`.execute(trx)
  const { rows: constraints } = await sql<{ name: string; definition: string }>`
    select conname as name, pg_get_constraintdef(oid) as definition
    from pg_constraint where conrelid = ${name}::regclass and contype in ('c', 'f')`.execute(trx)
  await sql`alter table ${table} disable trigger user`.execute(trx)
  for (const constraint of constraints)
    await sql`alter table ${table} drop constraint ${sql.ref(constraint.name)}`.execute(trx)
  await seedColumns(trx, name, columns)
  for (const constraint of constraints)
    await sql`
      alter table ${table} add constraint ${sql.ref(constraint.name)} ${sql.raw(constraint.definition)}`.execute(
      trx,
    )
  await sql`alter table ${table} enable trigger user`.execute(trx)
  if (parent !== null)
    await sql`alter table ${sql.table(parent)} attach partition ${table} ${sql.raw(bounds ?? '')}`.execute(
      trx,
    )
}

async function hasRows(db: QueryExecutorProvider, table: string): Promise<boolean> {
  const { rows } = await sql`select from ${sql.table(table)} limit 1`.execute(db)
  return rows.length > 0
}

async function analyzeTenants(
  db: QueryExecutorProvider,
  name: string,
  columns: readonly string[],
): Promise<void> {
  const table = sql.table(name)
  for (const column of columns.filter((each) => tenantColumns.includes(each)))
    await sql`alter table ${table} alter ${sql.ref(column)} set (n_distinct = 1)`.execute(db)
  const list = sql.join(columns.map((column) => sql.ref(column)))
  await sql`analyze ${table} (${list})`.execute(db)
}

/** A value of a type, in SQL, distinct for each n. */
function valueOf(type: string) {
  switch (type) {
    case 'uuid':
      return sql`gen_random_uuid()`
    case 'text':
      return sql`n::text`
    case 'bytea':
      return sql`sha256(n::text::bytea)`
    case 'boolean':
      return sql`false`
    case 'json':
    case 'jsonb':
      return sql`${sql.raw(`'{}'::${type}`)}`
    case 'smallint':
    case 'integer':
    case 'bigint':
      return sql`n`
    default:
      if (type.startsWith('timestamp')) return sql`'2000-01-01'::timestamptz`
      if (type.endsWith('[]')) return sql`${sql.raw(`'{}'::${type}`)}`
      throw new Error(`no value of type ${type} is known`)
  }
}

import { sql, type QueryExecutorProvider } from 'kysely'

export interface Table {
  readonly name: string
  /** Without those that the database computes. */
  readonly columns: readonly string[]
  /** Those of the columns that hold bytes: hashes and sealed values. */
  readonly binaryColumns: readonly string[]
  /** By the statistics; -1 before the first ones. */
  readonly estimatedRows: number
}

/** Counters of attempts, which no backup has: unlogged, and logged where a cluster moves its tables. */
const countersOnly = 'rate_limits'

/**
 * The service's tables, each after those it refers to; without the migrator's own and without rate_limits. A partitioned table
 * is listed once.
 */
export async function listTables(db: QueryExecutorProvider): Promise<Table[]> {
  const { rows } = await sql<Table & { parents: string[] }>`
    select
      c.relname as name,
      case
        when c.relkind = 'r' then c.reltuples
        else (
          select sum(greatest(reltuples, 0)) from pg_partition_tree(c.oid) part
          join pg_class on pg_class.oid = part.relid where part.isleaf
        )
      end::float8 as "estimatedRows",
      array(
        select attname::text from pg_attribute
        where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = ''
        order by attnum
      ) as columns,
      array(
        select attname::text from pg_attribute
        where attrelid = c.oid and attnum > 0 and not attisdropped and atttypid = 'bytea'::regtype
        order by attnum
      ) as "binaryColumns",
      array(
        select parent.relname::text from pg_constraint
        join pg_class parent on parent.oid = confrelid
        where conrelid = c.oid and contype = 'f' and confrelid <> c.oid
      ) as parents
    from pg_class c
    where c.relnamespace = current_schema()::regnamespace
      and c.relkind in ('r', 'p') and not c.relispartition and c.relname <> ${countersOnly}
      and c.relname not like 'kysely\_%'
    order by c.relname`.execute(db)
  return parentsFirst(rows)
}

function parentsFirst(tables: readonly (Table & { parents: string[] })[]): Table[] {
  const sorted: Table[] = []
  const isPlaced = (name: string) => sorted.some((table) => table.name === name)
  let rest = tables
  while (rest.length > 0) {
    const next = rest.filter(({ parents }) => parents.every(isPlaced))
    if (next.length === 0)
      throw new Error(`tables refer to each other in a circle: ${rest.map(({ name }) => name).join(', ')}`)
    sorted.push(...next.map(({ parents: _parents, ...table }) => table))
    rest = rest.filter((table) => !next.includes(table))
  }
  return sorted
}

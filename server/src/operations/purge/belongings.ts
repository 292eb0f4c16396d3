import { sql, type Kysely, type RawBuilder } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import type { Table } from '../../platform/db/tables.js'

/** A table without users, whose rows are deleted with those of a table with users, by a foreign key. */
export interface DependentTable {
  readonly table: Table
  readonly owner: string
  readonly columns: readonly string[]
  readonly ownerColumns: readonly string[]
}

/**
 * The tables whose rows belong to rows of these, directly or through others, such as an event's deliveries; each after
 * its owner. The database erases their rows with the owner's.
 *
 * @param tables Each after those it refers to.
 */
export async function dependentTablesOf(
  db: Kysely<DB>,
  tables: readonly Table[],
  owners: readonly string[],
): Promise<DependentTable[]> {
  const { rows: keys } = await sql<Omit<DependentTable, 'table'> & { name: string }>`
    select child.relname as name, parent.relname as owner, (
      select array_agg(attname::text order by place)
      from unnest(conkey) with ordinality as key (number, place)
      join pg_attribute on attrelid = conrelid and attnum = number
    ) as columns, (
      select array_agg(attname::text order by place)
      from unnest(confkey) with ordinality as key (number, place)
      join pg_attribute on attrelid = confrelid and attnum = number
    ) as "ownerColumns"
    from pg_constraint
    join pg_class child on child.oid = conrelid
    join pg_class parent on parent.oid = confrelid
    where contype = 'f' and confdeltype = 'c' and connamespace = current_schema()::regnamespace
    order by conname`.execute(db)
  const belongings: DependentTable[] = []
  const owning = new Set(owners)
  for (const table of tables) {
    const key = keys.find(({ name, owner }) => name === table.name && owning.has(owner))
    if (key === undefined || owning.has(table.name)) continue
    const { owner, columns, ownerColumns } = key
    belongings.push({ table, owner, columns, ownerColumns })
    owning.add(table.name)
  }
  return belongings
}

/** The rows that belong to those of the owner that meet a condition. */
export function isDependentRow(
  { owner, columns, ownerColumns }: DependentTable,
  condition: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const list = (names: readonly string[]) => sql.join(names.map((name) => sql.ref(name)))
  return sql`(${list(columns)}) in (select ${list(ownerColumns)} from ${sql.table(owner)} where ${condition})`
}

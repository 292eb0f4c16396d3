import { sql, type Insertable, type QueryCreator, type RawBuilder } from 'kysely'
import type { DB } from './schema.js'

/**
 * Inserts a row where a condition holds, in the same statement, so that nothing can come between the two.
 *
 * @returns A query that yields no row when the condition does not hold.
 */
export function insertWhere<Table extends keyof DB>(
  db: QueryCreator<DB>,
  table: Table,
  row: InsertedRow<Table>,
  condition: RawBuilder<boolean>,
) {
  return insertFrom(db, table, row, sql`where ${condition}`)
}

/**
 * Inserts a row with values that are found by a query, such as organizationIdOf(). It is a select, because a cluster takes no
 * query in `values`.
 */
export function insertFound<Table extends keyof DB>(
  db: QueryCreator<DB>,
  table: Table,
  row: WholeRow<Table>,
) {
  return insertFrom(db, table, row, sql``)
}

/** Values of a row, or parts of SQL that yield them. */
type WholeRow<Table extends keyof DB> = {
  [Column in keyof Insertable<DB[Table]>]: Insertable<DB[Table]>[Column] | RawBuilder<unknown>
}

type InsertedRow<Table extends keyof DB> = Partial<WholeRow<Table>>

/** Inserts rows that are made of those of a `from` or of its condition. */
export function insertFrom<Table extends keyof DB>(
  db: QueryCreator<DB>,
  table: Table,
  row: InsertedRow<Table>,
  source: RawBuilder<unknown>,
) {
  // A column without a value has its default, as in values().
  const isGiven = (column: string) => row[column as keyof typeof row] !== undefined
  const columns = Object.keys(row).filter(isGiven) as (keyof DB[Table] & string)[]
  const values = columns.map((column) => sql`${row[column as keyof typeof row]}`)
  return db
    .insertInto(table)
    .columns(columns)
    .expression(sql<never>`(select ${sql.join(values)} ${source})`)
}

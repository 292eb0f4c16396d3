import { sql, type Insertable, type Kysely, type RawBuilder } from 'kysely'
import type { DB } from './schema.js'

/**
 * Inserts a row where a condition holds, in the same statement, so that nothing can come between the two.
 *
 * @returns A query that yields no row when the condition does not hold.
 */
export function insertWhere<Table extends keyof DB>(
  db: Kysely<DB>,
  table: Table,
  row: { [Column in keyof Insertable<DB[Table]>]?: Insertable<DB[Table]>[Column] | RawBuilder<string> },
  condition: RawBuilder<boolean>,
) {
  const columns = Object.keys(row) as (keyof DB[Table] & string)[]
  const values = columns.map((column) => sql`${row[column as keyof typeof row]}`)
  return db
    .insertInto(table)
    .columns(columns)
    .expression(sql<never>`(select ${sql.join(values)} where ${condition})`)
}

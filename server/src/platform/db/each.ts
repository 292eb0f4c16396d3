import { sql, type RawBuilder, type SelectQueryBuilder } from 'kysely'
import type { DB } from './schema.js'

/**
 * The rows of a list, each looked up separately. For `id = any(…)` the planner assumes a tenant of average size and may
 * read all of its rows instead of looking up many; `offset 0` keeps it from flattening the subquery.
 *
 * @param list SQL of the relation with the lookup columns, under the name `list`.
 * @param columns The lookup columns, named as in the list: the key, and the known columns that an index has together
 *   with it, so that Postgres reads one entry of whichever index it takes.
 */
export function eachOf<Database extends DB, Table extends keyof Database, Row>(
  list: RawBuilder<unknown>,
  columns: Readonly<Record<string, RawBuilder<unknown>>>,
  rows: SelectQueryBuilder<Database, Table, Row>,
): RawBuilder<Row> {
  const row = Object.entries(columns).reduce(
    (each, [name, column]) => each.where(sql<boolean>`${column} = ${sql.ref(`list.${name}`)}`),
    rows,
  )
  return sql<Row>`select found.* from ${list} cross join lateral (${row} offset 0) found`
}

import { sql, type RawBuilder, type SelectQueryBuilder } from 'kysely'
import type { DB } from './schema.js'

/**
 * The rows of a list, each found by itself. For `id = any(…)` Postgres thinks of a tenant of usual size, and reads all of
 * its rows where that seems less than to look so many up; `offset 0` keeps it from seeing through this.
 *
 * @param list SQL of what has the columns to find a row by, under the name `list`.
 * @param columns What a row is found by, under the names that it has in the list: its key, and what else is known of it
 *   that is in an index with the key, so that whichever Postgres takes, it reads one place of it.
 */
export function eachOf<Table extends keyof DB, Row>(
  list: RawBuilder<unknown>,
  columns: Readonly<Record<string, RawBuilder<unknown>>>,
  rows: SelectQueryBuilder<DB, Table, Row>,
): RawBuilder<Row> {
  const row = Object.entries(columns).reduce(
    (each, [name, column]) => each.where(sql<boolean>`${column} = ${sql.ref(`list.${name}`)}`),
    rows,
  )
  return sql<Row>`select found.* from ${list} cross join lateral (${row} offset 0) found`
}

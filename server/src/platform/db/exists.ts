import { sql, type RawBuilder } from 'kysely'

/**
 * Whether a query about a row of the statement finds something. Postgres may answer an `exists` from one reading of the whole table,
 * every tenant's rows, and does so even where such readings are disabled; `offset 0` has it look each one up by the index.
 */
export function existsFor(query: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`exists (${query} offset 0)`
}

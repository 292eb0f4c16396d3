import { sql, type RawBuilder } from 'kysely'

/** What the account of a row calls its product; null: as the operator calls the service. */
export function productNameOf(table: string): RawBuilder<string | null> {
  return sql`(select accounts.product_name from accounts where accounts.id = ${sql.ref(`${table}.account_id`)})`
}

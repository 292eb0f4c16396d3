import { readFileSync } from 'node:fs'
import { URL } from 'node:url'

/** The tenant tables: those with a column for the account in the schema generated from the database. */
export function tenantTables() {
  return new Set(tenantColumns().keys())
}

/** The columns of each that say whose a row is, by the schema that is generated from the database. */
export function tenantColumns() {
  const schema = readFileSync(new URL('../server/src/platform/db/schema.ts', import.meta.url), 'utf8')
  const [, ofDatabase = ''] = /^export interface DB \{(.*?)^\}/ms.exec(schema) ?? []
  const columns = new Map(
    [...schema.matchAll(/^export interface (\w+) \{(.*?)^\}/gms)].map(([, name, members = '']) => [
      name,
      ['account_id', 'environment'].filter((column) => members.includes(`\n  ${column}:`)),
    ]),
  )
  return new Map(
    [...ofDatabase.matchAll(/^ {2}(\w+): (\w+);/gm)].flatMap(([, table = '', row]) => {
      const named = columns.get(row) ?? []
      return named.includes('account_id') ? [[table, named]] : []
    }),
  )
}

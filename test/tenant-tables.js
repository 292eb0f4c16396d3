import { readFileSync } from 'node:fs'
import { URL } from 'node:url'

/** The tenant tables: those with a column for the account in the schema generated from the database. */
export function tenantTables() {
  const schema = readFileSync(new URL('../server/src/platform/db/schema.ts', import.meta.url), 'utf8')
  const [, ofDatabase = ''] = /^export interface DB \{(.*?)^\}/ms.exec(schema) ?? []
  const naming = new Set(
    [...schema.matchAll(/^export interface (\w+) \{(.*?)^\}/gms)].flatMap(([, name, columns = '']) =>
      /^ {2}account_id:/m.test(columns) ? [name] : [],
    ),
  )
  return new Set(
    [...ofDatabase.matchAll(/^ {2}(\w+): (\w+);/gm)].flatMap(([, table = '', row]) =>
      naming.has(row) ? [table] : [],
    ),
  )
}

import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import type { Service } from '../given/harness.js'

/** A snapshot of every row of a database. */
export interface StoredText {
  /** The tables with a row that contains all of these texts, case-insensitive, also in binary columns. */
  tablesWith(...texts: string[]): string[]
}

/** Reads the whole database once to search for many texts, because searching each table for each text takes minutes. */
export async function storedText(service: Service): Promise<StoredText> {
  const tables = await rowsOfTables(service)
  return {
    tablesWith: (...texts) => {
      const forms = texts.map((text) => [text.toLowerCase(), Buffer.from(text).toString('hex')])
      const holds = (row: string) => forms.every((either) => either.some((form) => row.includes(form)))
      return tables.flatMap(({ name, rows }) => (rows.some(holds) ? [name] : []))
    },
  }
}

/** The tables with a row that contains all of these texts, case-insensitive, also in binary columns. */
export async function tablesWith(service: Service, ...texts: string[]): Promise<string[]> {
  return (await storedText(service)).tablesWith(...texts)
}

/** Every table in alphabetical order, with the text of each row in lower case. */
async function rowsOfTables(service: Service): Promise<{ name: string; rows: readonly string[] }[]> {
  const names = await service.query<{ name: string }>(
    `select quote_ident(relname) as name from pg_class where relnamespace = current_schema()::regnamespace
     and relkind in ('r', 'p') and not relispartition order by 1`,
  )
  const tables = names.map(({ name }) => ({ name, rows: [] as string[] }))
  const parts = names.map(({ name }, place) => `select ${place} as place, t::text as text from ${name} t`)
  const found = await service.query<{ place: number; text: string }>(parts.join(' union all '))
  for (const { place, text } of found) tables[place]?.rows.push(text.toLowerCase())
  return tables
}

/** The content of a backup in lower case. */
export function textOfBackup(path: string): string {
  return gunzipSync(readFileSync(path)).toString('utf8').toLowerCase()
}

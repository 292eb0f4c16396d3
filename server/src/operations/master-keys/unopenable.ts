import { sql, type Kysely } from 'kysely'
import { open, SealError, type MasterKeys } from '../../platform/crypto/seal.js'
import type { DB } from '../../platform/db/schema.js'
import { namingOf, sealedColumns, type SealedColumn } from './rewrap.js'

/** A column with values that do not open. */
interface Unopenable {
  readonly table: string
  readonly column: string
  readonly count: number
  /** The key of the first of these records. */
  readonly first: Readonly<Record<string, string>>
}

/** How many values of each column are tried. */
const sampleSize = 1_000

/** The columns with values that were altered, cut or moved, going by the first 1,000 of each. */
export async function findUnopenable(db: Kysely<DB>, master: MasterKeys): Promise<Unopenable[]> {
  const found: Unopenable[] = []
  for (const sealed of sealedColumns) {
    const [first, ...others] = await unopenableIn(db, sealed, master)
    if (first !== undefined)
      found.push({ table: sealed.table, column: sealed.column, count: 1 + others.length, first })
  }
  return found
}

async function unopenableIn(
  db: Kysely<DB>,
  sealed: SealedColumn,
  master: MasterKeys,
): Promise<Readonly<Record<string, string>>[]> {
  const { table, column, contextOf } = sealed
  const { rows } = await sql<{ sealed: Buffer; naming: Record<string, string> }>`
    select ${sql.ref(column)} as sealed, ${namingOf(sealed)} as naming
    from ${sql.table(table)} where ${sql.ref(column)} is not null limit ${sampleSize}`.execute(db)
  const isShut = (row: (typeof rows)[number]) => {
    try {
      open(
        master,
        contextOf((name) => row.naming[name] ?? ''),
        row.sealed,
      )
      return false
    } catch (error) {
      // A missing master key is reported once for all values.
      if (error instanceof SealError) return error.reason !== 'unknown_key'
      throw error
    }
  }
  return rows.filter(isShut).map((row) => row.naming)
}

import type { Kysely } from 'kysely'

/** What a file of migrations/ exports. */
export interface SchemaMigration {
  /** Its statements, in one transaction, whose locks are held until its end. */
  readonly up: (db: Kysely<unknown>) => Promise<void>
  /** Indexes of tables that may be large. They are built before the transaction, while the service reads and writes. */
  readonly indexes?: readonly ConcurrentIndex[]
}

export interface ConcurrentIndex {
  readonly name: string
  readonly isUnique: boolean
  readonly table: string
  /** The columns in parentheses, and the condition of a partial index. */
  readonly of: string
}

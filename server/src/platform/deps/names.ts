import type { Kysely } from 'kysely'
import type { DB } from '../db/schema.js'

/**
 * The names of accounts and organizations where accounts are in several databases. The first database has all of them, so that its
 * key decides who gets a name.
 */
export interface Names {
  /** The first database. */
  readonly db: Kysely<DB>
  /**
   * Reserves a name for this database, before the transaction that uses it. A transaction that fails leaves it reserved: this
   * database takes it the next time, and no other.
   *
   * @returns False where the first database has it, or another one.
   */
  reserve(slug: string, at: Date): Promise<boolean>
}

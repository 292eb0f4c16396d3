import { sql, type Kysely } from 'kysely'
import type { ConcurrentIndex } from '../schema-migration.js'

export const indexes: readonly ConcurrentIndex[] = [
  {
    // By bytes, whatever the collation of the database: such an index finds beginnings as well as whole addresses, so that
    // no other one is needed.
    name: 'users_email_key_by_bytes',
    isUnique: true,
    table: 'users',
    of: `(account_id, environment, organization_id, email_normalized text_pattern_ops) where deleted_at is null`,
  },
  {
    name: 'applications_account',
    isUnique: false,
    table: 'applications',
    of: '(account_id, environment, inserted_at desc, id desc) where deleted_at is null',
  },
  {
    name: 'applications_updated',
    isUnique: false,
    table: 'applications',
    of: '(account_id, environment, updated_at, id) where deleted_at is null',
  },
]

/** Users are filtered by the beginning of their address, and applications listed by account. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // The new index is complete by now, so an address is never without one. While both are there, Postgres names the older
  // one of an address that is taken, by which processes of the release before know it.
  await sql`drop index users_email_key`.execute(db)
  await sql`alter index users_email_key_by_bytes rename to users_email_key`.execute(db)
}

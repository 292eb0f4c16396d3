import { sql, type Kysely } from 'kysely'

/** Lists are filtered by the beginning of an address. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // By bytes, whatever the collation of the database: such an index finds beginnings as well as whole addresses, so that
  // no other one is needed.
  await sql`alter index users_email_key rename to users_email_key_before`.execute(db)
  await sql`
    create unique index users_email_key on users
      (account_id, environment, organization_id, email_normalized text_pattern_ops)
    where deleted_at is null`.execute(db)
  await sql`drop index users_email_key_before`.execute(db)
}

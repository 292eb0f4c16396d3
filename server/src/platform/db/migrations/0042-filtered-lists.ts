import { sql, type Kysely } from 'kysely'

/** Users are filtered by the beginning of their address, and applications listed by account. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // By bytes, whatever the collation of the database: such an index finds beginnings as well as whole addresses, so that
  // no other one is needed.
  await sql`alter index users_email_key rename to users_email_key_before`.execute(db)
  await sql`
    create unique index users_email_key on users
      (account_id, environment, organization_id, email_normalized text_pattern_ops)
    where deleted_at is null`.execute(db)
  await sql`drop index users_email_key_before`.execute(db)
  await sql`
    create index applications_account on applications (account_id, environment, inserted_at desc, id desc)
    where deleted_at is null`.execute(db)
  await sql`
    create index applications_updated on applications (account_id, environment, updated_at, id)
    where deleted_at is null`.execute(db)
}

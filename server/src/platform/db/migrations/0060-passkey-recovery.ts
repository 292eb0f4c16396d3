import { sql, type Kysely } from 'kysely'

/** Operators let users who have lost their passkeys add one by their mailbox. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table passkey_recoveries (
      account_id uuid not null,
      environment text not null,
      organization_id uuid not null,
      user_id uuid not null,
      reason text not null,
      expires_at timestamptz(3) not null,
      inserted_at timestamptz(3) not null,
      constraint passkey_recoveries_pkey primary key (account_id, organization_id, environment, user_id),
      constraint passkey_recoveries_user_fkey foreign key (account_id, environment, organization_id, user_id)
        references users (account_id, environment, organization_id, id) on delete cascade
    )`.execute(db)
  await sql`create index passkey_recoveries_expiry on passkey_recoveries (expires_at)`.execute(db)
}

import { sql, type Kysely } from 'kysely'

/** Users change their address on the account page, and its owner can put it back. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table email_changes (
      account_id uuid not null,
      environment text not null,
      organization_id uuid not null,
      id uuid not null,
      user_id uuid not null,
      -- Of the browser that asks for it: another session of the user does not go on with it.
      session_id uuid not null,
      old_email text not null,
      email text not null,
      -- How the owner of the old address was proved: by its mailbox, an app or a passkey; null until then.
      old_proof text
        constraint email_changes_old_proof_check check (old_proof in ('mailbox', 'totp', 'passkey')),
      -- The code of the old mailbox, and then of the new one; null when it is used up.
      code_sealed bytea,
      code_expires_at timestamptz(3),
      code_failures integer not null,
      confirmed_at timestamptz(3),
      -- Of the link to the old mailbox that puts the address back.
      token_hash bytea,
      reverted_at timestamptz(3),
      -- Of the request; from its confirmation on of the link; from its use on of the time without another change.
      expires_at timestamptz(3) not null,
      inserted_at timestamptz(3) not null,
      constraint email_changes_pkey primary key (account_id, organization_id, environment, id),
      constraint email_changes_user_fkey foreign key (account_id, environment, organization_id, user_id)
        references users (account_id, environment, organization_id, id) on delete cascade
    )`.execute(db)
  await sql`
    create index email_changes_user on email_changes
      (account_id, environment, organization_id, user_id)`.execute(db)
  await sql`
    create unique index email_changes_open_key on email_changes
      (account_id, environment, organization_id, user_id) where confirmed_at is null`.execute(db)
  await sql`
    create unique index email_changes_token_key on email_changes (token_hash)
      where token_hash is not null`.execute(db)
  await sql`create index email_changes_expiry on email_changes (expires_at)`.execute(db)
}

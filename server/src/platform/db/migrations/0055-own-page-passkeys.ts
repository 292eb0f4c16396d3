import { sql, type Kysely } from 'kysely'

/** Passkeys are added and used on the pages of applications, too, which are of domains of their own. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table applications add column passkey_rp_id text`.execute(db)
  await sql`
    create table passkey_ceremonies (
      account_id uuid not null,
      environment text not null,
      organization_id uuid not null,
      id uuid not null,
      purpose text not null
        constraint passkey_ceremonies_purpose_check
        check (purpose in ('registration', 'sign_in', 'second_factor')),
      -- Of a sign-in the passkey names its user.
      user_id uuid,
      application_id uuid not null,
      pending_sign_in_id uuid,
      -- Of the code of a sign-in.
      redirect_uri text,
      state text,
      nonce text,
      code_challenge text,
      scope text,
      expires_at timestamptz(3) not null,
      inserted_at timestamptz(3) not null,
      constraint passkey_ceremonies_pkey primary key (account_id, organization_id, environment, id),
      constraint passkey_ceremonies_user_fkey foreign key (account_id, environment, organization_id, user_id)
        references users (account_id, environment, organization_id, id) on delete cascade,
      constraint passkey_ceremonies_application_fkey foreign key (account_id, environment, application_id)
        references applications (account_id, environment, id)
    )`.execute(db)
  // The answer to a challenge names no organization.
  await sql`
    create unique index passkey_ceremonies_id on passkey_ceremonies
      (account_id, environment, id)`.execute(db)
  await sql`
    create index passkey_ceremonies_user on passkey_ceremonies
      (account_id, environment, organization_id, user_id)`.execute(db)
  await sql`
    create index passkey_ceremonies_application on passkey_ceremonies
      (account_id, environment, application_id)`.execute(db)
  await sql`create index passkey_ceremonies_expiry on passkey_ceremonies (expires_at)`.execute(db)
}

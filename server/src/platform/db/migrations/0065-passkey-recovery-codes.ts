import { sql, type Kysely } from 'kysely'

/** Users whose only second factor is a passkey keep recovery codes, each of which lets them add another one. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table passkey_recovery_codes (
      account_id uuid not null,
      environment text not null,
      organization_id uuid not null,
      user_id uuid not null,
      -- Salted digests of those that are left.
      codes_sealed bytea not null,
      -- Wrong ones since the last right one.
      failures integer not null default 0,
      locked_until timestamptz(3),
      -- When these codes were made.
      inserted_at timestamptz(3) not null,
      constraint passkey_recovery_codes_pkey primary key (account_id, organization_id, environment, user_id),
      constraint passkey_recovery_codes_user_fkey foreign key (account_id, environment, organization_id, user_id)
        references users (account_id, environment, organization_id, id) on delete cascade
    )`.execute(db)
  // At the step that adds a passkey: one of the codes was typed before.
  await sql`alter table sign_in_flows add column is_recovery_code_used boolean not null default false`.execute(
    db,
  )
}

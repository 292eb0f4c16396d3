import { sql, type Kysely } from 'kysely'

/** An organization says when its users are offered a passkey that nothing demands; those that are there go on as before. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table passkey_connections
      add column prompt text not null default 'account_page'
        constraint passkey_connections_prompt_check
          check (prompt in ('account_page', 'after_account_change', 'after_sign_in'))`.execute(db)
  // The user is not offered one for some time after.
  await sql`alter table users add column passkey_offer_declined_at timestamptz(3)`.execute(db)
  // The browser has said so in a form.
  await sql`alter table sign_in_flows add column is_passkey_capable boolean not null default false`.execute(
    db,
  )
  // Read once: flows are kept for a day.
  await sql`alter table sign_in_flows drop constraint sign_in_flows_step_check`.execute(db)
  await sql`
    alter table sign_in_flows add constraint sign_in_flows_step_check check (
      step in (
        'identifier', 'identity_provider', 'social_provider', 'prove_address', 'link_account', 'password', 'link_sent',
        'join', 'totp', 'enroll', 'recovery_codes', 'renew_password', 'consent', 'offer_passkey', 'ready'
      )
    )`.execute(db)
}

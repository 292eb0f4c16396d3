import { sql, type Kysely } from 'kysely'

/**
 * Single sign-on: a sign-in waits for the answers to its last two requests, and the state of an administrator's
 * invitation in the sandbox is separate from that in production.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // A button pressed twice sends two requests, and either may be answered.
  await sql`
    alter table saml_requests
      add column previous_id text,
      add column previous_expires_at timestamptz(3),
      add constraint saml_requests_previous_check
        check ((previous_id is null) = (previous_expires_at is null))`.execute(db)
  await sql`
    create index saml_requests_previous on saml_requests
      (account_id, organization_id, environment, connection_id, previous_id)
      where previous_id is not null`.execute(db)

  await sql`
    alter table sso_admins
      add column sandbox_invited_at timestamptz(3),
      add column sandbox_accepted_invitation_at timestamptz(3),
      add column sandbox_declined_to_be_in_charge_at timestamptz(3),
      add column sandbox_last_login_at timestamptz(3),
      add column sandbox_updated_at timestamptz(3)`.execute(db)
  // Before this migration both environments share the state.
  await sql`
    update sso_admins set sandbox_invited_at = invited_at,
      sandbox_accepted_invitation_at = accepted_invitation_at,
      sandbox_declined_to_be_in_charge_at = declined_to_be_in_charge_at,
      sandbox_last_login_at = last_login_at, sandbox_updated_at = updated_at`.execute(db)
}

import { sql, type Kysely } from 'kysely'

/**
 * A flow keeps how its answer reaches the application, whether its user is asked for consent, and which claims the
 * application has asked for one by one; codes and families of refresh tokens keep these claims for the tokens.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table sign_in_flows
      add column claims jsonb,
      add column is_consent_asked boolean not null default false,
      add column response_mode text not null default 'query',
      add constraint sign_in_flows_response_mode_check check (response_mode in ('query', 'form_post'))`.execute(
    db,
  )
  await sql`
    alter table sign_in_flows
      drop constraint sign_in_flows_step_check,
      add constraint sign_in_flows_step_check check (
        step in (
          'identifier', 'identity_provider', 'password', 'link_sent', 'totp', 'enroll', 'recovery_codes',
          'renew_password', 'consent', 'ready'
        )
      )`.execute(db)
  await sql`alter table authorization_codes add column claims jsonb`.execute(db)
  await sql`alter table refresh_token_families add column claims jsonb`.execute(db)
}

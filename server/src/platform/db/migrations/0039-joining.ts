import { sql, type Kysely } from 'kysely'

/** People with an address of a verified domain join its organization, or ask to. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table organization_policies
      add column join_by_domain text not null default 'off'
        constraint organization_policies_join_by_domain_check check (join_by_domain in ('off', 'request', 'automatic')),
      -- Read when somebody joins: those that are gone by then are not given.
      add column join_role_ids uuid[] not null default '{}'`.execute(db)
  await sql`
    create table join_requests (
      account_id uuid not null,
      environment text not null
        constraint join_requests_environment_check check (environment in ('sandbox', 'production')),
      organization_id uuid not null,
      id uuid not null,
      email text not null,
      email_normalized text not null,
      -- Of the page on which it was asked: the mail of the decision is in it.
      locale text,
      state text not null constraint join_requests_state_check check (
        state in ('pending', 'approved', 'denied', 'expired')
      ),
      decider_type text,
      decider_id text,
      user_id uuid,
      expires_at timestamptz(3) not null,
      -- When it was approved or denied, or has expired.
      ended_at timestamptz(3),
      version integer not null,
      inserted_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      constraint join_requests_pkey primary key (account_id, organization_id, environment, id),
      constraint join_requests_organization_fkey foreign key (account_id, organization_id)
        references organizations (account_id, id),
      constraint join_requests_ended_check check ((state = 'pending') = (ended_at is null)),
      constraint join_requests_decided_check check (
        (state in ('approved', 'denied')) = (decider_type is not null and decider_id is not null)
      ),
      constraint join_requests_user_check check ((state = 'approved') = (user_id is not null))
    )`.execute(db)
  await sql`
    create unique index join_requests_pending_key on join_requests
      (account_id, organization_id, environment, email_normalized) where state = 'pending'`.execute(db)
  await sql`
    create index join_requests_address on join_requests (account_id, environment, email_normalized)`.execute(
    db,
  )
  await sql`create index join_requests_ends on join_requests (ended_at, expires_at)`.execute(db)
  await sql`
    alter table discoveries
      -- The API has returned the link: its caller may be the one who has opened it.
      add column is_link_returned boolean not null default true`.execute(db)
  await sql`
    alter table users
      -- Of the last sign-in by SSO, where the connection maps roles: it outlives the identity.
      add column roles_connection_id uuid`.execute(db)
  await sql`
    alter table role_assignments
      drop constraint role_assignments_source_check,
      add constraint role_assignments_source_check check (source in ('api', 'invitation', 'join', 'sso'))`.execute(
    db,
  )
  await sql`
    alter table sign_in_flows
      drop constraint sign_in_flows_step_check,
      add constraint sign_in_flows_step_check check (
        step in (
          'identifier', 'identity_provider', 'password', 'link_sent', 'join', 'totp', 'enroll', 'recovery_codes',
          'renew_password', 'consent', 'ready'
        )
      )`.execute(db)
}

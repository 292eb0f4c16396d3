import { sql, type Kysely } from 'kysely'

/** Sign-ins on our pages: flows, the sessions of browsers, and refresh tokens. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table sign_in_flows (
      account_id uuid not null,
      environment text not null
        constraint sign_in_flows_environment_check check (environment in ('sandbox', 'production')),
      organization_id uuid not null,
      id uuid not null,
      application_id uuid not null,
      browser_hash bytea not null,
      redirect_uri text not null,
      state text,
      nonce text,
      code_challenge text not null,
      scope text not null,
      is_mfa_required boolean not null,
      locale text,
      preferred_way text constraint sign_in_flows_preferred_way_check check (
        preferred_way in ('password', 'magic_link')
      ),
      step text not null constraint sign_in_flows_step_check check (
        step in ('identifier', 'password', 'link_sent', 'totp', 'enroll', 'recovery_codes', 'renew_password', 'ready')
      ),
      email text,
      email_normalized text,
      user_id uuid,
      amr text[] not null default '{}',
      authenticated_at timestamptz(3),
      session_id uuid,
      pending_sign_in_id uuid,
      enrollment_id uuid,
      is_renewal_due boolean not null default false,
      link_code_sealed bytea,
      link_code_expires_at timestamptz(3),
      link_code_failures integer not null default 0,
      expires_at timestamptz(3) not null,
      used_at timestamptz(3),
      inserted_at timestamptz(3) not null,
      constraint sign_in_flows_pkey primary key (account_id, organization_id, environment, id),
      constraint sign_in_flows_organization_fkey foreign key (account_id, organization_id)
        references organizations (account_id, id),
      constraint sign_in_flows_application_fkey foreign key (account_id, environment, application_id)
        references applications (account_id, environment, id),
      constraint sign_in_flows_user_fkey foreign key (account_id, environment, organization_id, user_id)
        references users (account_id, environment, organization_id, id) on delete cascade
    )`.execute(db)
  await sql`
    create index sign_in_flows_user on sign_in_flows (account_id, environment, organization_id, user_id)
    where user_id is not null`.execute(db)
  await sql`
    create index sign_in_flows_application on sign_in_flows (account_id, environment, application_id)`.execute(
    db,
  )
  await sql`create index sign_in_flows_expiry on sign_in_flows (expires_at)`.execute(db)

  for (const table of ['magic_link_challenges', 'password_requests', 'pending_sign_ins']) {
    await sql`alter table ${sql.table(table)} add column flow_id uuid`.execute(db)
    await sql`
      alter table ${sql.table(table)} add constraint ${sql.ref(`${table}_flow_fkey`)}
      foreign key (account_id, organization_id, environment, flow_id)
      references sign_in_flows (account_id, organization_id, environment, id) on delete cascade`.execute(db)
    await sql`
      create index ${sql.ref(`${table}_flow`)} on ${sql.table(table)}
        (account_id, organization_id, environment, flow_id)
      where flow_id is not null`.execute(db)
  }

  await sql`
    alter table sessions
      add column secret_hash bytea,
      add column user_agent text,
      add column last_used_at timestamptz(3),
      add column browser_used_at timestamptz(3),
      add column offline_until timestamptz(3)`.execute(db)
  await sql`update sessions set last_used_at = authenticated_at`.execute(db)
  await sql`alter table sessions alter column last_used_at set not null`.execute(db)
  await sql`
    create unique index sessions_secret_key on sessions (secret_hash) where secret_hash is not null`.execute(
    db,
  )

  // A code carries the facts of its sign-in as of its creation, whatever happens to the session.
  await sql`
    alter table authorization_codes
      add column amr text[],
      add column authenticated_at timestamptz(3)`.execute(db)
  await sql`
    update authorization_codes as code set amr = sessions.amr, authenticated_at = sessions.authenticated_at
    from sessions
    where sessions.account_id = code.account_id
      and sessions.environment = code.environment
      and sessions.organization_id = code.organization_id
      and sessions.id = code.session_id`.execute(db)
  await sql`
    alter table authorization_codes
      alter column amr set not null,
      alter column authenticated_at set not null`.execute(db)

  await sql`alter table relay_requests add column scope text`.execute(db)

  // One row per family: the valid token, and the one that it replaced.
  await sql`
    create table refresh_token_families (
      account_id uuid not null,
      environment text not null,
      organization_id uuid not null,
      id uuid not null,
      session_id uuid not null,
      user_id uuid not null,
      application_id uuid not null,
      code_id uuid not null,
      scope text not null,
      amr text[] not null,
      authenticated_at timestamptz(3) not null,
      family_hash bytea not null constraint refresh_token_families_family_key unique,
      token_hash bytea not null,
      previous_token_hash bytea,
      rotated_at timestamptz(3),
      expires_at timestamptz(3) not null,
      ended_at timestamptz(3),
      inserted_at timestamptz(3) not null,
      constraint refresh_token_families_pkey primary key (account_id, organization_id, environment, id),
      constraint refresh_token_families_session_fkey
        foreign key (account_id, environment, organization_id, session_id)
        references sessions (account_id, environment, organization_id, id) on delete cascade,
      constraint refresh_token_families_user_fkey foreign key (account_id, environment, organization_id, user_id)
        references users (account_id, environment, organization_id, id) on delete cascade,
      constraint refresh_token_families_application_fkey foreign key (account_id, environment, application_id)
        references applications (account_id, environment, id)
    )`.execute(db)
  await sql`
    create index refresh_token_families_session on refresh_token_families
      (account_id, environment, organization_id, session_id)`.execute(db)
  await sql`
    create index refresh_token_families_user on refresh_token_families
      (account_id, environment, organization_id, user_id)`.execute(db)
  await sql`
    create index refresh_token_families_application on refresh_token_families
      (account_id, environment, application_id)`.execute(db)
  await sql`create index refresh_token_families_expiry on refresh_token_families (expires_at)`.execute(db)
}

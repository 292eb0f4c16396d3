import { sql, type Kysely } from 'kysely'

/**
 * Sign-ins at the issuer of an account that begin without an organization: their flows, the links that prove a mailbox, and
 * the browsers that have proved one. Users get the times of their last sign-in and of the first proof of their mailbox.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createFlows(db)
  await createChallenges(db)
  await createSessions(db)
  await sql`alter table sign_in_flows add column account_flow_id uuid`.execute(db)
  await sql`
    create index sign_in_flows_account_flow on sign_in_flows (account_id, environment, account_flow_id)
    where account_flow_id is not null`.execute(db)
  await sql`alter table sessions add column email_session_id uuid`.execute(db)
  await sql`
    alter table users
      add column last_signed_in_at timestamptz(3),
      add column email_proved_at timestamptz(3)`.execute(db)
  await sql`
    create index users_email on users (account_id, environment, email_normalized)
    where deleted_at is null`.execute(db)
  await sql`create index sso_connections_email_domains on sso_connections using gin (email_domains)`.execute(
    db,
  )
}

async function createFlows(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table account_flows (
      account_id uuid not null,
      environment text not null
        constraint account_flows_environment_check check (environment in ('sandbox', 'production')),
      id uuid not null,
      application_id uuid not null,
      browser_hash bytea not null,
      -- The checked parameters of the application.
      request jsonb not null,
      step text not null constraint account_flows_step_check check (
        step in ('identifier', 'link_sent', 'choose', 'entered')
      ),
      -- How often an organization was entered: a page of before enters none.
      round integer not null default 0,
      email text,
      email_normalized text,
      email_session_id uuid,
      link_code_sealed bytea,
      link_code_expires_at timestamptz(3),
      link_code_failures integer not null default 0,
      expires_at timestamptz(3) not null,
      used_at timestamptz(3),
      inserted_at timestamptz(3) not null,
      constraint account_flows_pkey primary key (account_id, environment, id),
      constraint account_flows_application_fkey foreign key (account_id, environment, application_id)
        references applications (account_id, environment, id) on delete cascade
    )`.execute(db)
  await sql`
    create index account_flows_application on account_flows (account_id, environment, application_id)`.execute(
    db,
  )
  await sql`create index account_flows_email on account_flows (account_id, environment, email_normalized)`.execute(
    db,
  )
  await sql`create index account_flows_expiry on account_flows (expires_at)`.execute(db)
}

async function createChallenges(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table email_challenges (
      account_id uuid not null,
      environment text not null
        constraint email_challenges_environment_check check (environment in ('sandbox', 'production')),
      id uuid not null,
      flow_id uuid not null,
      application_id uuid not null,
      email text not null,
      email_normalized text not null,
      token_hash bytea,
      expires_at timestamptz(3) not null,
      used_at timestamptz(3),
      voided_at timestamptz(3),
      inserted_at timestamptz(3) not null,
      constraint email_challenges_pkey primary key (account_id, environment, id),
      constraint email_challenges_flow_fkey foreign key (account_id, environment, flow_id)
        references account_flows (account_id, environment, id) on delete cascade
    )`.execute(db)
  await sql`
    create unique index email_challenges_token_key on email_challenges (token_hash) where token_hash is not null`.execute(
    db,
  )
  await sql`create index email_challenges_flow on email_challenges (account_id, environment, flow_id)`.execute(
    db,
  )
  await sql`
    create index email_challenges_email on email_challenges (account_id, environment, email_normalized)`.execute(
    db,
  )
  await sql`
    create index email_challenges_application on email_challenges (account_id, environment, application_id)`.execute(
    db,
  )
  await sql`create index email_challenges_expiry on email_challenges (expires_at)`.execute(db)
}

async function createSessions(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table email_sessions (
      account_id uuid not null,
      environment text not null
        constraint email_sessions_environment_check check (environment in ('sandbox', 'production')),
      id uuid not null,
      email text not null,
      email_normalized text not null,
      secret_hash bytea not null,
      proved_at timestamptz(3) not null,
      last_used_at timestamptz(3) not null,
      expires_at timestamptz(3) not null,
      ended_at timestamptz(3),
      inserted_at timestamptz(3) not null,
      constraint email_sessions_pkey primary key (account_id, environment, id),
      constraint email_sessions_secret_key unique (account_id, environment, secret_hash),
      constraint email_sessions_account_fkey foreign key (account_id) references accounts (id)
    )`.execute(db)
  await sql`
    create index email_sessions_email on email_sessions (account_id, environment, email_normalized)
    where ended_at is null`.execute(db)
  await sql`create index email_sessions_expiry on email_sessions (expires_at)`.execute(db)
}

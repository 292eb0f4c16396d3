import { sql, type Kysely } from 'kysely'

/**
 * Sign-in with social providers: the providers of accounts, which organizations use them, the requests that wait for their
 * answers, and the identities that wait in a flow for a proof.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createProviders(db)
  await createConnections(db)
  await createRequests(db)
  await createArrivals(db)
  await sql`
    alter table sign_in_flows
      -- The provider that is asked, or by which the first factor has passed.
      add column social_provider_id uuid,
      drop constraint sign_in_flows_step_check,
      add constraint sign_in_flows_step_check check (
        step in (
          'identifier', 'identity_provider', 'social_provider', 'prove_address', 'link_account', 'password',
          'link_sent', 'join', 'totp', 'enroll', 'recovery_codes', 'renew_password', 'consent', 'ready'
        )
      )`.execute(db)
}

async function createProviders(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table social_providers (
      account_id uuid not null,
      environment text not null
        constraint social_providers_environment_check check (environment in ('sandbox', 'production')),
      id uuid not null,
      provider text not null,
      name text not null,
      display_name text not null,
      client_id text,
      client_secret_sealed bytea,
      tenant text,
      -- Null: of a custom provider that was not entered yet.
      issuer text,
      active boolean not null,
      version integer not null default 1,
      inserted_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      constraint social_providers_pkey primary key (account_id, environment, id),
      constraint social_providers_name_key unique (account_id, environment, name),
      constraint social_providers_account_fkey foreign key (account_id) references accounts (id),
      -- It asserts any user.
      constraint social_providers_test_check check (provider <> 'test' or environment = 'sandbox')
    )`.execute(db)
  // A callback names the provider alone.
  await sql`create unique index social_providers_id_key on social_providers (id)`.execute(db)
}

async function createConnections(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table social_connections (
      account_id uuid not null,
      environment text not null
        constraint social_connections_environment_check check (environment in ('sandbox', 'production')),
      organization_id uuid not null,
      active boolean not null,
      -- Null: all of the account.
      providers text[],
      allow_sign_up boolean not null,
      version integer not null,
      updated_at timestamptz(3) not null,
      constraint social_connections_pkey primary key (account_id, organization_id, environment),
      constraint social_connections_organization_fkey foreign key (account_id, organization_id)
        references organizations (account_id, id)
    )`.execute(db)
}

async function createRequests(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table social_requests (
      account_id uuid not null,
      environment text not null,
      organization_id uuid not null,
      provider_id uuid not null,
      state_hash bytea not null,
      flow_id uuid not null,
      nonce text not null,
      code_verifier_sealed bytea not null,
      expires_at timestamptz(3) not null,
      inserted_at timestamptz(3) not null,
      constraint social_requests_pkey primary key (account_id, organization_id, environment, provider_id, state_hash),
      constraint social_requests_flow_fkey foreign key (account_id, organization_id, environment, flow_id)
        references sign_in_flows (account_id, organization_id, environment, id) on delete cascade,
      constraint social_requests_provider_fkey foreign key (account_id, environment, provider_id)
        references social_providers (account_id, environment, id) on delete cascade
    )`.execute(db)
  await sql`
    create index social_requests_flow on social_requests
      (account_id, organization_id, environment, flow_id)`.execute(db)
  await sql`
    create index social_requests_provider on social_requests (account_id, environment, provider_id)`.execute(
    db,
  )
  await sql`create index social_requests_expiry on social_requests (expires_at)`.execute(db)
}

async function createArrivals(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table social_arrivals (
      account_id uuid not null,
      environment text not null,
      organization_id uuid not null,
      flow_id uuid not null,
      provider_id uuid not null,
      -- Issuer, subject and claims: of nobody who is a user here yet.
      identity_sealed bytea not null,
      -- The address that is to be proved, or is another user's; null until one is typed.
      email text,
      email_normalized text,
      -- The code that was mailed to it; null before, and when it is used up.
      code_sealed bytea,
      code_expires_at timestamptz(3),
      code_failures integer not null,
      -- The user whom the identity is linked to when the sign-in of this flow is theirs. Without a foreign key, which each
      -- insert of a user would have to know: the row lasts for an hour, and is compared with the user of the flow.
      user_id uuid,
      expires_at timestamptz(3) not null,
      inserted_at timestamptz(3) not null,
      constraint social_arrivals_pkey primary key (account_id, organization_id, environment, flow_id),
      constraint social_arrivals_flow_fkey foreign key (account_id, organization_id, environment, flow_id)
        references sign_in_flows (account_id, organization_id, environment, id) on delete cascade,
      constraint social_arrivals_provider_fkey foreign key (account_id, environment, provider_id)
        references social_providers (account_id, environment, id) on delete cascade
    )`.execute(db)
  await sql`
    create index social_arrivals_provider on social_arrivals (account_id, environment, provider_id)`.execute(
    db,
  )
  await sql`
    create index social_arrivals_user on social_arrivals
      (account_id, organization_id, environment, user_id) where user_id is not null`.execute(db)
  await sql`create index social_arrivals_expiry on social_arrivals (expires_at)`.execute(db)
}

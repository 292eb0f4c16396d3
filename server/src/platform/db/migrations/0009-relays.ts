import { sql, type Kysely } from 'kysely'

/** Relays, their requests, and users' identities at other issuers. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // The organization is the partner: a relay belongs to the account, and is erased with its partner.
  await sql`
    create table relays (
      account_id uuid not null constraint relays_account_fkey references accounts,
      environment text not null constraint relays_environment_check check (environment in ('sandbox', 'production')),
      organization_id uuid not null,
      id uuid not null,
      partner_redirect_uri text not null,
      active boolean not null,
      version integer not null default 1,
      inserted_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      constraint relays_pkey primary key (account_id, environment, id),
      constraint relays_organization_fkey foreign key (account_id, organization_id)
        references organizations (account_id, id)
    )`.execute(db)
  await sql`
    create index relays_list on relays (account_id, environment, inserted_at desc, id desc)`.execute(db)
  await sql`create index relays_organization on relays (account_id, organization_id)`.execute(db)

  // Here the organization is the one that the user comes from.
  await sql`
    create table relay_requests (
      account_id uuid not null,
      environment text not null,
      organization_id uuid not null,
      id uuid not null,
      relay_id uuid not null,
      user_id uuid not null,
      session_id uuid not null,
      token_hash bytea not null constraint relay_requests_token_key unique,
      expires_at timestamptz(3) not null,
      used_at timestamptz(3),
      inserted_at timestamptz(3) not null,
      constraint relay_requests_pkey primary key (account_id, organization_id, environment, id),
      constraint relay_requests_relay_fkey foreign key (account_id, environment, relay_id)
        references relays (account_id, environment, id) on delete cascade,
      constraint relay_requests_session_fkey foreign key (account_id, environment, organization_id, session_id)
        references sessions (account_id, environment, organization_id, id) on delete cascade
    )`.execute(db)
  await sql`
    create index relay_requests_relay on relay_requests (account_id, environment, relay_id)`.execute(db)
  await sql`
    create index relay_requests_session on relay_requests
      (account_id, environment, organization_id, session_id)`.execute(db)
  await sql`create index relay_requests_expiry on relay_requests (expires_at)`.execute(db)

  await sql`
    create table user_identities (
      account_id uuid not null,
      environment text not null,
      organization_id uuid not null,
      user_id uuid not null,
      id uuid not null,
      kind text not null,
      issuer text not null,
      subject text not null,
      authenticated_at timestamptz(3) not null,
      inserted_at timestamptz(3) not null,
      constraint user_identities_pkey primary key (account_id, organization_id, environment, user_id, id),
      constraint user_identities_identity_key unique
        (account_id, environment, organization_id, kind, issuer, subject),
      constraint user_identities_user_fkey foreign key (account_id, environment, organization_id, user_id)
        references users (account_id, environment, organization_id, id) on delete cascade
    )`.execute(db)

  await sql`alter table sessions add column act jsonb`.execute(db)
}

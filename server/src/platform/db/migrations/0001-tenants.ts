import { sql, type Kysely } from 'kysely'

/** Accounts, organizations, and the keys that accounts call and sign with. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table accounts (
      id uuid primary key,
      domain text not null,
      plan text not null constraint accounts_plan_check check (plan in ('free', 'unlimited')),
      inserted_at timestamptz(3) not null,
      constraint accounts_domain_key unique (domain)
    )`.execute(db)

  // Domains of accounts and organizations are one name space and are never given out twice.
  await sql`
    create table slugs (
      slug text collate "C" constraint slugs_pkey primary key,
      inserted_at timestamptz(3) not null
    )`.execute(db)

  await sql`
    create table organizations (
      account_id uuid not null constraint organizations_account_fkey references accounts,
      id uuid not null,
      domain text not null constraint organizations_domain_key unique,
      name text not null,
      allowed_email_domains text[],
      color text not null,
      icon_logo_url text,
      inline_logo_url text,
      locale text,
      timezone text,
      locality text,
      state text,
      country_name text,
      privacy_policy_url text,
      terms_of_service_url text,
      version integer not null default 1,
      inserted_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      deleted_at timestamptz(3),
      constraint organizations_pkey primary key (account_id, id)
    )`.execute(db)
  await sql`
    create index organizations_list on organizations (account_id, inserted_at desc, id desc)
    where deleted_at is null`.execute(db)

  await sql`
    create index organizations_deleted on organizations (deleted_at, id) where deleted_at is not null`.execute(
    db,
  )
  await sql`
    create index organizations_email_domains on organizations using gin (allowed_email_domains)
    where deleted_at is null`.execute(db)

  await sql`
    create table api_keys (
      account_id uuid not null constraint api_keys_account_fkey references accounts,
      environment text not null constraint api_keys_environment_check check (environment in ('sandbox', 'production')),
      id uuid not null,
      name text not null,
      secret_hash bytea not null,
      previous_secret_hash bytea,
      previous_secret_expires_at timestamptz(3),
      scopes text[],
      organization_ids uuid[],
      expires_at timestamptz(3),
      revoked_at timestamptz(3),
      last_used_at timestamptz(3),
      inserted_at timestamptz(3) not null,
      constraint api_keys_pkey primary key (account_id, environment, id)
    )`.execute(db)
  await sql`create unique index api_keys_id_key on api_keys (id)`.execute(db)

  // organization_id is the nil UUID for the keys that sign the account's own API tokens.
  await sql`
    create table signing_keys (
      account_id uuid not null constraint signing_keys_account_fkey references accounts,
      environment text not null,
      organization_id uuid not null,
      kid text not null,
      algorithm text not null constraint signing_keys_algorithm_check check (algorithm in ('ES256', 'RS256')),
      state text not null constraint signing_keys_state_check 
        check (state in ('next', 'active', 'retired', 'revoked')),
      public_jwk jsonb not null,
      private_key_sealed bytea not null,
      inserted_at timestamptz(3) not null,
      activated_at timestamptz(3),
      retired_at timestamptz(3),
      constraint signing_keys_pkey primary key (account_id, organization_id, environment, kid)
    )`.execute(db)
  await sql`create unique index signing_keys_kid_key on signing_keys (kid)`.execute(db)
  await sql`
    create unique index signing_keys_active_key on signing_keys (account_id, environment, organization_id, algorithm)
    where state = 'active'`.execute(db)

  // One row, sealed with the master key: a start with another key cannot open it.
  await sql`
    create table master_key_canary (
      id integer constraint master_key_canary_pkey primary key constraint master_key_canary_id_check check (id = 1),
      sealed bytea not null
    )`.execute(db)
}

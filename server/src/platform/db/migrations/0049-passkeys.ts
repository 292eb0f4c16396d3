import { sql, type Kysely } from 'kysely'

/** Users sign in with passkeys. An organization that is there already has no row, and so none, until it switches them on. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table passkey_connections (
      account_id uuid not null,
      environment text not null
        constraint passkey_connections_environment_check check (environment in ('sandbox', 'production')),
      organization_id uuid not null,
      active boolean not null,
      first_factor boolean not null,
      synced boolean not null,
      version integer not null,
      inserted_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      constraint passkey_connections_pkey primary key (account_id, organization_id, environment),
      constraint passkey_connections_organization_fkey foreign key (account_id, organization_id)
        references organizations (account_id, id)
    )`.execute(db)
  await sql`
    create table passkeys (
      account_id uuid not null,
      environment text not null,
      organization_id uuid not null,
      id uuid not null,
      user_id uuid not null,
      name text not null,
      -- The domain that browsers have bound it to.
      rp_id text not null,
      -- In base64url, as browsers send it.
      credential_id text not null,
      -- As COSE writes it (RFC 9053).
      public_key bytea not null,
      -- What the authenticator calls the user.
      user_handle bytea not null,
      aaguid uuid,
      transports text[] not null,
      -- The flag BE, which never changes, and BS.
      synced boolean not null,
      backed_up boolean not null,
      sign_count bigint not null,
      last_used_at timestamptz(3),
      disabled_at timestamptz(3),
      version integer not null,
      inserted_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      constraint passkeys_pkey primary key (account_id, organization_id, environment, id),
      constraint passkeys_user_fkey foreign key (account_id, environment, organization_id, user_id)
        references users (account_id, environment, organization_id, id) on delete cascade,
      constraint passkeys_credential_key unique (account_id, environment, rp_id, credential_id)
    )`.execute(db)
  await sql`
    create index passkeys_user on passkeys
      (account_id, environment, organization_id, user_id, inserted_at desc, id desc)`.execute(db)
  // Counted by each answer of an authenticator: the challenge of a page is made of it, so that no answer counts twice.
  await sql`alter table sign_in_flows add column passkey_attempt integer not null default 0`.execute(db)
  await sql`alter table sessions add column passkey_attempt integer not null default 0`.execute(db)
}

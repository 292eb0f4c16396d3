import { sql, type Kysely } from 'kysely'

/** Single sign-on by OpenID Connect: our clients at providers, and the requests that wait for their answers. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table sso_connections
      add column protocol text not null default 'saml',
      add constraint sso_connections_protocol_check check (protocol in ('saml', 'oidc'))`.execute(db)
  await sql`alter table sso_connections alter column protocol drop default`.execute(db)

  const owner = sql`
      account_id uuid not null,
      environment text not null,
      organization_id uuid not null,
      connection_id uuid not null`
  const ofConnection = (table: string) => sql`
      constraint ${sql.ref(`${table}_connection_fkey`)}
        foreign key (account_id, environment, organization_id, connection_id)
        references sso_connections (account_id, environment, organization_id, id) on delete cascade`

  await sql`
    create table sso_oidc_clients (
      ${owner},
      version integer not null,
      is_current boolean not null,
      issuer text not null,
      client_id text not null,
      client_secret_sealed bytea not null,
      uploaded_by text not null constraint sso_oidc_clients_uploaded_by_check check (
        uploaded_by in ('api_key', 'sso_admin')
      ),
      inserted_at timestamptz(3) not null,
      constraint sso_oidc_clients_pkey
        primary key (account_id, organization_id, environment, connection_id, version),
      ${ofConnection('sso_oidc_clients')}
    )`.execute(db)
  await sql`
    create unique index sso_oidc_clients_current_key on sso_oidc_clients
      (account_id, environment, organization_id, connection_id) where is_current`.execute(db)

  // An authorization request that waits for its answer: of a sign-in, or of an administrator's test.
  await sql`
    create table oidc_requests (
      ${owner},
      state_hash bytea not null,
      flow_id uuid,
      admin_session_id uuid,
      client_version integer not null,
      nonce text not null,
      code_verifier_sealed bytea not null,
      expires_at timestamptz(3) not null,
      inserted_at timestamptz(3) not null,
      constraint oidc_requests_pkey
        primary key (account_id, organization_id, environment, connection_id, state_hash),
      constraint oidc_requests_purpose_check check ((flow_id is null) <> (admin_session_id is null)),
      constraint oidc_requests_flow_fkey foreign key (account_id, organization_id, environment, flow_id)
        references sign_in_flows (account_id, organization_id, environment, id) on delete cascade,
      constraint oidc_requests_admin_session_fkey foreign key (account_id, organization_id, admin_session_id)
        references sso_admin_sessions (account_id, organization_id, id) on delete cascade,
      ${ofConnection('oidc_requests')}
    )`.execute(db)
  await sql`
    create index oidc_requests_flow on oidc_requests
      (account_id, organization_id, environment, flow_id) where flow_id is not null`.execute(db)
  await sql`
    create index oidc_requests_admin_session on oidc_requests
      (account_id, organization_id, admin_session_id) where admin_session_id is not null`.execute(db)
  await sql`create index oidc_requests_expiry on oidc_requests (expires_at)`.execute(db)

  // The client that an administrator entered: the version of their tests, and before that, sealed in their session, the
  // one that they have yet to confirm.
  await sql`alter table sso_onboardings add column client_version integer`.execute(db)
  await sql`alter table sso_admin_sessions add column upload_client_sealed bytea`.execute(db)

  // The issuer of an identity is the one that asserted it; the connection it came by is another fact.
  await sql`alter table user_identities add column idp_id text`.execute(db)
  await sql`update user_identities set idp_id = issuer where kind = 'saml'`.execute(db)
}

import { sql, type Kysely } from 'kysely'

/**
 * Single sign-on by SAML: the connections of organizations to their identity providers, the administrators who set them
 * up, and the records of a sign-in.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table sso_connections (
      account_id uuid not null,
      environment text not null
        constraint sso_connections_environment_check check (environment in ('sandbox', 'production')),
      organization_id uuid not null,
      id uuid not null,
      idp_id text not null constraint sso_connections_idp_id_key unique,
      provider_type text not null,
      active boolean not null,
      state text not null constraint sso_connections_state_check check (
        state in ('it_admin_invitation_pending', 'it_admin_onboarding', 'configured', 'tested')
      ),
      seats_limit integer not null constraint sso_connections_seats_limit_check check (seats_limit >= 0),
      user_security_type text not null constraint sso_connections_user_security_type_check check (
        user_security_type in ('none', 'user_registered', 'user_provisionned')
      ),
      update_user_new_connection boolean not null,
      email_domains text[] not null,
      idp_initiated text not null constraint sso_connections_idp_initiated_check check (
        idp_initiated in ('bounce', 'accept', 'reject')
      ),
      allow_sha1 boolean not null,
      allow_cbc_unsigned_response boolean not null,
      certificate_warned_at timestamptz(3),
      version integer not null default 1,
      inserted_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      constraint sso_connections_pkey primary key (account_id, organization_id, environment, id),
      constraint sso_connections_organization_fkey foreign key (account_id, organization_id)
        references organizations (account_id, id),
      -- The built-in identity provider vouches for whomever it is told to.
      constraint sso_connections_test_check check (provider_type <> 'test' or environment = 'sandbox')
    )`.execute(db)
  await sql`
    create index sso_connections_list on sso_connections
      (account_id, environment, inserted_at desc, id desc)`.execute(db)

  const ofConnection = (table: string) => sql`
      constraint ${sql.ref(`${table}_connection_fkey`)}
        foreign key (account_id, environment, organization_id, connection_id)
        references sso_connections (account_id, environment, organization_id, id) on delete cascade`
  const owner = sql`
      account_id uuid not null,
      environment text not null,
      organization_id uuid not null,
      connection_id uuid not null`

  // The keys that sign requests and decrypt assertions; the built-in identity provider has its own.
  await sql`
    create table sso_keys (
      ${owner},
      id uuid not null,
      purpose text not null
        constraint sso_keys_purpose_check check (purpose in ('service_provider', 'test_identity_provider')),
      private_key_sealed bytea not null,
      certificate text not null,
      inserted_at timestamptz(3) not null,
      constraint sso_keys_pkey primary key (account_id, organization_id, environment, connection_id, id),
      ${ofConnection('sso_keys')}
    )`.execute(db)

  await sql`
    create table sso_metadata_versions (
      ${owner},
      version integer not null,
      is_current boolean not null,
      xml text not null,
      entity_id text not null,
      redirect_url text,
      post_url text,
      certificates jsonb not null,
      valid_until timestamptz(3),
      uploaded_by text not null constraint sso_metadata_versions_uploaded_by_check check (
        uploaded_by in ('api_key', 'sso_admin', 'service')
      ),
      inserted_at timestamptz(3) not null,
      constraint sso_metadata_versions_pkey
        primary key (account_id, organization_id, environment, connection_id, version),
      constraint sso_metadata_versions_url_check check (redirect_url is not null or post_url is not null),
      ${ofConnection('sso_metadata_versions')}
    )`.execute(db)
  await sql`
    create unique index sso_metadata_versions_current_key on sso_metadata_versions
      (account_id, environment, organization_id, connection_id) where is_current`.execute(db)
  await sql`
    create index sso_metadata_versions_entity_id on sso_metadata_versions
      (account_id, environment, entity_id) where is_current`.execute(db)

  await sql`
    create table sso_default_redirections (
      ${owner},
      id uuid not null,
      application_id uuid not null,
      uri text not null,
      is_current boolean not null,
      inserted_at timestamptz(3) not null,
      constraint sso_default_redirections_pkey
        primary key (account_id, organization_id, environment, connection_id, id),
      constraint sso_default_redirections_application_fkey foreign key (account_id, environment, application_id)
        references applications (account_id, environment, id),
      ${ofConnection('sso_default_redirections')}
    )`.execute(db)
  await sql`
    create unique index sso_default_redirections_current_key on sso_default_redirections
      (account_id, environment, organization_id, connection_id) where is_current`.execute(db)
  await sql`
    create index sso_default_redirections_application on sso_default_redirections
      (account_id, environment, application_id)`.execute(db)

  await sql`
    create table sso_onboardings (
      ${owner},
      id uuid not null,
      sso_admin_email text,
      provider_type text,
      state text not null constraint sso_onboardings_state_check check (
        state in ('not_initialized', 'provider_type_chosen', 'xml_provided')
      ),
      tutorial_step integer not null
        constraint sso_onboardings_tutorial_step_check check (tutorial_step >= 0),
      metadata_version integer,
      version integer not null default 1,
      inserted_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      constraint sso_onboardings_pkey primary key (account_id, organization_id, environment, connection_id),
      ${ofConnection('sso_onboardings')}
    )`.execute(db)

  await sql`
    create table sso_admins (
      account_id uuid not null,
      organization_id uuid not null,
      id uuid not null,
      email text not null,
      email_normalized text not null,
      color text not null,
      invited_at timestamptz(3) not null,
      accepted_invitation_at timestamptz(3),
      declined_to_be_in_charge_at timestamptz(3),
      last_login_at timestamptz(3),
      -- A key of the sandbox cannot remove whom production has invited, also when the links are over.
      is_of_production boolean not null,
      inserted_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      constraint sso_admins_pkey primary key (account_id, organization_id, id),
      constraint sso_admins_email_key unique (account_id, organization_id, email_normalized),
      constraint sso_admins_organization_fkey foreign key (account_id, organization_id)
        references organizations (account_id, id)
    )`.execute(db)

  // For one connection, or all of the organization. The token is made when the mail is sent.
  await sql`
    create table sso_admin_links (
      account_id uuid not null,
      organization_id uuid not null,
      id uuid not null,
      admin_id uuid not null,
      environment text not null,
      connection_id uuid,
      token_hash bytea constraint sso_admin_links_token_key unique,
      expires_at timestamptz(3) not null,
      ended_at timestamptz(3),
      inserted_at timestamptz(3) not null,
      constraint sso_admin_links_pkey primary key (account_id, organization_id, id),
      constraint sso_admin_links_admin_fkey foreign key (account_id, organization_id, admin_id)
        references sso_admins (account_id, organization_id, id) on delete cascade,
      ${ofConnection('sso_admin_links')}
    )`.execute(db)
  await sql`
    create index sso_admin_links_admin on sso_admin_links (account_id, organization_id, admin_id)`.execute(db)
  await sql`
    create index sso_admin_links_connection on sso_admin_links
      (account_id, environment, organization_id, connection_id) where connection_id is not null`.execute(db)

  await sql`
    create table sso_admin_sessions (
      account_id uuid not null,
      organization_id uuid not null,
      id uuid not null,
      link_id uuid not null,
      secret_hash bytea not null constraint sso_admin_sessions_secret_key unique,
      code_sealed bytea,
      code_expires_at timestamptz(3) not null,
      code_failures integer not null default 0,
      verified_at timestamptz(3),
      expires_at timestamptz(3) not null,
      ended_at timestamptz(3),
      -- Metadata that were read and wait for the administrator to look at what they say.
      upload_id uuid,
      upload_connection_id uuid,
      upload_xml text,
      inserted_at timestamptz(3) not null,
      constraint sso_admin_sessions_pkey primary key (account_id, organization_id, id),
      constraint sso_admin_sessions_link_fkey foreign key (account_id, organization_id, link_id)
        references sso_admin_links (account_id, organization_id, id) on delete cascade
    )`.execute(db)
  await sql`
    create index sso_admin_sessions_link on sso_admin_sessions
      (account_id, organization_id, link_id)`.execute(db)

  // Sign-ins requested by the API, until a browser opens their address.
  await sql`
    create table sso_challenges (
      ${owner},
      id uuid not null,
      token_hash bytea not null constraint sso_challenges_token_key unique,
      application_id uuid not null,
      redirect_uri text not null,
      state text,
      nonce text,
      code_challenge text,
      scope text not null,
      email text,
      email_normalized text,
      expires_at timestamptz(3) not null,
      used_at timestamptz(3),
      inserted_at timestamptz(3) not null,
      constraint sso_challenges_pkey primary key (account_id, organization_id, environment, connection_id, id),
      constraint sso_challenges_application_fkey foreign key (account_id, environment, application_id)
        references applications (account_id, environment, id),
      ${ofConnection('sso_challenges')}
    )`.execute(db)
  await sql`
    create index sso_challenges_application on sso_challenges
      (account_id, environment, application_id)`.execute(db)

  await sql`
    alter table user_identities
      add column provider text not null default 'relay',
      add column data jsonb not null default '{}'`.execute(db)
  await sql`
    update user_identities set data = jsonb_build_object('iss', issuer, 'sub', subject)`.execute(db)
  await sql`
    alter table user_identities alter column provider drop default, alter column data drop default`.execute(
    db,
  )

  // A flow begun by the API or an identity provider has no verifier: its code is redeemed by the application's settings.
  await sql`
    alter table sign_in_flows
      alter column code_challenge drop not null,
      drop constraint sign_in_flows_step_check,
      add constraint sign_in_flows_step_check check (
        step in (
          'identifier', 'identity_provider', 'password', 'link_sent', 'totp', 'enroll', 'recovery_codes',
          'renew_password', 'ready'
        )
      ),
      add column connection_id uuid,
      add column identity_id uuid,
      add column is_sign_in_forced boolean not null default false,
      add constraint sign_in_flows_connection_fkey
        foreign key (account_id, environment, organization_id, connection_id)
        references sso_connections (account_id, environment, organization_id, id) on delete cascade`.execute(
    db,
  )
  await sql`
    create index sign_in_flows_connection on sign_in_flows
      (account_id, environment, organization_id, connection_id) where connection_id is not null`.execute(db)

  // The identity that opened the session: its tokens' claims are read there.
  await sql`alter table sessions add column identity_id uuid`.execute(db)

  // An AuthnRequest that waits for its Response: of a sign-in, or of an administrator's test.
  await sql`
    create table saml_requests (
      ${owner},
      id text not null,
      flow_id uuid,
      admin_session_id uuid,
      metadata_version integer not null,
      expires_at timestamptz(3) not null,
      inserted_at timestamptz(3) not null,
      constraint saml_requests_pkey primary key (account_id, organization_id, environment, connection_id, id),
      constraint saml_requests_purpose_check check ((flow_id is null) <> (admin_session_id is null)),
      constraint saml_requests_flow_fkey foreign key (account_id, organization_id, environment, flow_id)
        references sign_in_flows (account_id, organization_id, environment, id) on delete cascade,
      constraint saml_requests_admin_session_fkey foreign key (account_id, organization_id, admin_session_id)
        references sso_admin_sessions (account_id, organization_id, id) on delete cascade,
      ${ofConnection('saml_requests')}
    )`.execute(db)
  // A flow waits for one answer at a time.
  await sql`
    create unique index saml_requests_flow_key on saml_requests
      (account_id, organization_id, environment, flow_id) where flow_id is not null`.execute(db)
  await sql`
    create index saml_requests_admin_session on saml_requests
      (account_id, organization_id, admin_session_id) where admin_session_id is not null`.execute(db)
  await sql`create index saml_requests_expiry on saml_requests (expires_at)`.execute(db)

  await sql`
    create table sso_login_traces (
      ${owner},
      id uuid not null,
      kind text not null
        constraint sso_login_traces_kind_check check (kind in ('sign_in', 'idp_initiated', 'test')),
      outcome text not null
        constraint sso_login_traces_outcome_check check (outcome in ('arrived', 'success', 'failed')),
      checks jsonb not null,
      failed_check text,
      name_id text,
      email text,
      email_normalized text,
      attributes jsonb,
      user_id uuid,
      request_id text not null,
      inserted_at timestamptz(3) not null,
      constraint sso_login_traces_pkey primary key (account_id, organization_id, environment, connection_id, id),
      constraint sso_login_traces_user_fkey foreign key (account_id, environment, organization_id, user_id)
        references users (account_id, environment, organization_id, id) on delete cascade,
      ${ofConnection('sso_login_traces')}
    )`.execute(db)
  await sql`
    create index sso_login_traces_list on sso_login_traces
      (account_id, environment, organization_id, connection_id, inserted_at desc, id desc)`.execute(db)
  await sql`
    create index sso_login_traces_user on sso_login_traces
      (account_id, environment, organization_id, user_id) where user_id is not null`.execute(db)
  await sql`create index sso_login_traces_expiry on sso_login_traces (inserted_at)`.execute(db)

  // A validated assertion, between the post of the identity provider and the browser's next request.
  await sql`
    create table saml_arrivals (
      ${owner},
      token_hash bytea not null constraint saml_arrivals_pkey primary key,
      assertion_hash bytea not null,
      trace_id uuid not null,
      metadata_version integer not null,
      assertion_sealed bytea not null,
      expires_at timestamptz(3) not null,
      inserted_at timestamptz(3) not null,
      constraint saml_arrivals_trace_fkey foreign key
        (account_id, environment, organization_id, connection_id, trace_id)
        references sso_login_traces (account_id, environment, organization_id, connection_id, id)
        on delete cascade,
      -- An assertion that is posted again and again fills one row.
      constraint saml_arrivals_assertion_key
        unique (account_id, environment, organization_id, connection_id, assertion_hash),
      ${ofConnection('saml_arrivals')}
    )`.execute(db)
  await sql`
    create index saml_arrivals_trace on saml_arrivals
      (account_id, organization_id, environment, connection_id, trace_id)`.execute(db)
  await sql`create index saml_arrivals_expiry on saml_arrivals (expires_at)`.execute(db)

  // Consumed assertions, until they expire. Logged: a crash must not lose them.
  await sql`
    create table saml_seen_assertions (
      ${owner},
      assertion_hash bytea not null,
      expires_at timestamptz(3) not null,
      constraint saml_seen_assertions_pkey
        primary key (account_id, organization_id, environment, connection_id, assertion_hash),
      ${ofConnection('saml_seen_assertions')}
    )`.execute(db)
  await sql`create index saml_seen_assertions_expiry on saml_seen_assertions (expires_at)`.execute(db)
}

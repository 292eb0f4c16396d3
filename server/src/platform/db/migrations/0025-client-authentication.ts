import { sql, type Kysely } from 'kysely'

/** Confidential clients: applications that authenticate by a secret, or by a key of their own (RFC 7523). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table applications
      add column client_authentication text not null default 'none',
      add column pkce text not null default 'required',
      add column jwks jsonb,
      add column jwks_uri text,
      add constraint applications_client_authentication_check
        check (client_authentication in ('none', 'secret', 'private_key_jwt')),
      add constraint applications_pkce_check check (pkce in ('required', 'or_nonce', 'optional'))`.execute(db)
  // A client names itself by its client_id alone, at the token endpoint of the whole service.
  await sql`create index applications_client on applications (id) where client_authentication <> 'none'`.execute(
    db,
  )

  await sql`
    create table application_secrets (
      account_id uuid not null,
      environment text not null,
      application_id uuid not null,
      id uuid not null,
      -- Two secrets at most: each takes one of two places.
      place smallint not null constraint application_secrets_place_check check (place in (1, 2)),
      secret_hash bytea not null,
      hint text not null,
      expires_at timestamptz(3),
      last_used_at timestamptz(3),
      inserted_at timestamptz(3) not null,
      constraint application_secrets_pkey primary key (account_id, environment, application_id, id),
      constraint application_secrets_place_key unique (account_id, environment, application_id, place),
      constraint application_secrets_application_fkey foreign key (account_id, environment, application_id)
        references applications (account_id, environment, id) on delete cascade
    )`.execute(db)

  // Assertions that were used already, until they expire.
  await sql`
    create table client_assertions (
      account_id uuid not null,
      environment text not null,
      application_id uuid not null,
      jti_hash bytea not null,
      expires_at timestamptz(3) not null,
      constraint client_assertions_pkey primary key (account_id, environment, application_id, jti_hash),
      constraint client_assertions_application_fkey foreign key (account_id, environment, application_id)
        references applications (account_id, environment, id) on delete cascade
    )`.execute(db)
  await sql`create index client_assertions_expires_at on client_assertions (expires_at)`.execute(db)
}

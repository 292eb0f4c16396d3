import { sql, type Kysely } from 'kysely'

/** Magic links, sessions and authorization codes. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table magic_link_connections (
      account_id uuid not null,
      environment text not null,
      organization_id uuid not null,
      id uuid not null,
      active boolean not null,
      find_or_create_user boolean not null,
      version integer not null default 1,
      inserted_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      constraint magic_link_connections_pkey primary key (account_id, organization_id, environment),
      constraint magic_link_connections_organization_fkey foreign key (account_id, organization_id)
        references organizations (account_id, id)
    )`.execute(db)

  await sql`
    create table magic_link_challenges (
      account_id uuid not null,
      environment text not null,
      organization_id uuid not null,
      id uuid not null,
      application_id uuid not null,
      email text not null,
      email_normalized text not null,
      redirect_uri text not null,
      find_or_create_user boolean not null,
      is_link_returned boolean not null,
      token_hash bytea,
      state text,
      nonce text,
      code_challenge text,
      scope text,
      expires_at timestamptz(3) not null,
      used_at timestamptz(3),
      voided_at timestamptz(3),
      inserted_at timestamptz(3) not null,
      constraint magic_link_challenges_pkey primary key (account_id, organization_id, environment, id),
      constraint magic_link_challenges_application_fkey foreign key (account_id, environment, application_id)
        references applications (account_id, environment, id),
      constraint magic_link_challenges_organization_fkey foreign key (account_id, organization_id)
        references organizations (account_id, id)
    )`.execute(db)
  await sql`
    create unique index magic_link_challenges_token_key on magic_link_challenges (token_hash)
    where token_hash is not null`.execute(db)
  await sql`
    create index magic_link_challenges_open on magic_link_challenges
      (account_id, environment, organization_id, email_normalized, application_id, inserted_at desc)
    where used_at is null and voided_at is null`.execute(db)
  await sql`
    create index magic_link_challenges_application on magic_link_challenges
      (account_id, environment, application_id)`.execute(db)
  await sql`create index magic_link_challenges_expiry on magic_link_challenges (expires_at)`.execute(db)

  await sql`
    create table sessions (
      account_id uuid not null,
      environment text not null,
      organization_id uuid not null,
      id uuid not null,
      user_id uuid not null,
      application_id uuid not null,
      amr text[] not null,
      authenticated_at timestamptz(3) not null,
      expires_at timestamptz(3) not null,
      ended_at timestamptz(3),
      constraint sessions_pkey primary key (account_id, organization_id, environment, id),
      constraint sessions_user_fkey foreign key (account_id, environment, organization_id, user_id)
        references users (account_id, environment, organization_id, id) on delete cascade
    )`.execute(db)
  await sql`create index sessions_user on sessions (account_id, environment, organization_id, user_id)`.execute(
    db,
  )
  await sql`
    create index sessions_application on sessions (account_id, environment, application_id)`.execute(db)
  await sql`create index sessions_expiry on sessions (expires_at)`.execute(db)

  await sql`
    create table authorization_codes (
      account_id uuid not null,
      environment text not null,
      organization_id uuid not null,
      id uuid not null,
      session_id uuid not null,
      user_id uuid not null,
      application_id uuid not null,
      redirect_uri text not null,
      code_hash bytea not null constraint authorization_codes_code_key unique,
      code_challenge text,
      nonce text,
      state text,
      scope text not null,
      expires_at timestamptz(3) not null,
      used_at timestamptz(3),
      constraint authorization_codes_pkey primary key (account_id, organization_id, environment, id),
      constraint authorization_codes_session_fkey foreign key (account_id, environment, organization_id, session_id)
        references sessions (account_id, environment, organization_id, id) on delete cascade,
      constraint authorization_codes_application_fkey foreign key (account_id, environment, application_id)
        references applications (account_id, environment, id)
    )`.execute(db)
  await sql`
    create index authorization_codes_application on authorization_codes
      (account_id, environment, application_id)`.execute(db)
  await sql`create index authorization_codes_expiry on authorization_codes (expires_at)`.execute(db)
  await sql`
    create index authorization_codes_session on authorization_codes
      (account_id, environment, organization_id, session_id)`.execute(db)
}

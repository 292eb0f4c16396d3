import { sql, type Kysely } from 'kysely'

/** Passwords, the peppers and requests around them, and sign-ins that wait for a second factor. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table password_connections (
      account_id uuid not null,
      environment text not null
        constraint password_connections_environment_check check (environment in ('sandbox', 'production')),
      organization_id uuid not null,
      id uuid not null,
      active boolean not null,
      plain_text_min_length integer not null,
      plain_text_max_length integer not null,
      pepper_rotation_period integer not null,
      version integer not null default 1,
      inserted_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      constraint password_connections_pkey primary key (account_id, organization_id, environment),
      constraint password_connections_lengths_check check (plain_text_min_length < plain_text_max_length),
      constraint password_connections_rotation_check
        check (pepper_rotation_period between 3600 and 31536000),
      constraint password_connections_organization_fkey foreign key (account_id, organization_id)
        references organizations (account_id, id)
    )`.execute(db)

  await sql`
    create table password_peppers (
      account_id uuid not null,
      environment text not null,
      organization_id uuid not null,
      version integer not null,
      key_sealed bytea not null,
      inserted_at timestamptz(3) not null,
      constraint password_peppers_pkey primary key (account_id, organization_id, environment, version),
      constraint password_peppers_connection_fkey foreign key (account_id, organization_id, environment)
        references password_connections (account_id, organization_id, environment) on delete cascade
    )`.execute(db)

  // A pepper that still wraps a hash cannot be deleted.
  await sql`
    create table passwords (
      account_id uuid not null,
      environment text not null,
      organization_id uuid not null,
      user_id uuid not null,
      id bigint generated always as identity constraint passwords_id_key unique,
      pepper_version integer not null,
      hash_wrapped bytea not null,
      set_at timestamptz(3) not null,
      inserted_at timestamptz(3) not null,
      constraint passwords_pkey primary key (account_id, organization_id, environment, user_id),
      constraint passwords_user_fkey foreign key (account_id, environment, organization_id, user_id)
        references users (account_id, environment, organization_id, id) on delete cascade,
      constraint passwords_pepper_fkey foreign key (account_id, organization_id, environment, pepper_version)
        references password_peppers (account_id, organization_id, environment, version)
    )`.execute(db)
  // Includes the user's id, because the rotation proceeds in its order.
  await sql`
    create index passwords_pepper on passwords
      (account_id, organization_id, environment, pepper_version, user_id)`.execute(db)

  await sql`
    create table password_requests (
      account_id uuid not null,
      environment text not null,
      organization_id uuid not null,
      id uuid not null,
      user_id uuid,
      email_normalized text not null,
      application_id uuid not null,
      redirect_uri text not null,
      code_hash bytea,
      opened_at timestamptz(3),
      state text,
      nonce text,
      code_challenge text,
      scope text not null,
      expires_at timestamptz(3) not null,
      used_at timestamptz(3),
      inserted_at timestamptz(3) not null,
      constraint password_requests_pkey primary key (account_id, organization_id, environment, id),
      constraint password_requests_user_fkey foreign key (account_id, environment, organization_id, user_id)
        references users (account_id, environment, organization_id, id) on delete cascade,
      constraint password_requests_organization_fkey foreign key (account_id, organization_id)
        references organizations (account_id, id),
      constraint password_requests_application_fkey foreign key (account_id, environment, application_id)
        references applications (account_id, environment, id)
    )`.execute(db)
  await sql`
    create unique index password_requests_code_key on password_requests (code_hash)
    where code_hash is not null`.execute(db)
  await sql`
    create index password_requests_user on password_requests
      (account_id, environment, organization_id, user_id)`.execute(db)
  await sql`
    create index password_requests_email on password_requests
      (account_id, environment, organization_id, email_normalized)`.execute(db)
  await sql`
    create index password_requests_application on password_requests
      (account_id, environment, application_id)`.execute(db)
  await sql`create index password_requests_expiry on password_requests (expires_at)`.execute(db)

  await sql`
    alter table magic_link_challenges
      add column password_request_id uuid,
      add constraint magic_link_challenges_password_request_fkey
        foreign key (account_id, organization_id, environment, password_request_id)
        references password_requests (account_id, organization_id, environment, id) on delete cascade`.execute(
    db,
  )
  await sql`
    create index magic_link_challenges_password_request on magic_link_challenges
      (account_id, organization_id, environment, password_request_id)
    where password_request_id is not null`.execute(db)

  await sql`
    create table pending_sign_ins (
      account_id uuid not null,
      environment text not null,
      organization_id uuid not null,
      id uuid not null,
      user_id uuid not null,
      application_id uuid not null,
      redirect_uri text not null,
      amr text[] not null,
      authenticated_at timestamptz(3) not null,
      is_renewal_due boolean not null,
      state text,
      nonce text,
      code_challenge text,
      scope text not null,
      expires_at timestamptz(3) not null,
      used_at timestamptz(3),
      inserted_at timestamptz(3) not null,
      constraint pending_sign_ins_pkey primary key (account_id, organization_id, environment, id),
      constraint pending_sign_ins_user_fkey foreign key (account_id, environment, organization_id, user_id)
        references users (account_id, environment, organization_id, id) on delete cascade,
      constraint pending_sign_ins_application_fkey foreign key (account_id, environment, application_id)
        references applications (account_id, environment, id)
    )`.execute(db)
  await sql`
    create index pending_sign_ins_user on pending_sign_ins
      (account_id, environment, organization_id, user_id)`.execute(db)
  await sql`
    create index pending_sign_ins_application on pending_sign_ins
      (account_id, environment, application_id)`.execute(db)
  await sql`create index pending_sign_ins_expiry on pending_sign_ins (expires_at)`.execute(db)
}

import { sql, type Kysely } from 'kysely'

/** The second factor: whether an organization requires it, enrollments, and challenges. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table totp_connections (
      account_id uuid not null,
      environment text not null
        constraint totp_connections_environment_check check (environment in ('sandbox', 'production')),
      organization_id uuid not null,
      active boolean not null,
      method text not null constraint totp_connections_method_check check (method in ('totp_mobile_app', 'sms')),
      expiry_in_seconds integer not null,
      version integer not null default 1,
      inserted_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      constraint totp_connections_pkey primary key (account_id, organization_id, environment),
      constraint totp_connections_organization_fkey foreign key (account_id, organization_id)
        references organizations (account_id, id)
    )`.execute(db)
  await sql`
    insert into totp_connections (
      account_id, environment, organization_id, active, method, expiry_in_seconds, inserted_at, updated_at
    )
    select account_id, environment, id, false, 'totp_mobile_app', 30, inserted_at, inserted_at
    from organizations cross join unnest(array['sandbox', 'production']) as environment`.execute(db)

  // A pending secret replaces the current one once its first code is right; until then it has no effect.
  await sql`
    create table totp_enrollments (
      account_id uuid not null,
      environment text not null,
      organization_id uuid not null,
      user_id uuid not null,
      method text,
      secret_sealed bytea,
      recovery_codes_sealed bytea,
      enrolled_at timestamptz(3),
      validated_at timestamptz(3),
      enrollment_nb integer not null default 0,
      last_step bigint not null default 0,
      failures integer not null default 0,
      locked_until timestamptz(3),
      last_recovery_acknowledgement_at timestamptz(3),
      last_recovery_code_at timestamptz(3),
      pending_id uuid,
      pending_method text,
      pending_secret_sealed bytea,
      pending_code_sealed bytea,
      pending_recovery_codes_sealed bytea,
      pending_phone_number text,
      pending_failures integer not null default 0,
      pending_at timestamptz(3),
      pending_expires_at timestamptz(3),
      inserted_at timestamptz(3) not null,
      constraint totp_enrollments_pkey primary key (account_id, organization_id, environment, user_id),
      constraint totp_enrollments_user_fkey foreign key (account_id, environment, organization_id, user_id)
        references users (account_id, environment, organization_id, id) on delete cascade
    )`.execute(db)
  await sql`
    create index totp_enrollments_begun on totp_enrollments (pending_expires_at)
    where validated_at is null`.execute(db)

  await sql`
    create table totp_challenges (
      account_id uuid not null,
      environment text not null,
      organization_id uuid not null,
      id uuid not null,
      user_id uuid not null,
      method text not null,
      code_sealed bytea,
      pending_sign_in_id uuid,
      expires_at timestamptz(3) not null,
      challenged_at timestamptz(3),
      voided_at timestamptz(3),
      recovery_code_used boolean not null default false,
      inserted_at timestamptz(3) not null,
      constraint totp_challenges_pkey primary key (account_id, organization_id, environment, id),
      constraint totp_challenges_user_fkey foreign key (account_id, environment, organization_id, user_id)
        references users (account_id, environment, organization_id, id) on delete cascade,
      constraint totp_challenges_pending_sign_in_fkey
        foreign key (account_id, organization_id, environment, pending_sign_in_id)
        references pending_sign_ins (account_id, organization_id, environment, id) on delete cascade
    )`.execute(db)
  await sql`
    create index totp_challenges_user on totp_challenges
      (account_id, environment, organization_id, user_id, inserted_at desc)`.execute(db)
  await sql`
    create index totp_challenges_pending_sign_in on totp_challenges
      (account_id, organization_id, environment, pending_sign_in_id)
    where pending_sign_in_id is not null`.execute(db)
  await sql`create index totp_challenges_expiry on totp_challenges (expires_at)`.execute(db)
}

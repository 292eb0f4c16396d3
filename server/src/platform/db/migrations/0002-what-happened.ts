import { sql, type Kysely } from 'kysely'

/** The records that every change leaves: events, log events, jobs, answers to repeat, and kept mails. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table events (
      account_id uuid not null constraint events_account_fkey references accounts,
      environment text not null,
      id uuid not null,
      organization_id uuid,
      domain text not null,
      code text not null,
      data jsonb not null,
      params jsonb not null,
      actor_type text not null,
      actor_id text not null,
      request_id text not null,
      subject_id uuid,
      email_normalized text,
      issued_at timestamptz(6) not null,
      position bigint,
      constraint events_pkey primary key (account_id, environment, id)
    )`.execute(db)
  await sql`
    create unique index events_position_key on events (account_id, environment, position)
    where position is not null`.execute(db)
  await sql`create index events_issued on events (issued_at)`.execute(db)
  await sql`
    create index events_subject on events (account_id, environment, subject_id)
    where subject_id is not null`.execute(db)
  // Rows without a user are erased by their address, and all of them with the organization.
  await sql`
    create index events_organization on events (account_id, organization_id, environment, email_normalized)
    where organization_id is not null`.execute(db)

  // By month, so that old rows go with their table and leave nothing for vacuum. No default partition: with one, a list
  // in the order of time would have to merge all months instead of reading the newest and stopping there. Both ends are
  // open instead, so that a row of any time has a partition. The months between them are made by
  // server/src/delivery/log-events/months.ts.
  await sql`
    create table log_events (
      account_id uuid not null constraint log_events_account_fkey references accounts,
      id bigint generated always as identity,
      environment text,
      organization_id uuid,
      domain text not null,
      event_code text not null,
      client_id uuid,
      email text,
      email_normalized text,
      resource_owner_id uuid,
      saml_identity_provider_id text,
      reason text,
      request_id text not null,
      inserted_at timestamptz(3) not null,
      constraint log_events_pkey primary key (account_id, id, inserted_at)
    ) partition by range (inserted_at)`.execute(db)
  await sql`
    create table log_events_before partition of log_events
    for values from (minvalue) to ('1970-01-01T00:00:00Z')`.execute(db)
  await sql`
    create table log_events_after partition of log_events
    for values from ('1970-01-01T00:00:00Z') to (maxvalue)`.execute(db)
  await sql`
    create index log_events_list on log_events
      (account_id, environment, organization_id, inserted_at desc, id desc)`.execute(db)
  await sql`create index log_events_inserted on log_events (inserted_at)`.execute(db)
  await sql`
    create index log_events_resource_owner on log_events (account_id, resource_owner_id)
    where resource_owner_id is not null`.execute(db)
  await sql`
    create index log_events_organization on log_events
      (account_id, organization_id, environment, email_normalized)
    where organization_id is not null`.execute(db)

  // run_at is also the lease: a claim moves it into the future, so that a dead worker's job comes due by itself.
  await sql`
    create table jobs (
      id bigint generated always as identity constraint jobs_pkey primary key,
      name text not null,
      account_id uuid,
      payload jsonb not null,
      key text,
      run_at timestamptz(3) not null,
      attempt integer not null default 0,
      lease uuid,
      last_error text,
      inserted_at timestamptz(3) not null
    ) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 0)`.execute(
    db,
  )
  await sql`create index jobs_due on jobs (run_at, id)`.execute(db)
  await sql`create unique index jobs_key_key on jobs (name, key) where key is not null`.execute(db)

  await sql`
    create table idempotency_keys (
      account_id uuid not null constraint idempotency_keys_account_fkey references accounts,
      environment text not null,
      api_key_id uuid not null,
      key_hash bytea not null,
      request_hash bytea not null,
      lease uuid,
      lease_until timestamptz(3) not null,
      answer_sealed bytea,
      organization_id uuid,
      subject_id uuid,
      expires_at timestamptz(3) not null,
      constraint idempotency_keys_pkey primary key (account_id, environment, api_key_id, key_hash)
    )`.execute(db)
  await sql`create index idempotency_keys_expiry on idempotency_keys (expires_at)`.execute(db)
  await sql`
    create index idempotency_keys_subject on idempotency_keys (subject_id)
    where subject_id is not null`.execute(db)
  await sql`
    create index idempotency_keys_organization on idempotency_keys (organization_id)
    where organization_id is not null`.execute(db)

  await sql`
    create table outbox_messages (
      account_id uuid not null constraint outbox_messages_account_fkey references accounts,
      environment text not null,
      id uuid not null,
      organization_id uuid,
      domain text not null,
      channel text not null constraint outbox_messages_channel_check check (channel in ('mail', 'sms')),
      recipient text not null,
      email_normalized text,
      subject text,
      text text not null,
      html text,
      inserted_at timestamptz(3) not null,
      constraint outbox_messages_pkey primary key (account_id, environment, id)
    )`.execute(db)
  await sql`
    create index outbox_messages_list on outbox_messages (account_id, environment, inserted_at desc, id desc)
    `.execute(db)
  await sql`
    create index outbox_messages_organization on outbox_messages
      (account_id, organization_id, environment, email_normalized)`.execute(db)
}

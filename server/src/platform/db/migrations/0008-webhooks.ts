import { sql, type Kysely } from 'kysely'

/** Webhooks and their deliveries: a delivery is inserted by the statement of its event, and is its own job. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table webhooks (
      account_id uuid not null constraint webhooks_account_fkey references accounts,
      environment text not null,
      id uuid not null constraint webhooks_id_key unique,
      name text not null,
      target_url text not null,
      event_codes text[] not null,
      active boolean not null,
      retry_on_timeout boolean not null,
      signature_key_sealed bytea not null,
      previous_signature_key_sealed bytea,
      previous_signature_key_expires_at timestamptz(3),
      failing_since timestamptz(3),
      version integer not null default 1,
      inserted_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      deleted_at timestamptz(3),
      constraint webhooks_pkey primary key (account_id, environment, id)
    )`.execute(db)
  await sql`
    create index webhooks_list on webhooks (account_id, environment, inserted_at desc, id desc)
    where deleted_at is null`.execute(db)
  await sql`create index webhooks_deleted on webhooks (deleted_at) where deleted_at is not null`.execute(db)

  // One per event and webhook, so that its id is the event's. run_at is also the lease, as in jobs; null when nothing is
  // left to send.
  await sql`
    create table webhook_deliveries (
      account_id uuid not null,
      environment text not null,
      id uuid not null,
      webhook_id uuid not null,
      event_code text not null,
      state text not null constraint webhook_deliveries_state_check
        check (state in ('pending', 'delivered', 'failed', 'lost')),
      run_at timestamptz(3),
      lease uuid,
      attempt integer not null default 0,
      attempts_before integer not null default 0,
      inserted_at timestamptz(3) not null,
      -- The event first, so that erasing one finds its deliveries.
      constraint webhook_deliveries_pkey primary key (account_id, environment, id, webhook_id),
      constraint webhook_deliveries_webhook_fkey foreign key (account_id, environment, webhook_id)
        references webhooks (account_id, environment, id) on delete cascade,
      constraint webhook_deliveries_event_fkey foreign key (account_id, environment, id)
        references events (account_id, environment, id) on delete cascade,
      constraint webhook_deliveries_run_at_check check ((state = 'pending') = (run_at is not null))
    ) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 0)`.execute(
    db,
  )
  await sql`
    create index webhook_deliveries_due on webhook_deliveries (webhook_id, run_at)
    where state = 'pending'`.execute(db)
  // An inactive webhook is sent only test events, however many others wait for it.
  await sql`
    create index webhook_deliveries_due_test on webhook_deliveries (webhook_id, run_at)
    where state = 'pending' and event_code = 'webhook.webhook.test.success'`.execute(db)
  await sql`
    create index webhook_deliveries_list on webhook_deliveries
      (account_id, environment, webhook_id, inserted_at desc, id desc)`.execute(db)

  await sql`
    create table webhook_attempts (
      account_id uuid not null,
      environment text not null,
      delivery_id uuid not null,
      webhook_id uuid not null,
      number integer not null,
      outcome text not null,
      status integer,
      answer text,
      duration_ms integer not null,
      started_at timestamptz(3) not null,
      constraint webhook_attempts_pkey primary key (account_id, environment, delivery_id, webhook_id, number),
      constraint webhook_attempts_delivery_fkey foreign key (account_id, environment, delivery_id, webhook_id)
        references webhook_deliveries (account_id, environment, id, webhook_id) on delete cascade
    )`.execute(db)
}

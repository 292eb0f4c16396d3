import { sql, type Kysely } from 'kysely'

/** The order of events: the last number given, and the number up to which each stream has lost its oldest. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table event_sequencer (
      is_only boolean not null constraint event_sequencer_pkey primary key
        constraint event_sequencer_check check (is_only),
      last_position bigint not null
    )`.execute(db)
  await sql`
    create table event_horizons (
      account_id uuid not null constraint event_horizons_account_fkey references accounts,
      environment text not null,
      position bigint not null,
      constraint event_horizons_pkey primary key (account_id, environment)
    )`.execute(db)
  await sql`create index events_unnumbered on events (issued_at, id) where position is null`.execute(db)
}

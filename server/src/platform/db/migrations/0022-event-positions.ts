import { sql, type Kysely } from 'kysely'

/**
 * The order of events, for each account and environment by itself: the events without a position, the positions, and the
 * last one given. An event's row is not written again when it gets its position.
 *
 * Processes of the release before still use `event_sequencer` and `events.position`: their statements that number events
 * number them here, and copy the positions for them. These two, their indexes and triggers exist only for that release.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createTables(db)
  await copyPositions(db)
  await createNumbering(db)
  await createTriggers(db)
  // From here on no events are written or numbered: the triggers' tables are locked until this commits.
  await copyRemainder(db)
  await alterStatistics(db)
}

async function createTables(db: Kysely<unknown>): Promise<void> {
  // No foreign key to events: its check would lock the event, which writes its row. Triggers delete with the event.
  await sql`
    create table event_positions (
      account_id uuid not null,
      environment text not null,
      position bigint not null,
      event_id uuid not null
    )`.execute(db)
  await sql`
    create table unnumbered_events (
      account_id uuid not null,
      environment text not null,
      issued_at timestamptz(6) not null,
      event_id uuid not null,
      constraint unnumbered_events_pkey primary key (account_id, environment, issued_at, event_id)
    ) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 0)`.execute(db)
}

/** Copies most positions without blocking others, and creates the indexes afterwards. */
async function copyPositions(db: Kysely<unknown>): Promise<void> {
  await sql`
    insert into event_positions (account_id, environment, position, event_id)
    select account_id, environment, position, id from events where position is not null
    order by account_id, environment, position`.execute(db)
  await sql`
    alter table event_positions
      add constraint event_positions_pkey primary key (account_id, environment, position),
      add constraint event_positions_event_key unique (account_id, environment, event_id)`.execute(db)
  await sql`
    create table event_sequencers (
      account_id uuid not null constraint event_sequencers_account_fkey references accounts,
      environment text not null,
      last_position bigint not null,
      constraint event_sequencers_pkey primary key (account_id, environment)
    ) with (fillfactor = 70)`.execute(db)
}

async function createNumbering(db: Kysely<unknown>): Promise<void> {
  // Each statement of it sees what was committed before: the lock comes first, so that later statements see the work of
  // its last holder. An event that is being deleted is left out, and numbered later if it stays.
  await sql
    .raw(
      `create function number_events(of_account uuid, of_environment text) returns boolean language plpgsql as $$
      declare
        at_once constant integer := 1000;
        last bigint;
        numbered integer;
      begin
        if not exists (
          select from unnumbered_events where account_id = of_account and environment = of_environment
        ) then
          return false;
        end if;
        insert into event_sequencers (account_id, environment, last_position)
        values (of_account, of_environment, 0) on conflict do nothing;
        select last_position into strict last from event_sequencers
        where account_id = of_account and environment = of_environment for update;
        with taken as (
          delete from unnumbered_events where ctid = any(array(
            select ctid from unnumbered_events
            where account_id = of_account and environment = of_environment
            order by issued_at, event_id limit at_once for update skip locked
          ))
          returning issued_at, event_id
        )
        insert into event_positions (account_id, environment, position, event_id)
        select of_account, of_environment, last + row_number() over (order by issued_at, event_id), event_id
        from taken;
        get diagnostics numbered = row_count;
        if numbered > 0 then
          update event_sequencers set last_position = last + numbered
          where account_id = of_account and environment = of_environment;
        end if;
        return numbered = at_once;
      end $$`,
    )
    .execute(db)
}

async function createTriggers(db: Kysely<unknown>): Promise<void> {
  // The release before numbers events by inserts into this table, repeated until each event has a position. One process
  // does it at a time. A visible position implies that all smaller ones of the account are visible, and these are copied
  // first: so that release misses no position.
  await createTrigger(
    db,
    'number_events_for_release_before',
    'before insert on event_sequencer for each statement',
    `declare
      stream record;
    begin
      perform pg_advisory_xact_lock(hashtextextended('event_sequencer', 0));
      for stream in
        select distinct account_id, environment from unnumbered_events order by account_id, environment
      loop
        while number_events(stream.account_id, stream.environment) loop
        end loop;
      end loop;
      update events set position = numbered.position
      from (
        select account_id, environment, id, event_positions.position
        from events join event_positions using (account_id, environment)
        where events.position is null and event_positions.event_id = events.id
        order by event_positions.position limit 20000
      ) numbered
      where events.account_id = numbered.account_id
        and events.environment = numbered.environment
        and events.id = numbered.id;
      return null;
    end`,
  )
  await createTrigger(
    db,
    'events_keep_position',
    'before update of position on events for each row when (pg_trigger_depth() = 0)',
    'begin return null; end',
  )
  await createTrigger(
    db,
    'events_inserted',
    'after insert on events for each row when (new.position is null)',
    `begin
      insert into unnumbered_events (account_id, environment, issued_at, event_id)
      values (new.account_id, new.environment, new.issued_at, new.id);
      return null;
    end`,
  )
  // In this order: a concurrent numbering of the event is waited for, and its position is seen.
  await createTrigger(
    db,
    'events_deleted',
    'after delete on events for each row',
    `begin
      delete from unnumbered_events
      where account_id = old.account_id and environment = old.environment
        and issued_at = old.issued_at and event_id = old.id;
      delete from event_positions
      where account_id = old.account_id and environment = old.environment and event_id = old.id;
      return null;
    end`,
  )
}

/** @param when When it fires, and on which table. */
async function createTrigger(db: Kysely<unknown>, name: string, when: string, body: string): Promise<void> {
  await sql.raw(`create function ${name}() returns trigger language plpgsql as $$ ${body} $$`).execute(db)
  await sql.raw(`create trigger ${name} ${when} execute function ${name}()`).execute(db)
}

async function copyRemainder(db: Kysely<unknown>): Promise<void> {
  // By account, because no index begins with the position, and by that index: the planner assumes that an account may be
  // all of the table, and would read it once for each.
  await sql`set local enable_seqscan = off`.execute(db)
  await sql`
    insert into event_positions (account_id, environment, position, event_id)
    select newer.account_id, newer.environment, newer.position, newer.id
    from accounts
    cross join unnest(array['production', 'sandbox']) environment
    cross join lateral (
      select account_id, environment, position, id from events
      where account_id = accounts.id and environment = environment.environment and position > coalesce((
        select max(position) from event_positions
        where account_id = accounts.id and environment = environment.environment
      ), 0)
      offset 0
    ) newer`.execute(db)
  await sql`set local enable_seqscan = default`.execute(db)
  // No cursor lies beyond the last number of all, while the account's own last event may be deleted. So earlier cursors
  // stay valid, and those of later accounts reveal nothing of it.
  await sql`
    insert into event_sequencers (account_id, environment, last_position)
    select accounts.id, environment, event_sequencer.last_position
    from accounts cross join unnest(array['production', 'sandbox']) environment cross join event_sequencer
    order by accounts.id, environment`.execute(db)
  await sql`
    insert into unnumbered_events (account_id, environment, issued_at, event_id)
    select account_id, environment, issued_at, id from events where position is null`.execute(db)
}

async function alterStatistics(db: Kysely<unknown>): Promise<void> {
  for (const table of ['event_positions', 'event_sequencers', 'unnumbered_events'])
    await sql`
      alter table ${sql.table(table)}
        alter account_id set (n_distinct = 1), alter environment set (n_distinct = 1)`.execute(db)
}

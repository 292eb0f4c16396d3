import { sql, type Kysely } from 'kysely'
import type { DB } from '../db/schema.js'

const batchSize = 1_000

/**
 * Gives each event that was committed its place in the order, until none is without one.
 *
 * One transaction numbers at a time, and commits before the next one begins: whoever can see a number can see every
 * smaller one too, however long the transactions of the events took. So a reader that goes on behind the last number
 * it has seen skips nothing. Numbers that were not used are gone; they need not be consecutive.
 */
export async function numberEvents(db: Kysely<DB>): Promise<void> {
  while (await isAnyUnnumbered(db)) await numberBatch(db)
}

async function isAnyUnnumbered(db: Kysely<DB>): Promise<boolean> {
  const { rows } = await sql<{ is_any: boolean }>`
    select exists (select from events where position is null) as is_any`.execute(db)
  return rows[0]?.is_any ?? false
}

function numberBatch(db: Kysely<DB>): Promise<void> {
  return db.transaction().execute(async (trx) => {
    // The lock on the one row is what makes the others wait. It comes first, so that what follows sees their work.
    const { rows } = await sql<{ last_position: string }>`
      insert into event_sequencer (is_only, last_position) values (true, 0)
      on conflict (is_only) do update set last_position = event_sequencer.last_position
      returning last_position`.execute(trx)
    await sql`
      with unnumbered as (
        select account_id, environment, id, row_number() over (order by issued_at, id) as place
        from (
          select account_id, environment, id, issued_at from events
          where position is null order by issued_at, id limit ${batchSize}
        ) oldest
      ), numbered as (
        update events set position = ${rows[0]?.last_position ?? '0'}::bigint + unnumbered.place
        from unnumbered
        where events.account_id = unnumbered.account_id
          and events.environment = unnumbered.environment
          and events.id = unnumbered.id
        returning events.position
      )
      update event_sequencer set last_position = greatest(last_position, (select max(position) from numbered))`.execute(
      trx,
    )
  })
}

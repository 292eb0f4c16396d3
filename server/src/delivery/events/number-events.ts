import { sql, type Kysely } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import { sqlStatement } from '../../platform/db/statement.js'
import type { Caller } from '../../platform/tenant.js'

/** An account in an environment: its events have an order of their own. */
export type EventStream = Pick<Caller, 'accountId' | 'environment'>

/**
 * Gives each event of the account and environment that was committed its place in their order, 1 being the first, until none
 * is without one.
 *
 * One transaction numbers them at a time, and commits before the next one begins: whoever can see a place can see every
 * smaller one too, however long the transactions of the events took. So a reader that goes on behind the last place it has
 * seen skips nothing. Other accounts do not wait for it. (The function is in migration 0022.)
 */
export async function numberEvents(db: Kysely<DB>, stream: EventStream): Promise<void> {
  for (;;) {
    const [batch] = await numberBatch(db, stream)
    if (batch?.is_more !== true) return
  }
}

const numberBatch = sqlStatement(
  ({ accountId, environment }: EventStream) => sql<{ is_more: boolean }>`
    select number_events(${accountId}::uuid, ${environment}) as is_more`,
)

/** The same for every account, each by itself, so that none is held up by those before it. */
export async function numberAllEvents(db: Kysely<DB>): Promise<void> {
  const { rows: streams } = await sql<EventStream>`
    select distinct account_id as "accountId", environment from unnumbered_events`.execute(db)
  for (const stream of streams) await numberEvents(db, stream)
}

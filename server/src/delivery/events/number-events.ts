import { sql, type Kysely } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import { sqlStatement } from '../../platform/db/statement.js'
import type { Caller } from '../../platform/tenant.js'

/** An account in an environment, whose events are ordered independently of all others. */
export type EventStream = Pick<Caller, 'accountId' | 'environment'>

/**
 * Assigns a position, from 1, to every committed event of the account and environment that has no position yet.
 *
 * One transaction per stream assigns positions at a time and commits before the next begins. A reader that sees a position
 * therefore sees every smaller one, however long the transactions of the events took, and skips nothing when it continues
 * after its last position. Other accounts do not wait. (The SQL function is in migration 0022.)
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

/** Numbers the events of every account, each in its own transaction, so that no account delays another. */
export async function numberAllEvents(db: Kysely<DB>): Promise<void> {
  const { rows: streams } = await sql<EventStream>`
    select distinct account_id as "accountId", environment from unnumbered_events`.execute(db)
  for (const stream of streams) await numberEvents(db, stream)
}

import { eventCodes, selectorsOf } from '@portico/contract/event-catalog'
import type { EventQuery } from '@portico/contract/events'
import { sql } from 'kysely'

/** The columns of an event in the table of events. */
export const eventColumns = sql`id, domain, environment, code, data, params, errors, actor_type, actor_id, request_id, issued_at`

/** The time of a selected event as its row has it. */
export function issuedAtOf(event: string) {
  const column = sql.ref(`${event}.issued_at`)
  return sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as issued_at`
}

/** The codes that a filter selects; null: it matches no event. */
export function codesOf(filter: EventQuery['code']) {
  const codes =
    filter === null ? [] : eventCodes.filter((code) => !filter || selectorsOf(code).includes(filter))
  return { isEveryCode: filter === undefined, codes }
}

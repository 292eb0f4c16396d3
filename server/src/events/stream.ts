import { eventCodes, selectorsOf } from '@portico/contract/event-catalog'
import type { EventPage, EventQuery } from '@portico/contract/events'
import { sql, type Kysely } from 'kysely'
import type { DB } from '../db/schema.js'
import type { Deps } from '../deps.js'
import { ApiError, invalid } from '../errors.js'
import type { Caller } from '../tenant.js'
import { numberEvents } from './number-events.js'
import { readCursor, toEvent, writeCursor, type EventRow } from './record.js'

/**
 * The events of the caller's account and environment in their order, from a position on. Everything that was committed
 * before is there.
 *
 * @throws ApiError `invalid_parameters` for an `after` that no answer has given out, and `events_expired` when events
 *   that follow it are not kept any more.
 */
export async function readEvents(
  { db }: Pick<Deps, 'db'>,
  { accountId, environment }: Pick<Caller, 'accountId' | 'environment'>,
  { after, limit, code }: EventQuery,
): Promise<EventPage> {
  await numberEvents(db)
  const position = await positionOf(db, { accountId, environment }, after)
  if (position === undefined)
    throw invalid('after', 'unknown', 'must be the cursor of an event or of an answer of this operation')

  // A filter that nothing can meet is read as null.
  const codes = code === null ? [] : eventCodes.filter((each) => !code || selectorsOf(each).includes(code))
  const { rows } = await sql<EventRow & { is_expired: boolean; searched: string }>`
    select
      events.*,
      to_char(events.issued_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as issued_at,
      exists (
        select from event_horizons
        where account_id = ${accountId} and environment = ${environment} and position > ${position}::bigint
      ) as is_expired,
      greatest(${position}::bigint, (
        select max(position) from events
        where account_id = ${accountId} and environment = ${environment} and position is not null
      ))::text as searched
    from (select) one
    left join (
      select id, domain, environment, code, data, params, errors, actor_type, actor_id, request_id, issued_at, position
      from events
      where account_id = ${accountId}
        and environment = ${environment}
        and position > ${position}::bigint
        and (${code === undefined} or code = any(${codes}::text[]))
      order by position
      limit ${limit + 1}
    ) events on true
    order by events.position`.execute(db)
  if (after !== undefined && rows[0]?.is_expired === true) throw new ApiError('events_expired')

  const found = rows.filter((row) => row.id !== null)
  const data = found.slice(0, limit).map(toEvent)
  const hasMore = found.length > limit
  // At the end a reader of a rare code goes on behind all that it was not, and is not too late for what it has missed.
  const searched = code === null ? position : (rows[0]?.searched ?? position)
  const last = hasMore ? data.at(-1)?.cursor : undefined
  return { __type__: 'List', data, cursor: last ?? writeCursor(searched), has_more: hasMore }
}

/** The position that `after` names; undefined when it names none. */
async function positionOf(
  db: Kysely<DB>,
  { accountId, environment }: Pick<Caller, 'accountId' | 'environment'>,
  after: string | undefined,
): Promise<string | undefined> {
  if (after === undefined) return '0'
  if (after !== 'latest') return readCursor(after)
  const { rows } = await sql<{ position: string }>`
    select greatest(0,
      (select max(position) from events
        where account_id = ${accountId} and environment = ${environment} and position is not null),
      (select position from event_horizons where account_id = ${accountId} and environment = ${environment})
    )::text as position`.execute(db)
  return rows[0]?.position
}

import type { EventPage, EventQuery } from '@portico/contract/events'
import { sql, type Kysely } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import { sqlStatement } from '../../platform/db/statement.js'
import type { Deps } from '../deps.js'
import { ApiError, invalid } from '../../platform/errors.js'
import { codesOf, eventColumns, issuedAtOf } from './event-search.js'
import { numberEvents, type EventStream } from './number-events.js'
import { readCursor, toEvent, writeCursor, type EventRow } from './record.js'

/**
 * The events of the caller's account and environment in their order, after a position, including every event that was
 * committed before the call.
 *
 * @throws ApiError `invalid_parameters` for an `after` that was never issued, and `events_expired` when events after it
 *   have passed their retention period.
 */
export async function readEvents(
  { db }: Pick<Deps, 'db'>,
  { accountId, environment }: EventStream,
  { after, limit, code }: EventQuery,
): Promise<EventPage> {
  const stream = { accountId, environment }
  await numberEvents(db, stream)
  const position = await positionOf(db, stream, after)
  if (position === undefined)
    throw invalid('after', 'unknown', 'must be the cursor of an event or of an answer of this operation')

  const rows = await selectEvents(db, { ...stream, position, ...codesOf(code), limit: limit + 1 })
  if (after !== undefined && rows[0]?.is_expired === true) throw new ApiError('events_expired')

  const found = rows.filter((row) => row.id !== null)
  const data = found.slice(0, limit).map(toEvent)
  const hasMore = found.length > limit
  // On the last page the cursor moves past events of other codes, so that a reader of a rare code does not expire.
  const searched = code === null ? position : (rows[0]?.searched ?? position)
  const last = hasMore ? data.at(-1)?.cursor : undefined
  return { __type__: 'List', data, cursor: last ?? writeCursor(searched), has_more: hasMore }
}

interface Search extends EventStream {
  readonly position: string
  readonly isEveryCode: boolean
  readonly codes: readonly string[]
  readonly limit: number
}

/** Always returns a row; without a matching event its id is null. */
const selectEvents = sqlStatement(
  ({ accountId, environment, position, isEveryCode, codes, limit }: Search) => sql<
    EventRow & { is_expired: boolean; searched: string }
  >`
    select
      event.*,
      ${issuedAtOf('event')},
      exists (
        select from event_horizons
        where account_id = ${accountId} and environment = ${environment} and position > ${position}::bigint
      ) as is_expired,
      greatest(${position}::bigint, (
        select last_position from event_sequencers
        where account_id = ${accountId} and environment = ${environment}
      ))::text as searched
    from (select) one
    left join (
      select place.position, found.*
      from event_positions place
      cross join lateral (
        select ${eventColumns}
        from events
        where account_id = ${accountId} and environment = ${environment} and id = place.event_id
          and (${isEveryCode} or code = any(${codes}::text[]))
        offset 0
      ) found
      where place.account_id = ${accountId}
        and place.environment = ${environment}
        and place.position > ${position}::bigint
      order by place.position
      limit ${limit}
    ) event on true
    order by event.position`,
)

/** The position of the cursor `after`; undefined when the cursor is invalid. */
async function positionOf(
  db: Kysely<DB>,
  stream: EventStream,
  after: string | undefined,
): Promise<string | undefined> {
  if (after === undefined) return '0'
  if (after !== 'latest') return readCursor(after)
  const [last] = await selectLast(db, stream)
  return last?.last_position ?? '0'
}

const selectLast = sqlStatement(
  ({ accountId, environment }: EventStream) => sql<{ last_position: string }>`
    select last_position::text from event_sequencers
    where account_id = ${accountId} and environment = ${environment}`,
)

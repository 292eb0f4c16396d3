import type { RecentEventQuery, RecentEvents } from '@portico/contract/recent-events'
import { sql } from 'kysely'
import { sqlStatement } from '../../platform/db/statement.js'
import { invalid } from '../../platform/errors.js'
import type { Deps } from '../deps.js'
import { codesOf, eventColumns, issuedAtOf } from './event-search.js'
import { numberEvents, type EventStream } from './number-events.js'
import { readCursor, toEvent, writeCursor, type EventRow } from './record.js'

/**
 * The events of the caller's account and environment, the newest first.
 *
 * @throws ApiError `invalid_parameters` for an `after` that was never issued.
 */
export async function listRecentEvents(
  { db }: Pick<Deps, 'db'>,
  { accountId, environment }: EventStream,
  { after, per_page: limit, code }: RecentEventQuery,
): Promise<RecentEvents> {
  const stream = { accountId, environment }
  const before = after === undefined ? newest : readCursor(after)
  if (before === undefined) throw invalid('after', 'unknown', 'must be the next_cursor of a page')
  await numberEvents(db, stream)
  const rows = await selectRecent(db, { ...stream, before, ...codesOf(code), limit: limit + 1 })
  const shown = rows.slice(0, limit)
  const last = rows.length > limit ? shown.at(-1)?.position : undefined
  return {
    __type__: 'List',
    data: shown.map(toEvent),
    next_cursor: last == null ? null : writeCursor(last),
  }
}

/** After every position. */
const newest = '999999999999999999'

interface Search extends EventStream {
  readonly before: string
  readonly isEveryCode: boolean
  readonly codes: readonly string[]
  readonly limit: number
}

const selectRecent = sqlStatement(
  ({ accountId, environment, before, isEveryCode, codes, limit }: Search) => sql<EventRow>`
    select
      place.position,
      found.*,
      ${issuedAtOf('found')}
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
      and place.position < ${before}::bigint
    order by place.position desc
    limit ${limit}`,
)

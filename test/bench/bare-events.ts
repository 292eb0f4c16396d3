import type { ServerResponse } from 'node:http'
import type pg from 'pg'
import { answer, type Caller } from './bare-parts.js'

interface EventRow {
  readonly id: string
  readonly domain: string
  readonly environment: string
  readonly code: string
  readonly data: object
  readonly params: object
  readonly actor_type: string
  readonly actor_id: string
  readonly request_id: string
  readonly issued_at: string
  readonly position: string
}

const selectEvents = `
  select id, domain, environment, code, data, params, actor_type, actor_id, request_id,
    to_char(issued_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as issued_at, event_positions.position
  from event_positions join events using (account_id, environment)
  where account_id = $1 and environment = $2 and event_positions.position > $3 and id = event_id
  order by event_positions.position
  limit $4`

/** D3: the events behind a cursor, in one statement. */
export async function readEvents(
  pool: pg.Pool,
  { accountId, environment }: Caller,
  res: ServerResponse,
  query: URLSearchParams,
): Promise<void> {
  const after = query.get('after')
  const position = after === null ? '0' : Buffer.from(after, 'base64url').toString()
  const limit = Number(query.get('limit') ?? 100)
  const { rows } = await pool.query<EventRow>({
    name: 'events',
    text: selectEvents,
    values: [accountId, environment, position, limit + 1],
  })
  const data = rows.slice(0, limit).map(toEvent)
  answer(res, 200, {
    __type__: 'List',
    data,
    cursor: data.at(-1)?.cursor ?? after ?? toCursor('0'),
    has_more: rows.length > limit,
  })
}

function toEvent(row: EventRow) {
  return {
    __type__: 'Event',
    __domain__: row.domain,
    __environment__: row.environment,
    id: row.id,
    code: row.code,
    data: row.data,
    errors: null,
    issued_at: row.issued_at,
    params: row.params,
    actor: { type: row.actor_type, id: row.actor_id },
    request_id: row.request_id,
    cursor: toCursor(row.position),
    webhook_id: null,
  }
}

export function toCursor(position: string): string {
  return Buffer.from(position).toString('base64url')
}

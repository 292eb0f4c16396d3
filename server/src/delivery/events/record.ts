import type { Event } from '@portico/contract/events'
import type { Json } from '../../platform/db/schema.js'

/** A row of an event. */
export interface EventRow {
  readonly id: string
  readonly domain: string
  readonly environment: string
  readonly code: string
  readonly data: Json
  readonly params: Json
  /** Why it failed; null where the code ends in success. */
  readonly errors: readonly string[] | null
  readonly actor_type: string
  readonly actor_id: string
  readonly request_id: string
  /** RFC 3339 with microseconds, which a Date cannot represent. */
  readonly issued_at: string
  /** Null for webhook deliveries, which may be sent before the event is numbered. */
  readonly position: string | null
}

export function toEvent(row: EventRow): Event {
  const event = {
    __type__: 'Event' as const,
    __domain__: row.domain,
    __environment__: row.environment,
    id: row.id,
    code: row.code,
    data: row.data,
    errors: row.errors,
    issued_at: row.issued_at,
    params: row.params,
    actor: { type: row.actor_type, id: row.actor_id },
    request_id: row.request_id,
    cursor: row.position === null ? null : writeCursor(row.position),
    webhook_id: null,
  }
  // The row was written by emit(), which types each member by the code.
  return event as unknown as Event
}

/** The cursor of a position, as callers send it back. */
export function writeCursor(position: string): string {
  return Buffer.from(position).toString('base64url')
}

/** The position of a cursor; undefined for a cursor that was never issued. */
export function readCursor(cursor: string): string | undefined {
  const position = Buffer.from(cursor, 'base64url').toString('latin1')
  return /^(?:0|[1-9]\d{0,17})$/.test(position) && writeCursor(position) === cursor ? position : undefined
}

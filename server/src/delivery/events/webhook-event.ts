import type { Event } from '@portico/contract/events'
import { toEvent, type EventRow } from './record.js'

/** The part of an event's row that is sent; without the position, which may not be assigned yet. */
export type SentEvent = Omit<EventRow, 'position'>

/** An event as it is sent to a webhook. */
export function webhookEvent(row: SentEvent, webhookId: string): Event {
  return { ...toEvent({ ...row, position: null }), webhook_id: webhookId }
}

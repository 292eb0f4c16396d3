import type { Event } from '@portico/contract/events'
import { toEvent, type EventRow } from './record.js'

/** What of an event's row is sent. Its place in the stream is not: it may not have one yet. */
export type SentEvent = Omit<EventRow, 'position'>

/** An event as it is sent to a webhook. */
export function webhookEvent(row: SentEvent, webhookId: string): Event {
  return { ...toEvent({ ...row, position: null }), webhook_id: webhookId }
}

import type { OutboxMessage } from '@portico/contract/outbox'
import type { Selectable } from 'kysely'
import type { OutboxMessages } from '../../platform/db/schema.js'

export const outboxColumns = [
  'outbox_messages.environment',
  'outbox_messages.id',
  'outbox_messages.domain',
  'outbox_messages.channel',
  'outbox_messages.recipient',
  'outbox_messages.subject',
  'outbox_messages.text',
  'outbox_messages.html',
  'outbox_messages.inserted_at',
] as const

type OutboxRow = Omit<Selectable<OutboxMessages>, 'account_id' | 'organization_id' | 'email_normalized'>

export function toOutboxMessage(row: OutboxRow): OutboxMessage {
  return {
    __type__: 'OutboxMessage',
    __domain__: row.domain,
    __environment__: row.environment === 'production' ? 'production' : 'sandbox',
    id: row.id,
    channel: row.channel === 'sms' ? 'sms' : 'mail',
    to: row.recipient,
    subject: row.subject,
    text: row.text,
    html: row.html,
    inserted_at: row.inserted_at.toISOString(),
  }
}

import type { Environment } from '@portico/contract/fields'
import type { LogEvent } from '@portico/contract/log-events'
import type { Selectable } from 'kysely'
import type { LogEvents } from '../../platform/db/schema.js'

export const logEventColumns = [
  'log_events.id',
  'log_events.event_code',
  'log_events.client_id',
  'log_events.environment',
  'log_events.email',
  'log_events.resource_owner_id',
  'log_events.saml_identity_provider_id',
  'log_events.domain',
  'log_events.reason',
  'log_events.request_id',
  'log_events.inserted_at',
] as const

type LogEventRow = Omit<Selectable<LogEvents>, 'account_id' | 'organization_id' | 'email_normalized'>

export function toLogEvent(row: LogEventRow): LogEvent {
  return {
    __type__: 'Event',
    id: Number(row.id),
    event_code: row.event_code,
    client_id: row.client_id,
    // Only written from an API key's environment.
    database: row.environment as Environment | null,
    email: row.email,
    resource_owner_id: row.resource_owner_id,
    saml_identity_provider_id: row.saml_identity_provider_id ?? '',
    tenant_domain: row.domain,
    reason: row.reason,
    request_id: row.request_id,
    inserted_at: row.inserted_at.toISOString(),
  }
}

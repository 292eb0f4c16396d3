import type { Environment } from '@portico/contract/fields'
import type { Webhook, WebhookAttempt, WebhookDelivery } from '@portico/contract/webhook-records'
import type { Selectable } from 'kysely'
import type { WebhookDeliveries, Webhooks } from '../../platform/db/schema.js'

export const webhookColumns = [
  'webhooks.account_id',
  'webhooks.environment',
  'webhooks.id',
  'webhooks.name',
  'webhooks.target_url',
  'webhooks.event_codes',
  'webhooks.active',
  'webhooks.retry_on_timeout',
  'webhooks.signature_key_sealed',
  'webhooks.previous_signature_key_expires_at',
  'webhooks.failing_since',
  'webhooks.version',
  'webhooks.inserted_at',
  'webhooks.updated_at',
] as const

export type WebhookRow = Omit<Selectable<Webhooks>, 'previous_signature_key_sealed' | 'deleted_at'>

/** @param signatureKey Unsealed. */
export function toWebhook(row: WebhookRow, accountDomain: string, signatureKey: string): Webhook {
  return {
    __type__: 'Webhook',
    __domain__: accountDomain,
    // Only written from an API key's environment.
    __environment__: row.environment as Environment,
    id: row.id,
    name: row.name,
    target_url: row.target_url,
    event_codes: row.event_codes,
    active: row.active,
    retry_on_timeout: row.retry_on_timeout,
    signature_key: signatureKey,
    previous_signature_key_expires_at: row.previous_signature_key_expires_at?.toISOString() ?? null,
    failing_since: row.failing_since?.toISOString() ?? null,
    inserted_at: row.inserted_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}

/** An attempt as the statement aggregates it, in JSON. */
export interface AttemptRow {
  readonly number: number
  readonly outcome: WebhookAttempt['outcome']
  readonly status: number | null
  readonly answer: string | null
  readonly duration_ms: number
  readonly started_at: string
}

export type DeliveryRow = Pick<
  Selectable<WebhookDeliveries>,
  'environment' | 'id' | 'webhook_id' | 'event_code' | 'state' | 'run_at' | 'inserted_at'
> & { readonly attempts: readonly AttemptRow[] }

export function toDelivery(row: DeliveryRow, accountDomain: string): WebhookDelivery {
  return {
    __type__: 'WebhookDelivery',
    __domain__: accountDomain,
    __environment__: row.environment as Environment,
    id: row.id,
    webhook_id: row.webhook_id,
    event_code: row.event_code,
    // The table's check constraint allows nothing else.
    state: row.state as WebhookDelivery['state'],
    next_attempt_at: row.run_at?.toISOString() ?? null,
    attempts: row.attempts.map(({ duration_ms, started_at, ...attempt }) => ({
      ...attempt,
      duration_in_milliseconds: duration_ms,
      started_at: new Date(started_at).toISOString(),
    })),
    inserted_at: row.inserted_at.toISOString(),
  }
}

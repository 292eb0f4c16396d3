import { initContract } from '@ts-rest/core'
import { z } from 'zod/v4'
import { access } from '../core/access.js'
import { changing, creating, reading } from '../core/answers.js'
import { eventCodes, eventSelectors } from './event-catalog.js'
import {
  EnvironmentQuery,
  filter,
  flag,
  idempotencyHeader,
  ifMatchHeader,
  list,
  PageQuery,
  pathId,
  text,
  url,
} from '../core/fields.js'
import { deletionOf, listOf } from '../core/record.js'
import { deliveryStates, Webhook, WebhookDelivery, WebhookRedelivery } from './webhook-records.js'

const selector = z.enum(eventSelectors, {
  error: 'must be an event code, a family such as user.all, or all',
})

export const NewWebhook = z.strictObject({
  name: text(100, 1),
  target_url: url().describe(
    'Public https URL on port 443 or above 1023, without user name, password or fragment',
  ),
  event_codes: list(selector, eventSelectors.length, 1).describe('Codes, families such as user.all, or all'),
  active: flag().optional().describe('Default: true'),
  retry_on_timeout: flag().optional().describe('Default: false'),
})
export type NewWebhook = z.output<typeof NewWebhook>

export const WebhookChanges = NewWebhook.partial()
export type WebhookChanges = z.output<typeof WebhookChanges>

export const DeliveryQuery = PageQuery.extend({
  state: filter(z.enum(deliveryStates)).describe('Only deliveries in this state'),
  event_code: filter(z.enum(eventCodes)).describe('Only deliveries of this event code'),
})
export type DeliveryQuery = z.output<typeof DeliveryQuery>

export const RedeliveryRequest = z.strictObject({
  since: z.iso
    .datetime({ offset: true, error: 'must be a date and time such as 2026-03-14T09:26:53Z' })
    .optional()
    .describe(
      'Every event from this time on, regardless of its state; default: all that failed or were lost',
    ),
})
export type RedeliveryRequest = z.output<typeof RedeliveryRequest>

const WebhookPath = z.object({ webhook_id: pathId() })
const DeliveryPath = WebhookPath.extend({ delivery_id: pathId() })

const tag = {
  name: 'Webhooks',
  description: 'Having events posted to your own addresses, signed, and seeing what became of each.',
}
const limited = 'key_limited_to_organizations'
const c = initContract()

export const webhooks = c.router(
  {
    create: {
      method: 'POST',
      path: '/api/v2/webhooks',
      summary: 'Create a webhook, which receives events from now on',
      headers: idempotencyHeader,
      body: NewWebhook,
      responses: creating({ 201: Webhook }, limited, 'webhooks_exhausted'),
      metadata: access({
        tag,
        scope: 'write:webhooks',
        danger: 'proof',
        reach: 'account',
        emits: ['webhook.webhook.create.success'],
        idempotent: true,
        versioned: 'answers',
      }),
    },
    list: {
      method: 'GET',
      path: '/api/v2/webhooks',
      summary: 'List webhooks, newest first',
      query: PageQuery,
      responses: reading({ 200: listOf(Webhook) }, limited),
      metadata: access({ tag, scope: 'read:webhooks', reach: 'account' }),
    },
    get: {
      method: 'GET',
      path: '/api/v2/webhooks/:webhook_id',
      summary: 'Get a webhook',
      pathParams: WebhookPath,
      query: EnvironmentQuery,
      responses: reading(
        { 200: Webhook },
        'malformed_request',
        limited,
        'webhook_not_found',
        'invalid_parameters',
      ),
      metadata: access({ tag, scope: 'read:webhooks', reach: 'account', versioned: 'answers' }),
    },
    update: {
      method: 'PUT',
      path: '/api/v2/webhooks/:webhook_id',
      summary: 'Change a webhook',
      headers: ifMatchHeader,
      pathParams: WebhookPath,
      body: WebhookChanges,
      responses: changing({ 200: Webhook }, limited, 'webhook_not_found', 'precondition_failed'),
      metadata: access({
        tag,
        scope: 'write:webhooks',
        danger: 'proof',
        reach: 'account',
        emits: ['webhook.webhook.update.success'],
        versioned: 'checks',
      }),
    },
    delete: {
      method: 'DELETE',
      path: '/api/v2/webhooks/:webhook_id',
      summary: 'Delete a webhook with its deliveries; nothing more is sent to it',
      headers: ifMatchHeader,
      pathParams: WebhookPath,
      responses: changing({ 200: deletionOf(Webhook) }, limited, 'webhook_not_found', 'precondition_failed'),
      metadata: access({
        tag,
        scope: 'write:webhooks',
        danger: 'proof',
        reach: 'account',
        emits: ['webhook.webhook.delete.success'],
        versioned: 'checks',
      }),
    },
    rotateSignatureKey: {
      method: 'POST',
      path: '/api/v2/webhooks/:webhook_id/rotate-signature-key',
      summary: 'Rotate the signature key of a webhook; the previous one also signs, as v0, for 24 hours',
      headers: idempotencyHeader,
      pathParams: WebhookPath,
      body: c.noBody(),
      responses: creating({ 200: Webhook }, limited, 'webhook_not_found'),
      metadata: access({
        tag,
        scope: 'write:webhooks',
        danger: 'proof',
        reach: 'account',
        emits: ['webhook.webhook.rotate.success'],
        idempotent: true,
        versioned: 'answers',
      }),
    },
    test: {
      method: 'POST',
      path: '/api/v2/webhooks/:webhook_id/test',
      summary: 'Send a test event to a webhook, active or not',
      headers: idempotencyHeader,
      pathParams: WebhookPath,
      body: c.noBody(),
      responses: creating({ 201: WebhookDelivery }, limited, 'webhook_not_found', 'sandbox_only'),
      metadata: access({
        tag,
        scope: 'write:webhooks',
        reach: 'account',
        emits: ['webhook.webhook.test.success'],
        idempotent: true,
        sandboxOnly: true,
      }),
    },
    listDeliveries: {
      method: 'GET',
      path: '/api/v2/webhooks/:webhook_id/deliveries',
      summary: 'List past and pending deliveries to a webhook with attempts and answers, newest first',
      pathParams: WebhookPath,
      query: DeliveryQuery,
      responses: reading({ 200: listOf(WebhookDelivery) }, 'malformed_request', limited, 'webhook_not_found'),
      metadata: access({ tag, scope: 'read:webhooks', reach: 'account' }),
    },
    redeliver: {
      method: 'POST',
      path: '/api/v2/webhooks/:webhook_id/deliveries/:delivery_id/redeliver',
      summary: 'Send an event to a webhook again, regardless of the state of its delivery',
      headers: idempotencyHeader,
      pathParams: DeliveryPath,
      body: c.noBody(),
      responses: creating({ 200: WebhookDelivery }, limited, 'webhook_not_found', 'delivery_not_found'),
      metadata: access({
        tag,
        scope: 'write:webhooks',
        reach: 'account',
        emits: ['webhook.delivery.redeliver.success'],
        idempotent: true,
      }),
    },
    redeliverAll: {
      method: 'POST',
      path: '/api/v2/webhooks/:webhook_id/redeliver',
      summary: 'Send events to a webhook again: all that failed or were lost, or all since a given time',
      headers: idempotencyHeader,
      pathParams: WebhookPath,
      body: RedeliveryRequest,
      responses: creating({ 200: WebhookRedelivery }, limited, 'webhook_not_found'),
      metadata: access({
        tag,
        scope: 'write:webhooks',
        danger: 'reason',
        reach: 'account',
        emits: ['webhook.delivery.redeliver.success'],
        idempotent: true,
      }),
    },
  },
  { strictStatusCodes: true },
)

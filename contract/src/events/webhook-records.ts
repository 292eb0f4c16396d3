import { z } from 'zod/v4'
import { environment, id, secret, slug, timestamp } from '../core/fields.js'
import { exampleOf, record } from '../core/record.js'
import { withoutSecrets } from '../core/sensitivity.js'

const webhookId = '0190c8f0-2b3c-7d4e-8f50-617283940a1b'

export const Webhook = record(
  'Webhook',
  {
    __type__: z.literal('Webhook'),
    __domain__: slug().describe('Domain of the account'),
    __environment__: environment(),
    id: id(),
    name: z.string(),
    target_url: z.string().describe('URL that events are posted to'),
    event_codes: z.array(z.string()).describe('Codes, families such as user.all, or all'),
    active: z
      .boolean()
      .describe(
        'An inactive webhook receives no events, and never receives those of that period; earlier deliveries stay pending',
      ),
    retry_on_timeout: z
      .boolean()
      .describe(
        'true: an event without an answer within 15 seconds is sent again, as after a refusal; ' +
          'false: it is recorded as lost',
      ),
    signature_key: secret(z.string()).describe(
      'Key of the signatures; the part after whsec_ is the key of Standard Webhooks, in base64',
    ),
    previous_signature_key_expires_at: timestamp()
      .nullable()
      .describe('Until then the key before the last rotation also signs, as v0'),
    failing_since: timestamp()
      .nullable()
      .describe('Start of the current series of failures; null after a success'),
    inserted_at: timestamp(),
    updated_at: timestamp(),
  },
  {
    __type__: 'Webhook',
    __domain__: 'acme',
    __environment__: 'sandbox',
    id: webhookId,
    name: 'Directory of the shop',
    target_url: 'https://shop.example/portico/events',
    event_codes: ['user.all', 'organization.organization.delete.success'],
    active: true,
    retry_on_timeout: false,
    signature_key: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwBzGkO3Yt1uE=',
    previous_signature_key_expires_at: null,
    failing_since: null,
    inserted_at: '2026-03-14T09:26:53.589Z',
    updated_at: '2026-03-14T09:26:53.589Z',
  },
)
export type Webhook = z.output<typeof Webhook>

/** A webhook without its signature key, as events carry it. */
export const WebhookData = Webhook.omit({ signature_key: true }).meta({
  id: 'WebhookData',
  examples: [withoutSecrets(Webhook, exampleOf(Webhook))],
})

/** Outcomes of one attempt to deliver an event. */
export const attemptOutcomes = [
  'delivered',
  'refused',
  'timed_out',
  'disconnected',
  'unreachable',
  'not_sent',
] as const

export const WebhookAttempt = record(
  'WebhookAttempt',
  {
    number: z.int(),
    outcome: z
      .enum(attemptOutcomes)
      .describe(
        'delivered: answered 2xx; refused: answered otherwise; timed_out: not answered within 15 seconds; ' +
          'disconnected: the connection ended before an answer; unreachable: no connection was made, or the address ' +
          'is not permitted as a receiver; not_sent: the service could not sign it',
      ),
    status: z.int().nullable().describe('Status of the answer'),
    answer: z.string().nullable().describe('The first 1,000 characters of the answer'),
    duration_in_milliseconds: z.int().describe('0 if no connection was made'),
    started_at: timestamp(),
  },
  {
    number: 1,
    outcome: 'refused',
    status: 503,
    answer: 'Down for maintenance',
    duration_in_milliseconds: 84,
    started_at: '2026-03-14T09:26:54.012Z',
  },
)
export type WebhookAttempt = z.output<typeof WebhookAttempt>

export const deliveryStates = ['pending', 'delivered', 'failed', 'lost'] as const

export const WebhookDelivery = record(
  'WebhookDelivery',
  {
    __type__: z.literal('WebhookDelivery'),
    __domain__: slug().describe('Domain of the account'),
    __environment__: environment(),
    id: id().describe('Id of the event, sent in the webhook-id header of every attempt'),
    webhook_id: id(),
    event_code: z.string(),
    state: z
      .enum(deliveryStates)
      .describe(
        'pending: waiting for an attempt; delivered: answered 2xx; failed: refused in the last attempt; ' +
          'lost: not answered, and not sent again',
      ),
    next_attempt_at: timestamp().nullable(),
    attempts: z.array(WebhookAttempt).describe('The latest 20, oldest first'),
    inserted_at: timestamp(),
  },
  {
    __type__: 'WebhookDelivery',
    __domain__: 'acme',
    __environment__: 'sandbox',
    id: '0190c8f1-1a2b-7c3d-8e4f-5061728394a5',
    webhook_id: webhookId,
    event_code: 'user.user.create.success',
    state: 'pending',
    next_attempt_at: '2026-03-14T09:26:59.012Z',
    attempts: [
      {
        number: 1,
        outcome: 'refused',
        status: 503,
        answer: 'Down for maintenance',
        duration_in_milliseconds: 84,
        started_at: '2026-03-14T09:26:54.012Z',
      },
    ],
    inserted_at: '2026-03-14T09:26:53.589Z',
  },
)
export type WebhookDelivery = z.output<typeof WebhookDelivery>

export const WebhookRedelivery = record(
  'WebhookRedelivery',
  {
    __type__: z.literal('WebhookRedelivery'),
    __domain__: slug().describe('Domain of the account'),
    __environment__: environment(),
    webhook_id: id(),
    deliveries: z.int().describe('Number of deliveries that are sent again'),
  },
  {
    __type__: 'WebhookRedelivery',
    __domain__: 'acme',
    __environment__: 'sandbox',
    webhook_id: webhookId,
    deliveries: 42,
  },
)
export type WebhookRedelivery = z.output<typeof WebhookRedelivery>

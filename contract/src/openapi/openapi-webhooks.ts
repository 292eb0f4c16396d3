import { eventCatalog, eventCodes, type EventCode } from '../events/event-catalog.js'
import { eventSchemas } from '../events/events.js'
import type { JsonSchema, SchemaWriter } from './json-schema.js'
import type { Parameter } from './openapi-inputs.js'

/** The request that a receiver gets for one event code. */
export interface WebhookOperation {
  operationId: string
  tags: string[]
  summary: string
  security: []
  parameters: Parameter[]
  requestBody: { required: true; content: Record<'application/json', { schema: JsonSchema }> }
  responses: Record<'2XX', { description: string }>
}

/** Each event code with the request that delivers it (OpenAPI 3.1 section 4.8.1). */
export function webhooksOf(schemas: SchemaWriter): Record<EventCode, { post: WebhookOperation }> {
  const webhooks = eventCodes.map((code) => [code, { post: webhookOf(code, schemas) }] as const)
  // One entry for each code.
  return Object.fromEntries(webhooks) as Record<EventCode, { post: WebhookOperation }>
}

function webhookOf(code: EventCode, schemas: SchemaWriter): WebhookOperation {
  return {
    operationId: `event.${code}`,
    tags: ['Webhooks'],
    summary: eventCatalog[code].tells,
    security: [],
    parameters: headers,
    requestBody: {
      required: true,
      content: { 'application/json': { schema: schemas.reference(eventSchemas[code]) } },
    },
    responses: { '2XX': { description: 'Received; the event is not sent again' } },
  }
}

const headers = Object.entries({
  'service-signature':
    't=<seconds since 1970>,v1=sha256.<signature>: HMAC-SHA256 of `<t>.<body>` under the signature key, in base64url; ' +
    'v0 is made with the previous key, for a day after a rotation',
  'webhook-id': 'The id of the event, the same in every attempt',
  'webhook-timestamp': 'Seconds since 1970',
  'webhook-signature':
    'Signature of Standard Webhooks, v1,<base64>; two signatures for a day after a rotation',
}).map(([name, description]): Parameter => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
}))

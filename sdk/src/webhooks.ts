import {
  isSignatureKey,
  isSignedBy,
  parseSignatureHeader,
  signatureHeaders,
} from '@portico/contract/webhook-signature'
import type { Event } from './generated.js'
import { WebhookError } from './webhook-error.js'

export { WebhookError, type WebhookErrorCode } from './webhook-error.js'

/** The time tolerance and the clock. */
export interface VerifyWebhookOptions {
  /** Tolerated difference between the signature's time and now, in seconds; 300 by default. */
  readonly toleranceSeconds?: number | undefined
  /** Milliseconds since 1970; the system's clock by default. */
  readonly now?: (() => number) | undefined
}

/** Headers of a web request or of Node's; names in any case. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

/**
 * Verifies that a delivery comes from the service, and returns its event.
 *
 * @param rawBody The body as received, not parsed: serialized again, it no longer matches the signature.
 * @param keys The webhook's signature_key; several while it is being rotated.
 * @throws WebhookError with the code of the reason; TypeError without a key.
 * @example
 * ```ts
 * const event = await verifyWebhook(await request.text(), request.headers, signatureKey)
 * console.log(event.code, event.id)
 * ```
 */
export async function verifyWebhook(
  rawBody: string | Uint8Array,
  headers: WebhookHeaders,
  keys: string | readonly string[],
  { toleranceSeconds = 300, now = Date.now }: VerifyWebhookOptions = {},
): Promise<Event> {
  const known = [keys].flat()
  // An unset variable would otherwise be a well-known key.
  if (known.length === 0 || !known.every((key) => typeof key === 'string' && isSignatureKey(key)))
    throw new TypeError('keys must be the signature_key of the webhook: whsec_…')
  if (typeof rawBody !== 'string' && !(rawBody instanceof Uint8Array))
    throw new WebhookError('body_parsed', 'the body must be given as it came, as text or bytes, not parsed')
  const header = headerOf(headers)
  if (header === undefined)
    throw new WebhookError('header_missing', 'there is no service-signature header: does a proxy drop it?')
  const signature = parseSignatureHeader(header)
  if (!signature) throw new WebhookError('header_malformed', 'the service-signature header is not one')

  const text = typeof rawBody === 'string' ? rawBody : new TextDecoder().decode(rawBody)
  const isSigned = (body: string | Uint8Array) =>
    isSignedBy(known, signature, typeof body === 'string' ? new TextEncoder().encode(body) : body)
  if (!(await isSigned(rawBody))) {
    if (await isSigned(rewritten(text)))
      throw new WebhookError('body_rewritten', 'the body was parsed and written again: verify it as it came')
    throw new WebhookError(
      'signature_mismatch',
      'no key made the signature: is it the key of this webhook, in this environment?',
    )
  }
  const age = now() / 1000 - signature.timestamp
  // Negated, so that a tolerance of NaN accepts nothing.
  if (!(age <= toleranceSeconds))
    throw new WebhookError('timestamp_too_old', `it was signed ${Math.round(age)} seconds ago`)
  if (!(-age <= toleranceSeconds))
    throw new WebhookError('timestamp_too_new', `it was signed ${Math.round(-age)} seconds from now`)

  const event = parsed(text)
  if (!isEvent(event)) throw new WebhookError('body_malformed', 'the body is signed and not an event')
  return event
}

/** An event for a test: code and data are required, other members optional. */
export type TestEvent<Known = Event> = Known extends Event
  ? Pick<Known, 'code' | 'data'> & Partial<Known>
  : never

/**
 * Makes a signed delivery, for tests of a receiver.
 *
 * @param key The signature_key of the receiver.
 * @example
 * ```ts
 * const { body, headers } = await signTestEvent(
 *   { code: 'user.user.delete.success', data: { truncated: true } },
 *   signatureKey,
 * )
 * await fetch('http://127.0.0.1:8080/webhook', { method: 'POST', body, headers })
 * ```
 */
export async function signTestEvent(
  event: TestEvent,
  key: string,
  { now = Date.now }: Pick<VerifyWebhookOptions, 'now'> = {},
): Promise<{ body: string; headers: Record<string, string> }> {
  const id = crypto.randomUUID()
  const envelope = {
    __type__: 'Event',
    __domain__: 'test',
    __environment__: 'sandbox',
    id,
    errors: null,
    issued_at: new Date(now()).toISOString().replace('Z', '000Z'),
    params: {},
    actor: { type: 'system', id: 'test' },
    request_id: id,
    cursor: null,
    webhook_id: id,
    ...event,
  }
  const body = JSON.stringify(envelope)
  const timestamp = Math.floor(now() / 1000)
  const signed = await signatureHeaders({ id: envelope.id, timestamp, body }, { current: key })
  return { body, headers: { 'content-type': 'application/json', ...signed } }
}

function headerOf(headers: WebhookHeaders): string | undefined {
  const entries = headers instanceof Headers ? [...headers] : Object.entries(headers)
  const value = entries.find(([name]) => name.toLowerCase() === 'service-signature')?.[1]
  return typeof value === 'string' ? value : value?.[0]
}

/** JSON parsed and serialized again, as a framework does; empty for invalid JSON. */
function rewritten(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text))
  } catch {
    return ''
  }
}

/** Undefined for invalid JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Trusts the type of the event, because the service signed the body. */
function isEvent(body: unknown): body is Event {
  return typeof body === 'object' && body !== null && '__type__' in body && body.__type__ === 'Event'
}

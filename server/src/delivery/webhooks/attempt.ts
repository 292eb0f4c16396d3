import type { SignatureHeaders, SignedMessage } from '@portico/contract/webhook-signature'
import type { Deps } from '../deps.js'
import { webhookEvent } from '../events/webhook-event.js'
import type { OutboundAnswer } from '../../platform/outbound/post.js'
import type { ClaimedDelivery, Ending } from './queue.js'
import type { SignerOf } from './signers.js'

/** The time for a delivery, to the last byte of the answer, and how much of the answer is read. */
export const deliveryLimits = { timeoutMs: 15_000, maxAnswerBytes: 16_000 }
/** How much of an answer is stored, for debugging. */
const keptCharacters = 1_000

const minute = 60
const hour = 60 * minute
/** The waits before the second attempt, the third and so on, in seconds. */
const retryAfterSeconds = [
  5,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
]
/** The longest delay that a receiver can request with Retry-After. */
const maxRetryAfterSeconds = 24 * hour

/** Sends an event to a webhook once, and gives the delivery's next state. */
export async function attempt(
  { log, now, outbound, signerOf }: Pick<Deps, 'log' | 'now' | 'outbound'> & { readonly signerOf: SignerOf },
  delivery: ClaimedDelivery,
): Promise<Ending> {
  const startedAt = now()
  const startedTick = performance.now()
  const message = {
    id: delivery.id,
    timestamp: Math.floor(startedAt.getTime() / 1000),
    body: JSON.stringify(webhookEvent(delivery, delivery.webhook_id)),
  }
  const signed = await sign(signerOf, delivery, message, startedAt)
  if (signed instanceof Error) {
    log.error(
      { delivery_id: delivery.id, webhook_id: delivery.webhook_id, err: signed },
      'an event cannot be signed',
    )
    const nothing = { status: null, answer: null, durationMs: 0 }
    return { outcome: 'not_sent', ...nothing, ...afterRefusal(delivery, 0, now()), startedAt }
  }
  const answer = await outbound.post({
    url: delivery.target_url,
    headers: { 'content-type': 'application/json', 'user-agent': 'Portico', ...signed },
    body: message.body,
    isTraceContinued: true,
    ...deliveryLimits,
  })
  // Outcome and duration must not distinguish a forbidden internal address from an unused one.
  const isReached = answer.outcome !== 'not_allowed' && answer.outcome !== 'unreachable'
  return {
    ...outcomeOf(answer),
    ...consequenceOf(answer, delivery, now()),
    durationMs: isReached ? Math.round(performance.now() - startedTick) : 0,
    startedAt,
  }
}

/** The signature headers, or the error when the key cannot be unsealed, as after the loss of a master key. */
async function sign(
  signerOf: SignerOf,
  delivery: ClaimedDelivery,
  message: SignedMessage,
  at: Date,
): Promise<SignatureHeaders | Error> {
  try {
    return await signerOf(delivery, at)(message)
  } catch (error) {
    return error instanceof Error ? error : new Error('signing failed', { cause: error })
  }
}

function outcomeOf(answer: OutboundAnswer): Pick<Ending, 'outcome' | 'status' | 'answer'> {
  if (answer.outcome !== 'answered') {
    const outcome = answer.outcome === 'not_allowed' ? 'unreachable' : answer.outcome
    return { outcome, status: null, answer: null }
  }
  return {
    outcome: isReceived(answer) ? 'delivered' : 'refused',
    status: answer.status,
    answer: answer.body.slice(0, keptCharacters).toWellFormed(),
  }
}

function isReceived(answer: OutboundAnswer): boolean {
  return answer.outcome === 'answered' && answer.status >= 200 && answer.status < 300
}

/** A refused event is sent again; without an answer the webhook's retry_on_timeout decides. */
function consequenceOf(
  answer: OutboundAnswer,
  delivery: ClaimedDelivery,
  at: Date,
): Pick<Ending, 'state' | 'nextAt'> {
  if (isReceived(answer)) return { state: 'delivered', nextAt: null }
  if (answer.outcome !== 'answered' && !delivery.retry_on_timeout) return { state: 'lost', nextAt: null }
  return afterRefusal(delivery, askedWaitOf(answer, at), at)
}

/** The next scheduled attempt, not before the requested wait; the delivery fails after the last attempt. */
function afterRefusal(
  { place_in_schedule: place }: ClaimedDelivery,
  askedWaitSeconds: number,
  at: Date,
): Pick<Ending, 'state' | 'nextAt'> {
  const scheduled = retryAfterSeconds[place - 1]
  if (scheduled === undefined) return { state: 'failed', nextAt: null }
  // Jitter: deliveries that failed together should not all be retried together.
  const waitSeconds = Math.max(scheduled * (0.9 + Math.random() * 0.2), askedWaitSeconds)
  return { state: 'pending', nextAt: new Date(at.getTime() + waitSeconds * 1000) }
}

/** The receiver's Retry-After in seconds, at most a day (RFC 9110 section 10.2.3). */
function askedWaitOf(answer: OutboundAnswer, at: Date): number {
  const mayDelay = answer.outcome === 'answered' && (answer.status === 429 || answer.status === 503)
  const text = mayDelay ? answer.headers.retryAfter?.trim() : undefined
  if (text === undefined) return 0
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : (Date.parse(text) - at.getTime()) / 1000
  return seconds > 0 ? Math.min(seconds, maxRetryAfterSeconds) : 0
}

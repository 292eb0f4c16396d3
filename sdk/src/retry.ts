import { ConnectionError } from './api-error.js'
import type { Clock } from './clock.js'
import { isObject, jsonOf, type Answer } from './exchange.js'

/** The properties of a request that decide whether it may be retried. */
export interface Repeatability {
  /** Every method but POST, and a POST with an Idempotency-Key. */
  readonly idempotent: boolean
  /** It has an If-Match, which a first attempt with a lost answer may have invalidated. */
  readonly conditional: boolean
}

const firstPauseMs = 250
const longestPauseMs = 8_000
/** A longer Retry-After ends the retries, and the caller decides. */
const longestRetryAfterSeconds = 60

/**
 * Retries by default. They take 8 to 16 seconds, in which a killed process restarts and its leases of Idempotency-Keys
 * expire.
 */
export const defaultRetries = 6

/**
 * Milliseconds before the next attempt, or undefined without a retry. Exponential backoff with half of it random, added to
 * Retry-After.
 *
 * @param attempt 0 after the first one.
 */
export function pauseBeforeRepeat(
  outcome: Answer | ConnectionError,
  request: Repeatability,
  attempt: number,
  clock: Clock,
): number | undefined {
  if (!request.idempotent || !isTransient(outcome, request)) return undefined
  const asked = outcome instanceof ConnectionError ? 0 : (retryAfterSeconds(outcome, clock.now()) ?? 0)
  if (asked > longestRetryAfterSeconds) return undefined
  const pause = Math.min(longestPauseMs, firstPauseMs * 2 ** attempt)
  return Math.ceil(asked * 1000 + (pause * (1 + clock.random())) / 2)
}

function isTransient(outcome: Answer | ConnectionError, { conditional }: Repeatability): boolean {
  if (outcome instanceof ConnectionError) return !conditional && outcome.reason !== 'too_large'
  if (outcome.status === 409) return errorCodeOf(outcome) === 'idempotency_in_flight'
  // 429 and 503 are refusals; a gateway's 502 and 504 leave open whether the request was carried out.
  return [429, 503].includes(outcome.status) || (!conditional && [502, 504].includes(outcome.status))
}

/** The code in an error body of the service. */
export function errorCodeOf(answer: Answer): unknown {
  const error = jsonOf(answer)?.['error']
  return isObject(error) ? error['code'] : undefined
}

/** Retry-After in seconds from now; the header is in seconds or a date (RFC 9110 section 10.2.3). */
export function retryAfterSeconds({ headers }: Answer, now: number): number | undefined {
  const value = headers.get('retry-after')?.trim() ?? ''
  if (/^\d{1,9}$/.test(value)) return Number(value)
  const instant = Date.parse(value)
  return Number.isNaN(instant) ? undefined : Math.max(0, Math.ceil((instant - now) / 1000))
}

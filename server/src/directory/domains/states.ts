import type { DomainResult, DomainState } from '@portico/contract/domains'
import { isSecretEqual } from '../../platform/crypto/secret.js'
import type { TxtAnswer } from '../../platform/outbound/txt.js'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** How long a token can prove a domain for the first time. */
const pendingMs = 30 * dayMs
/** How long a domain still counts after its record was missing three times. */
const graceMs = 14 * dayMs
/** Definite answers without the record, each a day after the one before, until a proved domain begins to lapse. */
const maxNegatives = 3

/** What a check reads and changes of a domain. */
export interface Standing {
  readonly state: DomainState
  readonly declared: boolean
  readonly verified_at: Date | null
  readonly checked_at: Date | null
  readonly last_result: DomainResult | null
  readonly checks: number
  readonly negatives: number
  readonly negative_at: Date | null
  readonly expires_at: Date | null
  readonly next_check_at: Date | null
}

/** What a check tells of, beside the record. */
export type DomainNews = 'verify' | 'lapse' | 'expire'

/** A new domain, before any check. */
export function newStanding(
  at: Date,
  { isDeclared, isProved }: { readonly isDeclared: boolean; readonly isProved: boolean },
): Standing {
  const unchecked = {
    declared: isDeclared,
    verified_at: null,
    checked_at: null,
    last_result: null,
    checks: 0,
    negatives: 0,
    negative_at: null,
    expires_at: null,
    next_check_at: null,
  }
  if (isProved) return { ...unchecked, state: 'verified', verified_at: at }
  return { ...unchecked, ...waiting(at, isDeclared) }
}

/** A domain that no proof makes count: declared, or pending with its first check in five minutes. */
export function waiting(
  at: Date,
  isDeclared: boolean,
): Pick<Standing, 'state' | 'checks' | 'expires_at' | 'next_check_at'> {
  if (isDeclared) return { state: 'declared', checks: 0, expires_at: null, next_check_at: null }
  return {
    state: 'pending',
    checks: 0,
    expires_at: after(at, pendingMs),
    next_check_at: after(at, 5 * minuteMs),
  }
}

/** What an answer says of the record of a domain. */
export function resultOf(answer: TxtAnswer, value: string): DomainResult {
  if (answer.outcome !== 'found') return answer.outcome === 'none' ? 'no_record' : 'no_answer'
  const wanted = Buffer.from(value)
  const isThere = answer.texts.some((text) => isSecretEqual(Buffer.from(text.trim()), wanted))
  return isThere ? 'matched' : 'not_matched'
}

/** A domain after a check, and what there is to tell. */
export function afterCheck(
  before: Standing,
  result: DomainResult,
  at: Date,
): { readonly standing: Standing; readonly news?: DomainNews } {
  if (before.state === 'expired') return { standing: before }
  const checked = { ...before, checked_at: at, last_result: result, checks: before.checks + 1 }
  if (isOver(before, at) && before.state === 'pending')
    return {
      standing: { ...checked, state: 'expired', expires_at: null, next_check_at: null },
      news: 'expire',
    }
  if (result === 'matched') return proved(checked, before, at)
  if (before.state === 'pending' || before.state === 'declared')
    return { standing: { ...checked, next_check_at: nextOf(checked, at) } }
  // Nothing is known, so nothing lapses.
  if (result === 'no_answer') return { standing: { ...checked, next_check_at: after(at, dayMs) } }
  return missing(checked, at)
}

function proved(checked: Standing, before: Standing, at: Date): ReturnType<typeof afterCheck> {
  const isNews = before.state !== 'verified'
  const standing: Standing = {
    ...checked,
    state: 'verified',
    verified_at: isNews ? at : before.verified_at,
    negatives: 0,
    negative_at: null,
    expires_at: null,
    next_check_at: after(at, 7 * dayMs),
  }
  return isNews ? { standing, news: 'verify' } : { standing }
}

/** A proved domain whose record is not there. */
function missing(checked: Standing, at: Date): ReturnType<typeof afterCheck> {
  const tomorrow = after(at, dayMs)
  if (checked.state === 'lapsed') return { standing: { ...checked, next_check_at: after(at, 7 * dayMs) } }
  if (checked.state === 'lapsing') {
    if (!isOver(checked, at)) return { standing: { ...checked, next_check_at: tomorrow } }
    const lapsed = { state: 'lapsed', expires_at: null, next_check_at: after(at, 7 * dayMs) } as const
    return { standing: { ...checked, ...lapsed }, news: 'lapse' }
  }
  const isCounted = checked.negative_at === null || at.getTime() - checked.negative_at.getTime() >= dayMs
  const counted = {
    ...checked,
    negatives: checked.negatives + (isCounted ? 1 : 0),
    negative_at: isCounted ? at : checked.negative_at,
    next_check_at: tomorrow,
  }
  if (counted.negatives < maxNegatives) return { standing: counted }
  const reset = { negatives: 0, negative_at: null }
  // The account answers for it still.
  if (checked.declared) return { standing: { ...counted, ...reset, ...waiting(at, true) } }
  return {
    standing: { ...counted, ...reset, state: 'lapsing', expires_at: after(at, graceMs) },
    news: 'lapse',
  }
}

/** After five minutes twelve times, hourly for a day, then daily; the end of the token is looked at in time. */
function nextOf({ state, checks, expires_at: expiresAt }: Standing, at: Date): Date | null {
  if (state !== 'pending') return null
  const wait = checks < 12 ? 5 * minuteMs : checks < 36 ? hourMs : dayMs
  const next = after(at, wait)
  return expiresAt !== null && expiresAt < next ? expiresAt : next
}

function isOver({ expires_at: expiresAt }: Standing, at: Date): boolean {
  return expiresAt !== null && expiresAt <= at
}

function after(at: Date, ms: number): Date {
  return new Date(at.getTime() + ms)
}

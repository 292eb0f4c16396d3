import type { Deps } from '../../delivery/deps.js'
import { limit, type LimitKey } from '../../delivery/limits/limits.js'
import type { LimitState } from '../../platform/errors.js'

const attempts = limit('sign-in', {
  windowSeconds: 15 * 60,
  most: (settings) => settings.attemptsPerAddress,
})
/** Attempts at the addresses of an organization, and at none. */
export const organizationAttempts = limit('organization-sign-in', {
  windowSeconds: 60,
  most: (settings) => settings.attemptsPerMinute,
})
/** Locks of an address; each one within a day lasts longer. */
const locks = limit('sign-in-lock', { windowSeconds: 24 * 60 * 60, most: () => Number.MAX_SAFE_INTEGER })

/** A sign-in attempt, counted before it is verified. */
export interface SignInAttempt {
  /** The limit as reported for every attempt, independent of the user and the input. */
  readonly state: LimitState
  /** The attempt is answered as wrong, whatever was sent. */
  readonly isLocked: boolean
  /** Reports a right attempt: resets the counts of the address, and `state`. No effect while the address is locked. */
  succeed(): Promise<void>
}

/** @throws ApiError `rate_limited` when the organization has too many attempts. */
export async function attemptSignIn(
  deps: Pick<Deps, 'config' | 'limits'>,
  at: Required<LimitKey>,
): Promise<SignInAttempt> {
  const { address: _, ...organization } = at
  // Counted first, so that a refused attempt does not count against the address, whose owner may be somebody else.
  await deps.limits.take(organizationAttempts, organization)
  const counted = await deps.limits.add(attempts, at)
  let { state } = counted
  // Of concurrent attempts exactly one is the last permitted; it locks the address, so that nobody waits for the next.
  if (counted.count === state.limit) {
    const seconds = await lock(deps, at)
    state = { ...state, resetSeconds: seconds, retryAfterSeconds: seconds }
  }
  const isLocked = counted.count > state.limit
  return {
    get state() {
      return state
    },
    isLocked,
    async succeed() {
      if (isLocked) return
      await forgetAttempts(deps, at)
      const { name, limit, windowSeconds } = state
      state = { name, limit, windowSeconds, remaining: limit, resetSeconds: windowSeconds }
    },
  }
}

/** Locks an address, for twice as long as the last time. */
async function lock({ config, limits }: Pick<Deps, 'config' | 'limits'>, at: LimitKey): Promise<number> {
  const { lockSeconds, maxLockSeconds } = config.limits
  const { count } = await limits.add(locks, at)
  const seconds = Math.min(lockSeconds * 2 ** (count - 1), maxLockSeconds)
  await limits.lock(attempts, at, seconds)
  return seconds
}

/** The failed attempts at an address since the last right one. */
export interface CountedAttempts {
  /** At most the limit. */
  readonly attempts: number
  /** Null while the address may try. */
  readonly lockedForSeconds: number | null
}

/** What is counted at an address, without counting an attempt. */
export async function lookAtAttempts(
  { limits }: Pick<Deps, 'limits'>,
  at: Required<LimitKey>,
): Promise<CountedAttempts> {
  const { count, state } = await limits.look(attempts, at)
  const isLocked = count >= state.limit
  // A lock is stored as one more than the limit.
  return {
    attempts: Math.min(count, state.limit),
    lockedForSeconds: isLocked ? state.resetSeconds : null,
  }
}

/** Forgets the failed attempts at an address after its owner was verified by another method. */
export async function forgetAttempts(
  { limits }: Pick<Deps, 'limits'>,
  at: Required<LimitKey>,
): Promise<void> {
  await Promise.all([limits.forget(attempts, at), limits.forget(locks, at)])
}

import type { Deps } from '../../delivery/deps.js'
import { limit, type LimitKey } from '../../delivery/limits/limits.js'
import type { LimitState } from '../../platform/errors.js'

const attempts = limit('sign-in', {
  windowSeconds: 15 * 60,
  most: (settings) => settings.attemptsPerAddress,
})
const organizationAttempts = limit('organization-sign-in', {
  windowSeconds: 60,
  most: (settings) => settings.attemptsPerMinute,
})
/** Locks of an address, of which each in a day lasts longer. */
const locks = limit('sign-in-lock', { windowSeconds: 24 * 60 * 60, most: () => Number.MAX_SAFE_INTEGER })

/** An attempt to sign in, counted before it is looked at. */
export interface SignInAttempt {
  /** What every attempt at this point is told, whoever has the address and whatever was sent. */
  readonly state: LimitState
  /** Whatever was sent is to be answered as wrong. */
  readonly isLocked: boolean
  /**
   * The attempt was right: what was counted of the address is forgotten, and `state` says so. While it is locked
   * nothing is.
   */
  succeed(): Promise<void>
}

/** @throws ApiError `rate_limited` when the organization has too many attempts. */
export async function attemptSignIn(
  deps: Pick<Deps, 'config' | 'limits'>,
  at: Required<LimitKey>,
): Promise<SignInAttempt> {
  const { address: _, ...organization } = at
  // First, so that what is refused here does not count at the address, whose owner may be somebody else.
  await deps.limits.take(organizationAttempts, organization)
  const counted = await deps.limits.add(attempts, at)
  let { state } = counted
  // Of attempts at once one alone is the last that is looked at; it locks the address, so that nobody waits for a next.
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

/** Forgets the failed attempts at an address, whose owner has shown up in another way. */
export async function forgetAttempts(
  { limits }: Pick<Deps, 'limits'>,
  at: Required<LimitKey>,
): Promise<void> {
  await Promise.all([limits.forget(attempts, at), limits.forget(locks, at)])
}

import { isObject } from './exchange.js'
import type { SignedToken } from './signed-token.js'
import { TokenError } from './token-error.js'

/** The session that a logout token ends: that of the ID tokens with this `sub` and `sid`. */
export interface LoggedOut {
  /** The user. */
  readonly sub: string
  /** The session. */
  readonly sid: string
}

/** Remembers logout tokens that were accepted, so that each is accepted once. */
export interface LogoutTokenMemory {
  /**
   * Remembers a token until it expires, in one step with the look at what is remembered.
   *
   * @param jti The token's id.
   * @param expiresAt When it may be forgotten, in milliseconds since 1970.
   * @returns Whether it was not remembered before.
   */
  remember(jti: string, expiresAt: number): boolean | Promise<boolean>
}

/** A memory of this process; behind several processes, use one that they share. */
export function createLogoutTokenMemory(now: () => number): LogoutTokenMemory {
  // In the order of arrival, which is nearly that of expiry.
  const known = new Map<string, number>()
  return {
    remember(jti, expiresAt) {
      for (const [id, until] of known) {
        if (until > now()) break
        known.delete(id)
      }
      if (known.has(jti)) return false
      known.set(jti, expiresAt)
      return true
    },
  }
}

const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout'

/**
 * Checks the claims that only logout tokens have (OpenID Connect Back-Channel Logout 1.0 section 2.6).
 *
 * @throws TokenError
 */
export function readLogoutClaims(claims: SignedToken['claims']): LoggedOut & { readonly jti: string } {
  const { events, sub, sid, jti } = claims
  if (!isObject(events) || !Object.hasOwn(events, logoutEvent) || !isObject(events[logoutEvent]))
    throw new TokenError('event_missing', 'the token tells of no logout')
  if (Object.hasOwn(claims, 'nonce')) throw new TokenError('nonce_present', 'a logout token has no nonce')
  if (!isText(sub) || !isText(sid) || !isText(jti))
    throw new TokenError('claims_malformed', 'a claim of the token is missing or not of its type')
  return { sub, sid, jti }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

import type { IdTokenClaims } from '../generated.js'
import { contentsOf, type Contents } from './contents.js'
import type { SessionSettings } from './options.js'
import { digestOf } from './digest.js'
import type { IssuedTokens, TokenEndpoints } from './tokens.js'

/** Verifies the ID token that came with an access token; with the nonce of a sign-in. */
export type IdTokenCheck = (tokens: IssuedTokens, nonce?: string) => Promise<IdTokenClaims>

/** A session after an exchange. */
export interface Renewed {
  readonly contents: Contents
  readonly accessToken: string
}

/** Exchanges refresh tokens, and keeps the access tokens. */
export interface Refreshes {
  /**
   * Exchanges the refresh token of a session. Calls at once, and those that still have the old cookie a little later, share
   * one exchange.
   *
   * @param after When the session may have ended, in milliseconds since 1970: what was asked before does not count.
   * @returns Undefined when the session has ended.
   * @throws Error when the service cannot be asked.
   */
  renew(contents: Contents, after?: number): Promise<Renewed | undefined>
  /** Makes the session of a sign-in. */
  begin(tokens: IssuedTokens, claims: IdTokenClaims): Promise<Renewed>
  /** The access token of a session, if it is held and good for half a minute. */
  accessTokenOf(contents: Contents): Promise<string | undefined>
}

/** What has happened to sessions since the start of the process. */
export interface SessionCounts {
  /** Cookies that did not open: changed, of another application, or sealed by a secret that is gone. */
  unreadable: number
  /** Exchanges of refresh tokens that gave a successor. */
  renewed: number
  /** Those that were refused, because the session had ended. */
  ended: number
  /** Those without an answer that tells. */
  failed: number
}

interface Attempt {
  readonly startedAt: number
  readonly after: number
  /** Seconds since 1970, once it has ended. */
  until: number
  readonly outcome: Promise<Renewed | undefined>
}

/** How long the outcome of an exchange is given to requests with the old cookie. */
const sharedSeconds = 30
/** How long a service that does not answer is not asked again. */
const pauseSeconds = 5
const maxEntries = 1_000
const clockTolerance = 30

export function createRefreshes(
  settings: SessionSettings,
  endpoints: TokenEndpoints,
  check: IdTokenCheck,
  counts: SessionCounts,
): Refreshes {
  const { now, maxAgeSeconds, refreshSeconds } = settings
  // By digests, and with the oldest entry first.
  const attempts = new Map<string, Attempt>()
  const accessTokens = new Map<string, { readonly value: string; readonly until: number }>()

  return {
    async renew(contents, after = -Infinity) {
      const key = await keyOf(contents)
      const shared = attempts.get(key)
      const isLater = shared && (shared.after >= after || shared.startedAt * 1000 > after)
      if (isLater && now() < shared.until) return shared.outcome
      const attempt: Attempt = {
        ...{ startedAt: now(), after, until: Infinity },
        outcome: exchange(contents, after),
      }
      keep(attempts, key, attempt)
      try {
        const outcome = await attempt.outcome
        attempt.until = now() + sharedSeconds
        counts[outcome === undefined ? 'ended' : 'renewed'] += 1
        return outcome
      } catch (error) {
        attempt.until = now() + pauseSeconds
        counts.failed += 1
        settings.onError(error)
        throw error
      }
    },
    begin: (tokens, claims) => settle(tokens, claims, { end: now() + maxAgeSeconds, iat: claims.iat }),
    async accessTokenOf(contents) {
      const held = accessTokens.get(await keyOf(contents))
      return held && now() < held.until - clockTolerance ? held.value : undefined
    },
  }

  async function exchange(contents: Contents, after: number): Promise<Renewed | undefined> {
    const { rt = '', sub, org, sid, end } = contents
    const tokens = await endpoints.issue({ grant_type: 'refresh_token', refresh_token: rt })
    if (tokens === undefined) return undefined
    const claims = await check(tokens)
    // A refresh changes neither user nor organization (OpenID Connect Core section 12.2).
    if (claims.sub !== sub || claims.org !== org || (claims.sid ?? '') !== sid)
      throw new Error('the refreshed ID token is of another session')
    // The clocks may differ: what the service was asked about since is not asked about again.
    return settle(tokens, claims, { end, rt, iat: Math.max(claims.iat, Math.floor(after / 1000) + 1) })
  }

  async function settle(
    tokens: IssuedTokens,
    claims: IdTokenClaims,
    before: Pick<Contents, 'end' | 'iat' | 'rt'>,
  ): Promise<Renewed> {
    const rt = tokens.refreshToken ?? before.rt
    const fresh = now() + Math.min(tokens.lifetime, refreshSeconds)
    // Without a refresh token nothing renews it.
    const end = rt === undefined ? Math.min(before.end, fresh) : before.end
    const { accessToken, lifetime } = tokens
    const life = { fresh, end, rt, iat: before.iat }
    const contents = contentsOf(claims, accessToken, settings.claims, life)
    keep(accessTokens, await keyOf(contents), { value: accessToken, until: now() + lifetime })
    return { contents, accessToken }
  }
}

/** What tells a session's tokens from others: never the refresh token itself. */
function keyOf({ rt, sid, iat }: Contents): Promise<string> {
  return digestOf(rt ?? `${sid} ${iat}`)
}

/** Adds the newest entry, and removes the oldest one where there are too many. */
function keep<Value>(entries: Map<string, Value>, key: string, value: Value): void {
  entries.delete(key)
  entries.set(key, value)
  if (entries.size <= maxEntries) return
  const [oldest = key] = entries.keys()
  entries.delete(oldest)
}

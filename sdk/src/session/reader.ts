import { signedOut, type Auth } from './auth.js'
import { toAuth, type Contents } from './contents.js'
import { withCookie } from './cookies.js'
import type { SessionSettings } from './options.js'
import type { Refreshes, SessionCounts } from './refresh.js'
import type { Revocations } from './revocations.js'
import type { OpenedSession, SessionCookie } from './session-cookie.js'
import { SessionError } from './session-error.js'

/** Puts a Set-Cookie header into the answer to a request. */
export type CookieWriter = (setCookie: string) => void

/** What is done with the cookie of a request. */
export interface CookieUse {
  /** Undefined while no cookie can be written, as where an answer has no headers of its own, or has begun. */
  readonly write?: CookieWriter | undefined
  /** Hears the Cookie header that the same request should go on with, where that is another one. */
  readonly forward?: ((cookies: string) => void) | undefined
}

/** How long before the end of its freshness a session is renewed, in seconds. */
const earlySeconds = 60
/** How long a session is good after it where no cookie can be written, and where the service does not answer. */
export const graceSeconds = { readOnly: 60, outage: 300 } as const

/** Reads the session of requests, and renews it. */
export function createReader(parts: {
  readonly settings: SessionSettings
  readonly cookie: SessionCookie
  readonly refreshes: Refreshes
  readonly revocations: Revocations
  readonly counts: SessionCounts
}): (cookies: string | null, use: CookieUse) => Promise<Auth> {
  const { settings, cookie, refreshes, revocations, counts } = parts
  const { now } = settings

  return async (cookies, use) => {
    const opened = await cookie.open(cookies)
    if (opened === 'none') return signedOut
    if (opened === 'unreadable') {
      counts.unreadable += 1
      return drop()
    }
    const current = await freshen(opened)
    if (current === undefined) return drop()
    return current === 'stale' ? signedOut : authOf(current)

    function drop(): Auth {
      use.write?.(cookie.remove())
      use.forward?.(withCookie(cookies, cookie.name, undefined))
      return signedOut
    }

    /** The session as it is now; undefined when it has ended. */
    async function freshen(opened: OpenedSession): Promise<OpenedSession | 'stale' | undefined> {
      const { contents, id } = opened
      const endedAt = (await revocations.since(entriesOf(contents))) ?? -Infinity
      const isRevoked = endedAt >= contents.iat * 1000
      const age = isRevoked ? Infinity : now() - contents.fresh
      if (contents.rt === undefined) return isRevoked ? undefined : opened
      if (age < -earlySeconds) return opened
      if (use.write === undefined) return age < graceSeconds.readOnly ? opened : 'stale'
      try {
        const renewed = await refreshes.renew(contents, endedAt)
        if (renewed === undefined) await cookie.forget(opened)
        return renewed && { contents: await store(renewed.contents, id), id }
      } catch (error) {
        // Other credentials of the application end no session of its users.
        if (error instanceof SessionError && error.code !== 'client_refused') throw error
        if (age >= graceSeconds.outage) throw unavailable(error)
        // A reader that cannot write would take it for stale. The browser keeps what it has.
        if (age >= 0) forward(await cookie.sealed({ ...contents, fresh: now() }))
        return opened
      }
    }

    async function store(contents: Contents, id: string | undefined): Promise<Contents> {
      const value = await cookie.seal(contents, id)
      use.write?.(cookie.set(value, contents))
      forward(value)
      return contents
    }

    function forward(value: string): void {
      use.forward?.(withCookie(cookies, cookie.name, value))
    }

    function authOf({ contents: first, id }: OpenedSession): Auth {
      let contents = first
      return toAuth(first, async () => {
        const held = await refreshes.accessTokenOf(contents)
        if (held !== undefined) return held
        if (use.write === undefined || contents.rt === undefined)
          throw new SessionError('session_read_only', 'no access token is held, and none can be kept here')
        const renewed = await refreshes.renew(contents).catch((cause: unknown) => {
          throw unavailable(cause)
        })
        if (renewed === undefined) {
          drop()
          throw new SessionError('signed_out', 'the session has ended')
        }
        contents = await store(renewed.contents, id)
        return renewed.accessToken
      })
    }
  }
}

/** What revocations may know of a session. */
export function entriesOf({ sid, sub, org, act }: Contents): string[] {
  return [`sid:${sid}`, ...(act === undefined ? [] : [`imp:${act[1]}`]), `user:${sub}`, `org:${org}`]
}

/** The reason why the service could not be asked, which an error of the session layer says itself. */
export function unavailable(cause: unknown): SessionError {
  if (cause instanceof SessionError) return cause
  return new SessionError('service_unavailable', 'the service does not answer', { cause })
}

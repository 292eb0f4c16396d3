import type { Auth } from './session/auth.js'
import { createCookieJar } from './session/cookies.js'
import { refusalOf, toResponse, type Demands, type RequestHead } from './session/guard.js'
import { createIdTokenCheck } from './session/id-token.js'
import { settingsOf, type SessionOptions } from './session/options.js'
import { createReader, type CookieUse } from './session/reader.js'
import { createRefreshes, type SessionCounts } from './session/refresh.js'
import { createRevocations } from './session/revocations.js'
import { answer, type RouteRequest } from './session/routes.js'
import { createSealer } from './session/seal.js'
import { createSessionCookie } from './session/session-cookie.js'
import { createSignIns } from './session/sign-in.js'
import { createTokenEndpoints } from './session/tokens.js'
import { createTransactions } from './session/transaction.js'

export type {
  Auth,
  Impersonator,
  SessionOrganization,
  SessionUser,
  SignedIn,
  SignedOut,
  UserSession,
} from './session/auth.js'
export { bannerOf, type BannerOptions } from './session/banner.js'
export type { Demands, GuardOptions, RequestHead } from './session/guard.js'
export type { SessionOptions, SessionStore } from './session/options.js'
export type { CookieUse, CookieWriter } from './session/reader.js'
export type { SessionCounts } from './session/refresh.js'
export type { RouteRequest } from './session/routes.js'
export { createRevocations, type Revocations } from './session/revocations.js'
export { SessionError, type SessionErrorCode, type SessionErrorOptions } from './session/session-error.js'

/** The sessions of an application's users, for frameworks that speak in web requests and answers. */
export interface Sessions {
  /**
   * Answers a request below basePath (`/auth`): sign-in, callback, sign-out, switch, me and events.
   *
   * @returns Undefined for any other path.
   */
  handle(request: RouteRequest): Promise<Response | undefined>
  /**
   * Reads who a request is from. Where cookies can be written, a session that is about to be too old is renewed.
   *
   * @throws SessionError `service_unavailable` when a session has been too old for five minutes and the service does not
   *   answer; `client_refused` when it answers then that it does not take the application; `session_too_large`
   *   when it does not fit into a cookie any more.
   */
  read(request: RequestHead, use?: CookieUse): Promise<Auth>
  /** The answer to a request that a route's demands refuse; undefined when it may go on. */
  guard(request: RequestHead, auth: Auth, demands?: Demands): Response | undefined
  /** What has happened since the start, for metrics. */
  readonly counts: Readonly<SessionCounts>
}

/**
 * Makes the session layer of an application: the user signs in at the account's issuer, and an encrypted cookie keeps the
 * session. Make one and share it.
 *
 * @throws TypeError that names every option that is missing or invalid.
 * @example
 * ```ts
 * const sessions = createSessions({ appUrl: 'https://app.example' })
 * const answer = await sessions.handle(request)
 * const { user } = await sessions.read(request)
 * console.log(answer?.status, user?.email)
 * ```
 */
export function createSessions(options: SessionOptions = {}): Sessions {
  const settings = settingsOf(options)
  const { baseUrl, account, clientId, environment, appUrl, secrets, now } = settings
  const jar = createCookieJar(appUrl.startsWith('https:'))
  const sealer = createSealer(secrets, [baseUrl, account, clientId, environment, appUrl])
  const revocations = settings.revocations ?? createRevocations(() => now() * 1000)
  const counts = { unreadable: 0, renewed: 0, ended: 0, failed: 0 }
  const endpoints = createTokenEndpoints(settings)
  const check = createIdTokenCheck(settings)
  const refreshes = createRefreshes(settings, endpoints, check, counts)
  const cookie = createSessionCookie(settings, jar, sealer)
  const readCookies = createReader({ settings, cookie, refreshes, revocations, counts })
  const signIns = createSignIns({
    ...{ settings, endpoints, check, refreshes, cookie, revocations },
    transactions: createTransactions(jar, sealer),
  })
  const read: Sessions['read'] = (request, use = {}) => readCookies(request.headers.get('cookie'), use)

  return {
    handle: (request) =>
      answer(request, { settings, signIns, revocations, read: (same, write) => read(same, { write }) }),
    read,
    guard(request, auth, demands = {}) {
      const refusal = refusalOf(request, auth, demands, settings)
      return refusal && toResponse(request, refusal)
    },
    counts,
  }
}

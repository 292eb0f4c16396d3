/** Reasons for which a request has no session, or may not go on. */
export type SessionErrorCode =
  /** Nobody is signed in, or the session has ended. */
  | 'signed_out'
  /** The sign-in is too old, or without the second factor that was asked for (RFC 9470). */
  | 'insufficient_user_authentication'
  /** A request that changes something comes from another site. */
  | 'cross_site'
  /** A member of staff acts as the user, where only the user may. */
  | 'impersonated'
  /** The session has no claim that gives the permission. */
  | 'permission_missing'
  /** The access token had no room for the permissions: ask createAccessEvaluator(). */
  | 'permissions_unavailable'
  /** The session is of another organization than the request names. */
  | 'other_organization'
  /** The service has not answered for longer than a session is good without it. */
  | 'service_unavailable'
  /** An access token would have to be fetched where no cookie can be written. */
  | 'session_read_only'
  /** The cookie would be longer than 1,500 bytes; the message names the claim. */
  | 'session_too_large'
  /** The answer belongs to no sign-in that this browser has begun. */
  | 'state_unknown'
  /** The answer, or the request for a sign-in, comes from another issuer. */
  | 'issuer_mismatch'
  /** The service answered with an error, which `oauthError` has, or with another sign-in than was asked for. */
  | 'sign_in_refused'
  /** The code could not be exchanged for a valid ID token. */
  | 'exchange_failed'
  /** The service does not take the application's own credentials. No user can help it. */
  | 'client_refused'

/** Statuses to answer with. */
const statuses: Readonly<Record<SessionErrorCode, number>> = {
  ...{ signed_out: 401, insufficient_user_authentication: 401 },
  ...{ cross_site: 403, impersonated: 403, other_organization: 409 },
  ...{ permission_missing: 403, permissions_unavailable: 403 },
  ...{ service_unavailable: 503, session_read_only: 500, session_too_large: 500 },
  ...{ state_unknown: 400, issuer_mismatch: 400, sign_in_refused: 400 },
  ...{ exchange_failed: 502, client_refused: 502 },
}

/** A failure of the session layer. Never contains a token, a cookie or a part of one. */
export class SessionError extends Error {
  override readonly name = 'SessionError'
  readonly code: SessionErrorCode
  /** The HTTP status to answer with. */
  readonly status: number
  /** The error of the authorization response, such as `access_denied`. */
  readonly oauthError: string | undefined

  constructor(code: SessionErrorCode, message: string, options: SessionErrorOptions = {}) {
    super(message, options)
    this.code = code
    this.status = statuses[code]
    this.oauthError = options.oauthError
  }
}

/** What is known beside the code. */
export interface SessionErrorOptions extends ErrorOptions {
  /** The error of the authorization response. */
  readonly oauthError?: string | undefined
}

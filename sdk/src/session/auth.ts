/** A user who is signed in, as the session knows them. */
export interface SessionUser {
  /** `sub` of the tokens; unique to the organization's directory. */
  readonly id: string
  readonly email: string
  /** Null when the service knows none. */
  readonly name: string | null
  /** The claims that `claims` of the options names: of the ID token, and `permissions` of the access token. */
  readonly claims: Readonly<Record<string, unknown>>
}

/** The organization that the user has signed in to. */
export interface SessionOrganization {
  readonly domain: string
}

/** A member of staff who acts as the user. */
export interface Impersonator {
  /** The actor's id, as the back end gave it. */
  readonly id: string
  /** Of the impersonation; null when the token does not name it. */
  readonly impersonation_id: string | null
}

/** The sign-in of a user. */
export interface UserSession {
  /** `sid` of the tokens. */
  readonly id: string
  /** When the user proved who they are. */
  readonly authenticatedAt: Date
  /** Strength of the sign-in: `urn:portico:acr:mfa` after a second factor. */
  readonly acr: string
  /** How the user signed in (RFC 8176). */
  readonly amr: readonly string[]
  /** When the session ends at the latest. */
  readonly expiresAt: Date
  /**
   * An access token of the user, renewed where it is about to expire.
   *
   * @throws SessionError `session_read_only` where none is held and no cookie can be written, `signed_out` when the session
   *   has ended, `service_unavailable` when the service does not answer, `client_refused` when it does not take the
   *   application.
   */
  accessToken(): Promise<string>
}

/** Of a request with a session. */
export interface SignedIn {
  readonly user: SessionUser
  readonly organization: SessionOrganization
  readonly session: UserSession
  readonly impersonator: Impersonator | null
}

/** Of a request without one. */
export interface SignedOut {
  readonly user: null
  readonly organization: null
  readonly session: null
  readonly impersonator: null
}

/** The user of a request. */
export type Auth = SignedIn | SignedOut

export const signedOut: SignedOut = { user: null, organization: null, session: null, impersonator: null }

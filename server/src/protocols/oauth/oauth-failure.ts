import { oauthErrorStatuses, type OAuthError } from '@portico/contract/oauth'

/** A refusal of the token endpoint (RFC 6749 section 5.2). */
export class OAuthFailure extends Error {
  override readonly name = 'OAuthFailure'
  readonly status: number
  readonly retryAfterSeconds: number | undefined

  constructor(
    readonly error: OAuthError['error'],
    description: string,
    detail: { status?: number; retryAfterSeconds?: number | undefined } = {},
  ) {
    super(description)
    this.status = detail.status ?? oauthErrorStatuses[error]
    this.retryAfterSeconds = detail.retryAfterSeconds
  }
}

/** The answer to wrong credentials, and to missing ones of an application that has to authenticate: one text for all. */
export function invalidClient(): OAuthFailure {
  return new OAuthFailure('invalid_client', 'The client is not authenticated by these credentials.')
}

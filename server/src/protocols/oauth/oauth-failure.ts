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

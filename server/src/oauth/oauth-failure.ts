import type { OAuthError } from '@portico/contract/oauth'

const statuses: Record<OAuthError['error'], number> = {
  invalid_request: 400,
  invalid_client: 401,
  invalid_grant: 400,
  unauthorized_client: 400,
  unsupported_grant_type: 400,
  invalid_scope: 400,
  temporarily_unavailable: 429,
  unsupported_token_type: 400,
  invalid_token: 401,
  insufficient_scope: 403,
}

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
    this.status = detail.status ?? statuses[error]
    this.retryAfterSeconds = detail.retryAfterSeconds
  }
}

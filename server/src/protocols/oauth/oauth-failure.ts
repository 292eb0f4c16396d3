import { oauthErrorStatuses, type OAuthError } from '@portico/contract/oauth'

/** A refusal of the token endpoint (RFC 6749 section 5.2). */
export class OAuthFailure extends Error {
  override readonly name = 'OAuthFailure'
  readonly status: number
  readonly retryAfterSeconds: number | undefined
  readonly refusedClient: RefusedClient | undefined

  constructor(
    readonly error: OAuthError['error'],
    description: string,
    detail: {
      status?: number
      retryAfterSeconds?: number | undefined
      refusedClient?: RefusedClient
    } = {},
  ) {
    super(description)
    this.status = detail.status ?? oauthErrorStatuses[error]
    this.retryAfterSeconds = detail.retryAfterSeconds
    this.refusedClient = detail.refusedClient
  }
}

/** Why a client is not authenticated: for the log of the service alone, since the answer is the same for each. */
export interface RefusedClient {
  readonly reason: ClientRefusal
  /** The application or API key that the request names; a text that has not the form of an id is left out. */
  readonly clientId?: string | undefined
  /** Where there is such a client. */
  readonly accountId?: string | undefined
  readonly environment?: string | undefined
}

/** The reasons, as docs/guides/client-secrets.md explains them to developers. */
export type ClientRefusal =
  | 'header_unreadable'
  | 'credentials_missing'
  | 'secret_malformed'
  | 'client_id_malformed'
  | 'client_unknown'
  | 'unexpected_method'
  | 'secret_unknown'
  | 'secret_of_other_environment'
  | 'secret_expired'
  | 'api_key_unknown'
  | 'api_key_revoked'
  | 'api_key_expired'
  | 'api_key_required'
  | 'domain_mismatch'
  | 'assertion_type'
  | 'assertion_unreadable'
  | 'assertion_issuer'
  | 'assertion_audience'
  | 'assertion_expiry'
  | 'assertion_lifetime'
  | 'assertion_jti'
  | 'assertion_of_another_client'
  | 'assertion_key_unknown'
  | 'assertion_signature'
  | 'assertion_replayed'

/** The answer to wrong credentials, and to missing ones of an application that has to authenticate: one text for all. */
export function invalidClient(refusedClient: RefusedClient): OAuthFailure {
  return new OAuthFailure('invalid_client', 'The client is not authenticated by these credentials.', {
    refusedClient,
  })
}

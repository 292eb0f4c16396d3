/** Reasons to refuse a token. With `domain` in the order of the checks; a verifier of an account checks the claims before the key. */
export type TokenErrorCode =
  /** Not a compact JWS of JSON objects, or more than 16 kB. */
  | 'token_malformed'
  /** The header is of another kind of token, such as an ID token in place of an access token. */
  | 'type_rejected'
  /** The algorithm is neither ES256 nor RS256, or not that of the key. */
  | 'algorithm_rejected'
  /** The issuer publishes no such key. */
  | 'key_unknown'
  /** The key set cannot be fetched, and no earlier one is cached. Not a fault of the token: answer 503, not 401. */
  | 'keys_unavailable'
  /** The service has no organization of the token's issuer. Of a verifier of an account. */
  | 'issuer_unknown'
  | 'signature_invalid'
  | 'issuer_mismatch'
  | 'audience_mismatch'
  | 'environment_mismatch'
  /** `jtt` is of another kind of token. */
  | 'use_mismatch'
  /** A claim is missing or of the wrong type. */
  | 'claims_malformed'
  | 'token_expired'
  /** `nbf` or `iat` is in the future. */
  | 'token_not_yet_valid'
  | 'nonce_mismatch'
  | 'access_token_mismatch'
  | 'code_mismatch'
  /** A logout token has no event of a logout. */
  | 'event_missing'
  /** A logout token has a nonce, as only ID tokens may. */
  | 'nonce_present'
  /** The logout token was accepted before. */
  | 'token_replayed'

/** A token was refused. Never contains the token or a part of it. */
export class TokenError extends Error {
  override readonly name = 'TokenError'
  readonly code: TokenErrorCode

  constructor(code: TokenErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

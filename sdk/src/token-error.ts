/** Why a token is refused, in the order in which tokens are checked. */
export type TokenErrorCode =
  /** Not a compact JWS of JSON objects, or more than 16 kB. */
  | 'token_malformed'
  /** The header says that it is another kind of token, such as an ID token in place of an access token. */
  | 'type_rejected'
  /** The algorithm is none of ES256 and RS256, or not that of the key. */
  | 'algorithm_rejected'
  /** The organization publishes no such key. */
  | 'key_unknown'
  /** The key set cannot be had, and there is no earlier one. Not a fault of the token: answer 503, not 401. */
  | 'keys_unavailable'
  | 'signature_invalid'
  | 'issuer_mismatch'
  | 'audience_mismatch'
  | 'environment_mismatch'
  /** `jtt` says that it is another kind of token. */
  | 'use_mismatch'
  /** A claim is missing or not of its type. */
  | 'claims_malformed'
  | 'token_expired'
  /** `nbf` or `iat` is in the future. */
  | 'token_not_yet_valid'
  | 'nonce_mismatch'
  | 'access_token_mismatch'
  | 'code_mismatch'

/** A token was not accepted. Never holds the token or a part of it. */
export class TokenError extends Error {
  override readonly name = 'TokenError'
  readonly code: TokenErrorCode

  constructor(code: TokenErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

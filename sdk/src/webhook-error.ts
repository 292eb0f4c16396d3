/** Why a delivery is refused. */
export type WebhookErrorCode =
  /** The body was read as JSON before: an object came in place of its bytes. */
  | 'body_parsed'
  /** No service-signature: somebody else called, or something on the way drops headers it does not know. */
  | 'header_missing'
  | 'header_malformed'
  /** The signature is of the same JSON, written differently: the body was parsed and written again. */
  | 'body_rewritten'
  /** None of the keys made it: the key of another webhook, or of the other environment, or a body that was changed. */
  | 'signature_mismatch'
  /** Sent longer ago than the tolerance: a repetition, or a clock that is wrong. */
  | 'timestamp_too_old'
  /** Of the future, by more than the tolerance: a clock is wrong. */
  | 'timestamp_too_new'
  /** Signed, and no event. */
  | 'body_malformed'

/** A delivery was not accepted: answer 400. Never holds a key, a signature or a part of the body. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError'
  readonly code: WebhookErrorCode

  constructor(code: WebhookErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** Reasons to refuse a delivery. */
export type WebhookErrorCode =
  /** The body was parsed as JSON: an object was given instead of bytes. */
  | 'body_parsed'
  /** No service-signature: the sender is not the service, or a proxy removes unknown headers. */
  | 'header_missing'
  | 'header_malformed'
  /** The signature matches the same JSON in another serialization: the body was parsed and serialized again. */
  | 'body_rewritten'
  /** No key matches: it is of another webhook or environment, or the body was changed. */
  | 'signature_mismatch'
  /** Older than the tolerance: a replay, or a wrong clock. */
  | 'timestamp_too_old'
  /** In the future by more than the tolerance: a wrong clock. */
  | 'timestamp_too_new'
  /** Signed, but not an event. */
  | 'body_malformed'

/** A delivery was refused: answer 400. Never contains a key, a signature or a part of the body. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError'
  readonly code: WebhookErrorCode

  constructor(code: WebhookErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

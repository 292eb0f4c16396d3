/** Options of one call besides its input. */
export interface RequestOptions {
  /**
   * 1 to 255 printable ASCII characters. By default the client generates a key per call and keeps it over retries; give one
   * to repeat the same call from another process.
   */
  readonly idempotencyKey?: string | undefined
  /** The ETag that the record must still have, from etagOf(); otherwise the call fails with `precondition_failed`. */
  readonly ifMatch?: string | undefined
  /** Ends the call; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** Timeout of one attempt in milliseconds, answer included; the client's `timeoutMs` by default. */
  readonly timeoutMs?: number | undefined
  /** Further headers; they cannot replace those of the client. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** What can be said about one call besides its input. */
export interface RequestOptions {
  /**
   * 1 to 255 printable ASCII characters. Operations that carry a key make one of their own, and keep it over the
   * repetitions of one call; give one to make a call of a later process the same call.
   */
  readonly idempotencyKey?: string | undefined
  /** The ETag that the record must still have, from etagOf(); refused with `precondition_failed` otherwise. */
  readonly ifMatch?: string | undefined
  /** Ends the call; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** Milliseconds for one attempt, answer included; the client's `timeoutMs` unless given. */
  readonly timeoutMs?: number | undefined
  /** Further headers. Those that the client itself sends are not replaced. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

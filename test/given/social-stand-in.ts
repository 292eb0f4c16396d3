/** What is asked of a stand-in for a provider's servers. */
export interface StandInRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** An answer of a stand-in, in place of an outbound connection. */
export function answerOf(status: number, body: unknown) {
  const headers = { contentType: 'application/json; charset=utf-8' }
  return Promise.resolve({ outcome: 'answered', status, headers, body: JSON.stringify(body), isWhole: true })
}

/**
 * Whether the request is no visit by a user: a HEAD, or a prefetch by the browser (Fetch Standard, `Sec-Purpose`; the
 * other headers are its predecessors).
 */
export function isOnlyLooking({
  method,
  headers,
}: {
  readonly method: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}): boolean {
  const purposes = [headers['sec-purpose'], headers['purpose'], headers['x-moz'], headers['x-purpose']].flat()
  return method === 'HEAD' || purposes.some((purpose) => /^\s*(prefetch|preview)\b/i.test(purpose ?? ''))
}

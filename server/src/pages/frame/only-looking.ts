/**
 * Whether nobody has gone to the address yet: a HEAD, or what a browser loads ahead (Fetch Standard, `Sec-Purpose`; the
 * others are what browsers sent before).
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

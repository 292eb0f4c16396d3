/** The subject of decoded claims. */
export function subOf(claims: unknown): string {
  if (typeof claims === 'object' && claims !== null && 'sub' in claims && typeof claims.sub === 'string')
    return claims.sub
  throw new Error(`no subject: ${JSON.stringify(claims)}`)
}

/** A string member of a parsed body; undefined without one. */
export function memberOf(body: unknown, name: string): string | undefined {
  const value: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined
  return typeof value === 'string' ? value : undefined
}

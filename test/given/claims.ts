/** The claims of a token, not verified. */
export function claimsOf(token = ''): Record<string, unknown> {
  const claims: Record<string, unknown> = JSON.parse(
    Buffer.from(token.split('.')[1] ?? '', 'base64url').toString(),
  )
  return claims
}

import { TokenError, type TokenClaims, type Verifier } from '@portico/sdk'

/** Whose request it is, or with what to refuse it. */
export type Checked<Claims extends TokenClaims> =
  | { readonly claims: Claims['accessToken'] }
  | { readonly status: 401 | 503; readonly headers: Readonly<Record<string, string>> }

/** Verifies the bearer token of a request, and says how to refuse it (RFC 6750 section 3). */
export async function checkToken<Claims extends TokenClaims>(
  verifier: Verifier<Claims>,
  authorization: string | null | undefined,
): Promise<Checked<Claims>> {
  const [, token] = /^Bearer +(\S+) *$/i.exec(authorization ?? '') ?? []
  // Who sends no token is told nothing but how to send one.
  if (token === undefined) return { status: 401, headers: { 'WWW-Authenticate': 'Bearer' } }
  try {
    return { claims: await verifier.verifyAccessToken(token) }
  } catch (error) {
    if (!(error instanceof TokenError)) throw error
    // Nobody can say whether the token is good: a client that were told 401 would throw it away.
    if (error.code === 'keys_unavailable') return { status: 503, headers: { 'Retry-After': '5' } }
    const challenge = `Bearer error="invalid_token", error_description="${error.code}"`
    return { status: 401, headers: { 'WWW-Authenticate': challenge } }
  }
}

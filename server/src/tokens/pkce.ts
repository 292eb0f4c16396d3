import { createHash, timingSafeEqual } from 'node:crypto'

/** The code verifier (RFC 7636 section 4.1): 43 to 128 unreserved characters. */
const verifierForm = /^[A-Za-z0-9\-._~]{43,128}$/

/** The S256 challenge of a verifier (RFC 7636 section 4.2). */
export function toCodeChallenge(verifier: string): string {
  return createHash('sha256').update(verifier, 'ascii').digest('base64url')
}

/**
 * Whether a verifier matches the challenge (RFC 7636 section 4.6). A verifier without a challenge fails too: the challenge
 * was removed from the request (RFC 9700 section 2.1.1).
 */
export function isVerifierOf(challenge: string | null, verifier: string | undefined): boolean {
  if (challenge === null) return verifier === undefined
  if (verifier === undefined || !verifierForm.test(verifier)) return false
  const expected = Buffer.from(challenge)
  const actual = Buffer.from(toCodeChallenge(verifier))
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}

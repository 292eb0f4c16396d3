import { createHash, timingSafeEqual } from 'node:crypto'
import { minNonceLength } from '@portico/contract/client-authentication'

/** The code verifier (RFC 7636 section 4.1): 43 to 128 unreserved characters. */
const verifierForm = /^[A-Za-z0-9\-._~]{43,128}$/

/** The S256 challenge of a verifier (RFC 7636 section 4.2). */
export function toCodeChallenge(verifier: string): string {
  return createHash('sha256').update(verifier, 'ascii').digest('base64url')
}

/** The challenge that a verifier meets: null without one, and for a malformed one a text that is no challenge. */
export function challengeOf(verifier: string | undefined): string | null {
  if (verifier === undefined) return null
  return verifierForm.test(verifier) ? toCodeChallenge(verifier) : 'malformed'
}

/**
 * Whether a verifier matches the challenge (RFC 7636 section 4.6). A verifier without a challenge fails too: the challenge
 * was removed from the request (RFC 9700 section 2.1.1).
 */
export function isVerifierOf(challenge: string | null, verifier: string | undefined): boolean {
  const presented = challengeOf(verifier)
  if (challenge === null || presented === null) return challenge === presented
  const [expected, actual] = [Buffer.from(challenge), Buffer.from(presented)]
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}

/** What an application demands of its sign-ins, as its row says. */
interface PkceRules {
  readonly client_authentication: string
  readonly pkce: string
}

/**
 * Whether a code is bound to the sign-in that has begun it as its application demands: by a challenge, or by a nonce which the
 * application compares (RFC 9700 section 2.1.1). Without client authentication `code_exchange` alone decides. The exchange asks the
 * same in its statement.
 */
export function isPkceMet(
  { client_authentication: authentication, pkce }: PkceRules,
  code: { readonly code_challenge?: string | null | undefined; readonly nonce?: string | null | undefined },
): boolean {
  if (authentication === 'none' || pkce === 'optional') return true
  if (code.code_challenge != null) return true
  return pkce === 'or_nonce' && [...(code.nonce ?? '')].length >= minNonceLength
}

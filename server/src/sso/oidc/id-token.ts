import { issuedAtOf, type AnsweredClaims } from './claims.js'
import { requestLifetimeMs } from './request.js'

/** Allowed difference between the clocks of a provider and ours. */
export const clockSkewMs = 2 * 60 * 1000

/** The checks of an exchange and of its ID token, in the order in which they are made. */
export const exchangeChecks = [
  'oidc_token',
  'oidc_id_token',
  'oidc_token_type',
  'oidc_authorized_party',
  'oidc_issued_at',
] as const

/** A failed check of an exchange. */
export interface TokenFault {
  readonly check: (typeof exchangeChecks)[number]
  readonly expected: string | null
  /** The value that was found instead, without a token or a secret. */
  readonly received: string
}

/**
 * Finds why a validly signed token is no ID token of this sign-in: providers sign tokens for other clients and uses by the
 * same key. The library checks none of this. The checks follow the order of the contract.
 */
export function findTokenFault(
  { idToken, claims }: { readonly idToken: string; readonly claims: AnsweredClaims },
  { clientId, at }: { readonly clientId: string; readonly at: Date },
): TokenFault | undefined {
  const typ = typeOf(idToken)
  if (typ !== undefined && !isJwt(typ))
    return { check: 'oidc_token_type', expected: 'JWT, or none', received: toText(typ) }
  // One audience does not say who may present the token (OpenID Connect Core section 3.1.3.7, step 5).
  const { azp } = claims
  if (azp !== undefined && azp !== clientId)
    return { check: 'oidc_authorized_party', expected: clientId, received: toText(azp) }
  // Entra backdates its tokens by five minutes; a token from before the oldest open request answers no request.
  const earliest = new Date(at.getTime() - requestLifetimeMs - clockSkewMs)
  const latest = new Date(at.getTime() + clockSkewMs)
  const issuedAt = issuedAtOf(claims)
  if (issuedAt === undefined || issuedAt < earliest || issuedAt > latest)
    return {
      check: 'oidc_issued_at',
      expected: `iat from ${earliest.toISOString()} to ${latest.toISOString()}`,
      received: issuedAt?.toISOString() ?? toText(claims['iat']),
    }
  return undefined
}

/** `application/` is optional, and case is ignored (RFC 7515 section 4.1.9). */
function isJwt(typ: unknown): boolean {
  return typeof typ === 'string' && /^(?:application\/)?jwt$/i.test(typ)
}

/** `typ` of the header of a token with a verified signature; undefined without one. */
function typeOf(idToken: string): unknown {
  const [header = ''] = idToken.split('.', 1)
  const read: unknown = JSON.parse(Buffer.from(header, 'base64url').toString())
  return typeof read === 'object' && read !== null && 'typ' in read ? read.typ : undefined
}

function toText(value: unknown): string {
  return (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, 200)
}

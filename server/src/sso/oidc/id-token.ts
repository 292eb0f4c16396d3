import { issuedAtOf, type Claims } from './claims.js'
import { requestLifetimeMs } from './request.js'

/** What clocks of providers may differ by from ours. */
export const clockSkewMs = 2 * 60 * 1000

/** The checks of an exchange and of the ID token that it brings, in the order in which they are made. */
export const exchangeChecks = [
  'oidc_token',
  'oidc_id_token',
  'oidc_token_type',
  'oidc_authorized_party',
  'oidc_issued_at',
] as const

/** What of an exchange is not as it must be. */
export interface TokenFault {
  readonly check: (typeof exchangeChecks)[number]
  readonly expected: string | null
  /** What was there instead, without a token or a secret. */
  readonly received: string
}

/**
 * What makes a token that is proved no ID token of this sign-in: providers sign others by the same key, for other clients
 * and other uses. The library looks at none of it. The checks are made in the order of the contract.
 */
export function findMisuse(
  { idToken, claims }: { readonly idToken: string; readonly claims: Claims },
  { clientId, at }: { readonly clientId: string; readonly at: Date },
): TokenFault | undefined {
  const typ = typeOf(idToken)
  if (typ !== undefined && !isJwt(typ))
    return { check: 'oidc_token_type', expected: 'JWT, or none', received: toText(typ) }
  // One audience does not say who may present the token (OpenID Connect Core section 3.1.3.7, step 5).
  const { azp } = claims
  if (azp !== undefined && azp !== clientId)
    return { check: 'oidc_authorized_party', expected: clientId, received: toText(azp) }
  // Entra dates its tokens five minutes back; nothing of before the oldest request that is open answers one.
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

/** `application/` may be left out, and the case says nothing (RFC 7515 section 4.1.9). */
function isJwt(typ: unknown): boolean {
  return typeof typ === 'string' && /^(?:application\/)?jwt$/i.test(typ)
}

/** `typ` of the header of a token whose signature is proved; undefined without one. */
function typeOf(idToken: string): unknown {
  const [header = ''] = idToken.split('.', 1)
  const read: unknown = JSON.parse(Buffer.from(header, 'base64url').toString())
  return typeof read === 'object' && read !== null && 'typ' in read ? read.typ : undefined
}

function toText(value: unknown): string {
  return (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, 200)
}

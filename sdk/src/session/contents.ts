import { isObject } from '../exchange.js'
import type { IdTokenClaims } from '../generated.js'
import { parseToken } from '../signed-token.js'
import type { SignedIn, UserSession } from './auth.js'

/** What a session keeps, under short names, because the cookie is sent with every request. Times are seconds since 1970. */
export interface Contents {
  readonly sub: string
  readonly org: string
  readonly sid: string
  readonly email: string
  readonly name?: string | undefined
  /** auth_time. */
  readonly at: number
  readonly acr: string
  readonly amr: readonly string[]
  /** Kept claims. */
  readonly claims?: Readonly<Record<string, unknown>> | undefined
  /** Actor and id of an impersonation. */
  readonly act?: readonly [id: string, impersonationId: string | null] | undefined
  /** When the service said this, by its clock, or a moment that it was asked about since. */
  readonly iat: number
  /** Until when it is believed without asking again. */
  readonly fresh: number
  /** When the session ends. */
  readonly end: number
  /** The refresh token; an impersonation has none. */
  readonly rt?: string | undefined
}

/**
 * @param accessToken Which the ID token names by its hash, so that its claims are those of the issuer as well.
 * @param kept The names of the claims to keep.
 * @param life What the claims do not tell.
 */
export function contentsOf(
  idToken: IdTokenClaims,
  accessToken: string,
  kept: readonly string[],
  life: Pick<Contents, 'iat' | 'fresh' | 'end' | 'rt'>,
): Contents {
  // Also the names that only the customer's configuration knows.
  const all = new Map<string, unknown>(Object.entries({ ...permissionClaimsOf(accessToken), ...idToken }))
  const names = kept.flatMap((name) => (name === 'permissions' ? [name, 'permissions_omitted'] : [name]))
  const claims = names.flatMap((name) => (all.has(name) ? [[name, all.get(name)] as const] : []))
  const { sub, org, sid = '', email, auth_time: at, acr, amr } = idToken
  const name = all.get('name')
  return {
    ...{ sub, org, sid, email, at, acr, amr },
    ...(typeof name === 'string' && { name }),
    ...(claims.length > 0 && { claims: Object.fromEntries(claims) }),
    ...(amr.includes('impersonation') && { act: actorOf(all.get('act')) }),
    ...life,
  }
}

/** The claims that only access tokens have; none of a token of another form. */
function permissionClaimsOf(accessToken: string): Readonly<Record<string, unknown>> {
  try {
    const { permissions, permissions_omitted } = parseToken(accessToken).claims
    return {
      ...(permissions !== undefined && { permissions }),
      ...(permissions_omitted !== undefined && { permissions_omitted }),
    }
  } catch {
    return {}
  }
}

/** An impersonation whose actor is not readable is one all the same. */
function actorOf(act: unknown): readonly [string, string | null] {
  const { sub, impersonation } = isObject(act) ? act : {}
  return [String(sub), typeof impersonation === 'string' ? impersonation : null]
}

/** Whether an opened value is what was sealed; else another version has sealed it. */
export function isContents(value: unknown): value is Contents {
  return (
    isObject(value) &&
    ['sub', 'org', 'sid', 'email', 'acr'].every((name) => typeof value[name] === 'string') &&
    ['at', 'iat', 'fresh', 'end'].every((name) => Number.isFinite(value[name])) &&
    Array.isArray(value['amr'])
  )
}

/** The session as the application sees it. */
export function toAuth(contents: Contents, accessToken: UserSession['accessToken']): SignedIn {
  const { sub, org, sid, email, name, at, acr, amr, claims, act, end } = contents
  return {
    user: { id: sub, email, name: name ?? null, claims: claims ?? {} },
    organization: { domain: org },
    session: {
      ...{ id: sid, acr, amr, accessToken },
      authenticatedAt: new Date(at * 1000),
      expiresAt: new Date(end * 1000),
    },
    impersonator: act === undefined ? null : { id: act[0], impersonation_id: act[1] },
  }
}

/** The contents without what is longest of the kept claims, to name it. */
export function longestMember({ claims, name, email }: Contents): string {
  const members = Object.entries({ email, name, ...claims })
  const lengths = members.map(([key, value]) => [key, JSON.stringify(value ?? '').length] as const)
  const [[longest] = ['email']] = lengths.toSorted(([, one], [, other]) => other - one)
  return longest
}

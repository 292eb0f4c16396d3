import type { UserInfo } from '@portico/contract/oidc'
import { standardClaimNames, type Address } from '@portico/contract/profile'
import type { User } from '@portico/contract/users'
import type { AskedPhr } from './acr.js'

/** The claims of UserInfo that a scope grants (OpenID Connect Core section 5.4). */
const claimsOfScope: ReadonlyMap<string, readonly (keyof UserInfo)[]> = new Map([
  ['profile', [...standardClaimNames, 'updated_at']],
  ['email', ['email', 'email_verified']],
  ['phone', ['phone_number', 'phone_number_verified']],
  ['address', ['address']],
])

/** The claims that an application can ask for one by one. */
export const requestableClaims: ReadonlySet<string> = new Set([...claimsOfScope.values()].flat())

/** The individual claims that an application has asked for (OpenID Connect Core section 5.5), as codes and families keep them. */
export interface RequestedClaims {
  /** Names of those of the ID token. */
  readonly id_token: readonly string[]
  /** Names of those of /userinfo. */
  readonly userinfo: readonly string[]
  /** The users as one of whom the application expects an answer. */
  readonly sub?: readonly string[]
  readonly phr?: AskedPhr
}

/** The scopes that have one of the claims, in their order. */
export function scopesOfClaims(names: readonly string[]): string[] {
  return [...claimsOfScope].flatMap(([scope, claims]) =>
    claims.some((name) => names.includes(name)) ? [scope] : [],
  )
}

/** The claims of a user, by scope and by name, for which the user has a value. */
export function toUserClaims(
  user: Omit<User, 'identities'>,
  asked: { readonly scopes: readonly unknown[]; readonly names: readonly unknown[] },
): Omit<UserInfo, 'sub'> {
  const names = new Set(asked.names)
  for (const scope of asked.scopes) for (const name of claimsOfScope.get(String(scope)) ?? []) names.add(name)
  const has = (name: keyof UserInfo) => names.has(name)
  const profile = standardClaimNames.filter(has).map((name) => [name, user.profile[name]] as const)
  const { phone_number } = user
  return {
    ...withoutNulls(profile),
    ...(has('updated_at') && { updated_at: Math.floor(Date.parse(user.updated_at) / 1000) }),
    ...(has('email') && { email: user.email }),
    ...(has('email_verified') && { email_verified: user.email_verified }),
    ...(has('phone_number') && phone_number !== null && { phone_number }),
    ...(has('phone_number_verified') &&
      phone_number !== null && { phone_number_verified: user.phone_number_verified }),
    ...(has('address') && toAddressClaim(user.address)),
  }
}

function toAddressClaim(address: Address): Pick<UserInfo, 'address'> {
  const known = withoutNulls(Object.entries(address))
  return Object.keys(known).length === 0 ? {} : { address: known }
}

function withoutNulls(members: readonly (readonly [string, string | null])[]): Record<string, string> {
  return Object.fromEntries(members.flatMap(([name, value]) => (value === null ? [] : [[name, value]])))
}

import { createHash } from 'node:crypto'
import type { Environment, JsonValue } from '@portico/contract/fields'
import type { UserInfo } from '@portico/contract/oidc'
import type { AccessTokenClaims, IdTokenClaims, ResourceOwnerMetadata } from '@portico/contract/token-claims'
import { resourceOwnerAttributes } from '@portico/contract/token-claims'
import type { z } from 'zod/v4'
import { toAcr, type AskedPhr } from './acr.js'
import {
  toPermissionsClaim,
  toRolesClaim,
  toToldRoles,
  type RoleOfUser,
  type ToldRoles,
} from './role-claims.js'

type Json = z.output<typeof JsonValue>

/**
 * Bytes that the claims of a token may have as JSON, so that the token stays under the 8,192 characters that
 * crypto/jwt.ts reads: a header of 112 characters, two dots and an RS256 signature of 342 leave 7,736 for base64url,
 * which is 5,802 bytes.
 */
export const maxClaimsBytes = 5_700

/** The part of these that an identity provider's attributes may take, so that metadata keep room. */
const maxAttributesBytes = 1_500

/** The part of these that individually requested claims may take; one that does not fit is left out. */
const maxRequestedBytes = 1_500

/** Groups are complete or left out, since a partial list would pass for all groups of the user. */
const maxGroups = 100
const maxGroupsBytes = 1_500

/** A metadata value of the user as a token carries it, by the name of its key. */
export type MetaDataClaim = readonly [name: string, value: Json]

/** The actor behind the user of a token (RFC 8693 section 4.1). */
export type ActClaim = NonNullable<AccessTokenClaims['act']>

/** The facts of one sign-in from which its tokens are made. */
interface TokenFacts {
  readonly issuer: string
  readonly environment: Environment
  readonly organizationDomain: string
  readonly user: { readonly id: string; readonly email: string; readonly email_verified: boolean }
  /** In the order in which they are kept where not all fit. */
  readonly metaData: readonly MetaDataClaim[]
  /** Names of the groups of the directory that the user is a member of. */
  readonly groups: readonly string[]
  readonly roles: readonly RoleOfUser[]
  readonly application: {
    readonly id: string
    readonly name: string
    readonly application_type: string
    /** Beginnings of the permissions that it is told; null: all. */
    readonly permission_prefixes: readonly string[] | null
  }
  readonly scopes: readonly string[]
  readonly issuedAtSeconds: number
  readonly lifetimeSeconds: number
  /** How the user authenticated (RFC 8176). */
  readonly amr: readonly string[]
  readonly phr?: AskedPhr | undefined
  readonly authTimeSeconds: number
  readonly sessionId?: string | undefined
  /** The user in the organization they come from, after a relay; in an impersonation the member of staff. */
  readonly act?: ActClaim | undefined
  /** Unique to each of the two tokens. */
  readonly jti: string
  /** Only in samples. */
  readonly authorizationId?: string | undefined
}

/** The further facts of an access token. */
interface AccessTokenFacts extends TokenFacts {
  /** The id of the code that the token descends from. */
  readonly familyId?: string | undefined
  /** Names of the claims that /userinfo tells besides those of the scopes. */
  readonly userInfoClaims?: readonly string[] | undefined
}

/** The further facts of an ID token: its session, and the values that it is bound to. */
export interface IdTokenFacts extends TokenFacts {
  readonly nonce?: string | undefined
  readonly accessToken?: string | undefined
  readonly code?: string | undefined
  readonly state?: string | undefined
  /** What the identity provider asserted, after an SSO login; in samples every attribute, as null. */
  readonly attributes?: Readonly<Partial<ResourceOwnerMetadata>> | undefined
  /** The claims of the user that the application has asked for one by one. */
  readonly requested?: Readonly<Omit<UserInfo, 'sub'>> | undefined
}

/** The issuer of an organization's tokens, the same in both environments. */
export function issuerOf(baseUrl: string, organizationDomain: string): string {
  return `${baseUrl}/t/${organizationDomain}`
}

/**
 * The claims of an access token. Metadata are only under `meta_data`, whatever their keys are called. A value that does not
 * fit into maxClaimsBytes is left out, smaller ones after it are not, and `meta_data_truncated` is set.
 */
export function toAccessTokenClaims(facts: AccessTokenFacts): AccessTokenClaims {
  const { userInfoClaims = [] } = facts
  const told = toToldRoles(facts.roles, facts.application.permission_prefixes)
  return withMetaData(facts.metaData, {
    ...toCommonClaims(facts, told),
    ...toPermissionsClaim(told),
    jtt: 'access_token' as const,
    client_id: facts.application.id,
    scp: [...facts.scopes],
    scope: facts.scopes.join(' '),
    ...(facts.familyId !== undefined && { fid: facts.familyId }),
    ...(userInfoClaims.length > 0 && { userinfo_claims: [...userInfoClaims] }),
  })
}

/** The claims of an ID token; its metadata are limited like those of the access token. */
export function toIdTokenClaims(facts: IdTokenFacts): IdTokenClaims {
  const { nonce, accessToken, code, state } = facts
  const own = {
    ...toCommonClaims(facts, toToldRoles(facts.roles, facts.application.permission_prefixes)),
    jtt: 'id_token' as const,
    email_verified: facts.user.email_verified,
    ...(nonce !== undefined && { nonce }),
    ...(accessToken !== undefined && { at_hash: toHalfHash(accessToken) }),
    ...(code !== undefined && { c_hash: toHalfHash(code) }),
    ...(state !== undefined && { s_hash: toHalfHash(state) }),
    resource_owner_metadata: toResourceOwnerMetadata(facts.attributes ?? {}),
  }
  const left = Math.min(maxRequestedBytes, maxClaimsBytes - bytesOf({ ...own, ...noMetaData }))
  const requested = takeFitting(Object.entries(facts.requested ?? {}), left)
  // Before the others, so that none replaces a claim of the token itself.
  return withMetaData(facts.metaData, { ...Object.fromEntries(requested), ...own })
}

/** What a token has at least of metadata where some do not fit. */
const noMetaData = { meta_data: {}, meta_data_truncated: true as const }

function toCommonClaims(facts: TokenFacts, told: ToldRoles) {
  const { user, application, sessionId, act, authorizationId } = facts
  return {
    iss: facts.issuer,
    sub: user.id,
    uid: user.id,
    // Never empty: sandbox and production share issuer and keys, and aud with dbs is what tells their tokens apart.
    aud: application.id,
    cid: application.id,
    iat: facts.issuedAtSeconds,
    nbf: facts.issuedAtSeconds,
    exp: facts.issuedAtSeconds + facts.lifetimeSeconds,
    jti: facts.jti,
    ver: 3 as const,
    tnt: facts.organizationDomain,
    org: facts.organizationDomain,
    dbs: facts.environment,
    env: facts.environment,
    email: user.email,
    application_metadata: { name: application.name, application_type: application.application_type },
    amr: [...facts.amr],
    ...toGroupsClaim(facts.groups),
    ...toRolesClaim(told),
    acr: toAcr(facts.amr, facts.phr),
    auth_time: facts.authTimeSeconds,
    ...(sessionId !== undefined && { sid: sessionId }),
    ...(act !== undefined && { act }),
    ...(authorizationId !== undefined && { authorization_id: authorizationId }),
  }
}

function toGroupsClaim(names: readonly string[]): Pick<AccessTokenClaims, 'groups'> {
  const groups = [...new Set(names)]
  const isToldWhole = groups.length <= maxGroups && bytesOf(groups) <= maxGroupsBytes
  return groups.length > 0 && isToldWhole ? { groups } : {}
}

function withMetaData<Claims extends object>(
  metaData: readonly MetaDataClaim[],
  claims: Claims,
): Claims & Pick<AccessTokenClaims, 'meta_data' | 'meta_data_truncated'> {
  const kept = takeFitting(metaData, maxClaimsBytes - bytesOf({ ...claims, ...noMetaData }))
  const isWhole = kept.length === metaData.length
  return {
    ...claims,
    meta_data: Object.fromEntries(kept),
    ...(!isWhole && { meta_data_truncated: true as const }),
  }
}

/** The attributes of the table that are given; an absent one means null. */
function toResourceOwnerMetadata(
  attributes: Readonly<Partial<ResourceOwnerMetadata>>,
): ResourceOwnerMetadata {
  const names = Object.keys(resourceOwnerAttributes) as (keyof ResourceOwnerMetadata)[]
  const given = names.flatMap((name) => {
    const value = attributes[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(takeFitting(given, maxAttributesBytes))
}

/** The members, in their order, that together take at most so many bytes of JSON; one that does not fit is skipped. */
function takeFitting<Value>(members: readonly (readonly [string, Value])[], bytes: number) {
  const kept: (readonly [string, Value])[] = []
  let left = bytes
  for (const member of members) {
    // Its quotes, colon and the comma after it are counted by the object around it.
    const size = bytesOf(Object.fromEntries([member]))
    if (size > left) continue
    kept.push(member)
    left -= size
  }
  return kept
}

function bytesOf(value: object): number {
  return Buffer.byteLength(JSON.stringify(value))
}

/** Left half of the SHA-256, base64url (OpenID Connect Core section 3.1.3.6); ES256 and RS256 both hash with it. */
function toHalfHash(text: string): string {
  return createHash('sha256').update(text).digest().subarray(0, 16).toString('base64url')
}

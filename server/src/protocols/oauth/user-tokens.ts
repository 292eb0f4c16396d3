import type { Environment } from '@portico/contract/fields'
import type { UserTokens } from '@portico/contract/oauth'
import type { Identity, User } from '@portico/contract/users'
import { sql } from 'kysely'
import type { Algorithm } from '../../platform/crypto/jwt.js'
import { newTimelessId } from '../../platform/crypto/random.js'
import type { Deps } from '../../delivery/deps.js'
import { activeSigningKey, signWith } from '../../tokens/signing-keys/signing-keys.js'
import { toMetaDataClaims } from '../../directory/token-customization/user-metadata.js'
import { toChangedUser, wholeUser } from '../../directory/users/whole-user.js'
import { issuerOf, toAccessTokenClaims, toIdTokenClaims, type ActClaim } from '../../tokens/claims.js'
import { toAttributes } from './resource-owner-metadata.js'
import { scopesOf } from '../../tokens/scopes.js'
import { toUserClaims, type RequestedClaims } from '../../tokens/user-claims.js'
import { sameTenant } from '../../platform/db/tenant-predicate.js'

/** The grant of a code or refresh token, as returned by the statement that consumed it. */
export interface Grant {
  readonly account_id: string
  readonly account_domain: string
  readonly environment: Environment
  readonly organization_id: string
  /** Of the organization. */
  readonly domain: string
  readonly session_id: string
  /** The code that the grant began with. */
  readonly code_id: string
  readonly user_id: string
  readonly application_id: string
  readonly application_name: string
  readonly application_type: string
  readonly access_token_lifetime_in_seconds: number
  readonly token_signing_alg: Algorithm
  readonly scope: string
  /** The individual claims that the application has asked for. */
  readonly claims: RequestedClaims | null
  readonly amr: readonly string[]
  readonly act: ActClaim | null
  readonly authenticated_at: Date
  /** The identity provider's data about the user, after an SSO sign-in. */
  readonly identity_data: Identity['data'] | null
}

/** The current data of the identity that opened the session of a statement. */
export function identityDataOfSession() {
  return sql<Identity['data'] | null>`(
    select identity.data from user_identities as identity
    where ${sameTenant('identity', 'sessions')}
      and identity.user_id = sessions.user_id
      and identity.id = sessions.identity_id
  )`
}

/** What the ID token is bound to, besides the access token. */
interface IdTokenBinding {
  readonly nonce?: string | undefined
  readonly state?: string | undefined
  readonly code?: string | undefined
}

/** Columns that tokens need besides the grant: the user, and the organization's signing key for the application. */
export function tokenColumns() {
  return [
    ...wholeUser(),
    activeKey<string>('kid').as('kid'),
    activeKey<Buffer>('private_key_sealed').as('private_key_sealed'),
  ] as const
}

/** The same in a statement that is written in SQL. */
export function tokenColumnsInSql() {
  const columns = tokenColumns().map((column) =>
    typeof column === 'string' ? sql.ref(column) : sql`${column}`,
  )
  return sql.join(columns)
}

/** Null where the organization has no key for the algorithm yet. */
function activeKey<Value>(column: 'kid' | 'private_key_sealed') {
  return sql<Value | null>`(
    select ${sql.ref(`signing.${column}`)} from signing_keys as signing
    where ${sameTenant('signing', 'sessions')}
      and signing.algorithm = applications.token_signing_alg
      and signing.state = 'active'
  )`
}

type WholeUser = Parameters<typeof toChangedUser>[0]

/** A grant with the columns of tokenColumns(). */
export interface WholeGrant extends Grant, Omit<WholeUser, keyof Grant> {
  readonly kid: string | null
  readonly private_key_sealed: Buffer | null
}

/** The user of a grant with every member that tokens contain; undefined when they may not sign in. */
export function userOf(grant: WholeGrant): User | undefined {
  return grant.deleted_at !== null || !grant.active ? undefined : toChangedUser(grant, grant).record
}

/**
 * Signs the tokens of a grant. Runs after the commit that consumed it, so that a slow signature, or the generation of
 * the first RS256 key, keeps no transaction open.
 */
export async function signUserTokens(
  deps: Deps,
  grant: WholeGrant,
  user: User,
  binding: IdTokenBinding = {},
): Promise<UserTokens> {
  const algorithm = grant.token_signing_alg
  const owner = {
    accountId: grant.account_id,
    environment: grant.environment,
    organizationId: grant.organization_id,
  }
  const { kid, private_key_sealed } = grant
  const key =
    kid === null || private_key_sealed === null
      ? await activeSigningKey(deps, deps.db, owner, algorithm)
      : { kid, private_key_sealed }
  const lifetimeSeconds = grant.access_token_lifetime_in_seconds
  const facts = {
    issuer: issuerOf(deps.config.baseUrl, grant.domain),
    environment: grant.environment,
    organizationDomain: grant.domain,
    user,
    metaData: toMetaDataClaims(user.metadata),
    groups: user.groups.map((group) => group.display_name),
    application: {
      id: grant.application_id,
      name: grant.application_name,
      application_type: grant.application_type,
    },
    // openid requests the ID token and authorizes nothing, so it is no scope of the access token.
    scopes: scopesOf(grant.scope).filter((scope) => scope !== 'openid'),
    amr: grant.amr,
    authTimeSeconds: Math.floor(grant.authenticated_at.getTime() / 1000),
    sessionId: grant.session_id,
    act: grant.act ?? undefined,
    issuedAtSeconds: Math.floor(deps.now().getTime() / 1000),
    lifetimeSeconds,
  }
  const accessToken = signWith(deps, owner, key, {
    algorithm,
    typ: 'at+jwt',
    claims: toAccessTokenClaims({
      ...facts,
      jti: newTimelessId(),
      familyId: grant.code_id,
      userInfoClaims: grant.claims?.userinfo,
    }),
  })
  const idToken = signWith(deps, owner, key, {
    algorithm,
    typ: 'JWT',
    claims: toIdTokenClaims({
      ...facts,
      ...binding,
      jti: newTimelessId(),
      accessToken,
      attributes: toAttributes(grant.identity_data ?? {}),
      requested: toUserClaims(user, { scopes: [], names: grant.claims?.id_token ?? [] }),
    }),
  })
  return {
    access_token: accessToken,
    id_token: idToken,
    token_type: 'Bearer',
    expires_in: lifetimeSeconds,
    scope: grant.scope,
  }
}

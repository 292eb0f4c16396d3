import type { Environment } from '@portico/contract/fields'
import type { UserTokens } from '@portico/contract/oauth'
import type { Identity } from '@portico/contract/users'
import { sql, type RawBuilder } from 'kysely'
import type { Algorithm, JwtClaims } from '../../platform/crypto/jwt.js'
import { newTimelessId } from '../../platform/crypto/random.js'
import type { Deps } from '../../delivery/deps.js'
import {
  activeSigningKey,
  issuingAccount,
  signWith,
  type KeyOwner,
} from '../../tokens/signing-keys/signing-keys.js'
import { toMetaDataClaims } from '../../directory/token-customization/user-metadata.js'
import { findRolesOf } from '../../directory/roles/user-roles.js'
import { rolesOfUser, rolesIfNone, type RoleOfUserRow } from '../../directory/users/roles-of-user.js'
import { toTokenUser, userOfTokens, type TokenUserRow } from '../../directory/users/whole-user.js'
import { issuerOf, toAccessTokenClaims, toIdTokenClaims, type ActClaim } from '../../tokens/claims.js'
import { issuerOfSignIn, type IssuerKind } from '../../tokens/issuer.js'
import { rememberRoles, type GrantForm } from './grant-form.js'
import { OAuthFailure } from './oauth-failure.js'
import { toAttributes } from './resource-owner-metadata.js'
import { scopesOf } from '../../tokens/scopes.js'
import type { RoleOfUser } from '../../tokens/role-claims.js'
import { toUserClaims, type RequestedClaims } from '../../tokens/user-claims.js'
import { sameEnvironment, sameTenant } from '../../platform/db/tenant-predicate.js'

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
  /** The issuer that the sign-in was asked of. */
  readonly issuer: IssuerKind
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
  /** When an impersonation ends, and its tokens with it; null of every other sign-in. */
  readonly impersonated_until: Date | null
  /** The identity provider's data about the user, after an SSO sign-in. */
  readonly identity_data: Identity['data'] | null
}

/** The current data of the identity that opened the session of a statement. */
function identityDataOfSession() {
  return sql<Identity['data'] | null>`(
    select identity.data from user_identities as identity
    where ${sameTenant('identity', 'sessions')}
      and identity.user_id = sessions.user_id
      and identity.id = sessions.identity_id
  )`
}

/** The end of the impersonation whose session a statement reads; null of every other session. */
function impersonationEnd() {
  return sql<Date | null>`(case when sessions.impersonation_id is not null then sessions.expires_at end)`
}

/** What the ID token is bound to, besides the access token. */
interface IdTokenBinding {
  readonly nonce?: string | undefined
  readonly state?: string | undefined
  readonly code?: string | undefined
}

/**
 * The columns of a SignableGrant but `code_id`, in a statement about a code or family that it calls `granted`, and its parents. That of the
 * organization is the user's.
 */
export function grantColumns(form: GrantForm): RawBuilder<unknown> {
  const ofOrganization = sameTenant('signing', 'sessions')
  const ofAccount = sql<boolean>`(
    granted.issuer = 'account'
    and ${sameEnvironment('signing', 'sessions')}
    and signing.organization_id = sessions.account_id
  )`
  const rare = {
    usual: { roles: rolesIfNone, account_signing_key: sql`null::text[]` },
    whole: { roles: rolesOfUser(), account_signing_key: activeKey(ofAccount) },
  }
  const columns = {
    account_id: sql`granted.account_id`,
    account_domain: sql`accounts.domain`,
    environment: sql`granted.environment`,
    domain: sql`organizations.domain`,
    session_id: sql`granted.session_id`,
    user_id: sql`granted.user_id`,
    application_id: sql`granted.application_id`,
    issuer: sql`granted.issuer`,
    application_name: sql`applications.name`,
    application_type: sql`applications.application_type`,
    permission_prefixes: sql`applications.permission_prefixes`,
    access_token_lifetime_in_seconds: sql`applications.access_token_lifetime_in_seconds`,
    token_signing_alg: sql`applications.token_signing_alg`,
    scope: sql`granted.scope`,
    claims: sql`granted.claims`,
    amr: sql`granted.amr`,
    act: sql`sessions.act`,
    authenticated_at: sql`granted.authenticated_at`,
    impersonated_until: impersonationEnd(),
    identity_data: identityDataOfSession(),
    email_normalized: sql`users.email_normalized`,
    signing_key: activeKey(ofOrganization),
    ...rare[form],
  } satisfies Record<Exclude<keyof SignableGrant, 'code_id' | keyof TokenUserRow>, RawBuilder<unknown>>
  const named = Object.entries(columns).map(([name, column]) => sql`${column} as ${sql.ref(name)}`)
  const ofUser = userOfTokens().map((column) =>
    typeof column === 'string' ? sql.ref(column) : sql`${column}`,
  )
  return sql.join([...named, ...ofUser])
}

/** The `kid` of a key, and the private key as it is sealed, in base64. */
type ActiveKey = readonly [kid: string, sealed: string]

/** Null where the owner has no key for the algorithm yet. Both of a key in one look-up: Postgres sets up each anew for every token. */
function activeKey(isOwned: RawBuilder<unknown>) {
  return sql<ActiveKey | null>`(
    select array[signing.kid, encode(signing.private_key_sealed, 'base64')] from signing_keys as signing
    where ${isOwned}
      and signing.algorithm = applications.token_signing_alg
      and signing.state = 'active'
  )`
}

/** A grant with the user, and the signing keys for the application: of the organization and, where it is the issuer, of the account. */
export interface SignableGrant extends Grant, Omit<TokenUserRow, keyof Grant> {
  readonly email_normalized: string
  /** Null where the usual form has left them out. */
  readonly roles: readonly RoleOfUserRow[] | null
  /** Of the application. */
  readonly permission_prefixes: readonly string[] | null
  readonly signing_key: ActiveKey | null
  readonly account_signing_key: ActiveKey | null
}

/**
 * Signs the tokens of a grant. Runs after the commit that consumed it, so that a slow signature, or the generation of
 * the first RS256 key, keeps no transaction open.
 */
export async function signUserTokens(
  deps: Deps,
  grant: SignableGrant,
  binding: IdTokenBinding = {},
): Promise<UserTokens> {
  const user = toTokenUser(grant, grant)
  const issuedAt = deps.now()
  const lifetimeSeconds = lifetimeOf(grant, issuedAt)
  const signByOrganization = await organizationSigner(deps, grant)
  const facts = {
    issuer: issuerOf(deps.config.baseUrl, grant.domain),
    environment: grant.environment,
    organizationDomain: grant.domain,
    user,
    metaData: toMetaDataClaims(user.metadata),
    groups: user.groups.map((group) => group.display_name),
    roles: grant.roles ?? (await rolesLeftOut(deps, grant)),
    application: {
      id: grant.application_id,
      name: grant.application_name,
      application_type: grant.application_type,
      permission_prefixes: grant.permission_prefixes,
    },
    // openid requests the ID token and authorizes nothing, so it is no scope of the access token.
    scopes: scopesOf(grant.scope).filter((scope) => scope !== 'openid'),
    amr: grant.amr,
    phr: grant.claims?.phr,
    authTimeSeconds: Math.floor(grant.authenticated_at.getTime() / 1000),
    sessionId: grant.session_id,
    act: grant.act ?? undefined,
    issuedAtSeconds: Math.floor(issuedAt.getTime() / 1000),
    lifetimeSeconds,
  }
  const accessToken = signByOrganization(
    'at+jwt',
    toAccessTokenClaims({
      ...facts,
      jti: newTimelessId(),
      familyId: grant.code_id,
      userInfoClaims: grant.claims?.userinfo,
    }),
  )
  const signByIssuer = grant.issuer === 'account' ? await accountSigner(deps, grant) : signByOrganization
  const idToken = signByIssuer(
    'JWT',
    toIdTokenClaims({
      ...facts,
      issuer: issuerOfSignIn(deps.config.baseUrl, grant),
      ...binding,
      jti: newTimelessId(),
      accessToken,
      attributes: toAttributes(grant.identity_data ?? {}),
      requested: toUserClaims(user, { scopes: [], names: grant.claims?.id_token ?? [] }),
    }),
  )
  return {
    access_token: accessToken,
    id_token: idToken,
    token_type: 'Bearer',
    expires_in: lifetimeSeconds,
    scope: grant.scope,
  }
}

/**
 * The roles that the usual form has left out, because the account has some.
 *
 * @throws OAuthFailure `invalid_grant` where the user was deleted since.
 */
async function rolesLeftOut({ db }: Deps, grant: SignableGrant): Promise<readonly RoleOfUser[]> {
  rememberRoles(db, grant.application_id)
  const { account_id: accountId, environment, organization_id: organizationId, user_id: userId } = grant
  const roles = await findRolesOf(db, { accountId, environment, organizationId, userId })
  if (roles === undefined) throw new OAuthFailure('invalid_grant', 'The user has been deleted.')
  return roles
}

/** Seconds; tokens of an impersonation end with it. */
function lifetimeOf(
  { access_token_lifetime_in_seconds: seconds, impersonated_until: end }: Grant,
  at: Date,
): number {
  if (end === null) return seconds
  return Math.min(seconds, Math.floor(end.getTime() / 1000) - Math.floor(at.getTime() / 1000))
}

/** The organization of a user signs their access tokens, whichever issuer was asked. */
function organizationSigner(deps: Deps, grant: SignableGrant) {
  const { account_id: accountId, environment, organization_id: organizationId } = grant
  return signer(deps, grant, { accountId, environment, organizationId }, grant.signing_key)
}

/** The account signs the ID tokens that have it as issuer. */
function accountSigner(deps: Deps, grant: SignableGrant) {
  const owner = issuingAccount(grant.account_id, grant.environment)
  return signer(deps, grant, owner, grant.account_signing_key)
}

/** Makes the function that signs with the active key of an owner, which is made where it has none. */
async function signer(
  deps: Deps,
  { token_signing_alg: algorithm }: Grant,
  owner: KeyOwner,
  found: ActiveKey | null,
) {
  const key =
    found === null
      ? await activeSigningKey(deps, deps.db, owner, algorithm)
      : { kid: found[0], private_key_sealed: Buffer.from(found[1], 'base64') }
  return (typ: string, claims: JwtClaims) => signWith(deps, owner, key, { algorithm, typ, claims })
}

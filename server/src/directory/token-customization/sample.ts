import { Application } from '@portico/contract/applications'
import type { MetaKey } from '@portico/contract/metadata'
import { exampleOf } from '@portico/contract/record'
import type { ClaimTree, JwtSample, SampleQuery } from '@portico/contract/token-customization'
import { resourceOwnerAttributes } from '@portico/contract/token-claims'
import { Role } from '@portico/contract/roles'
import { User } from '@portico/contract/users'
import { getApplication } from '../applications/applications.js'
import { generateSigningKey, signJwt, toPrivateKey, type JwtClaims } from '../../platform/crypto/jwt.js'
import { newTimelessId } from '../../platform/crypto/random.js'
import { organizationExists } from '../../platform/db/organization-id.js'
import type { Deps } from '../../delivery/deps.js'
import { ApiError } from '../../platform/errors.js'
import { issuerOf, toAccessTokenClaims, toIdTokenClaims } from '../../tokens/claims.js'
import type { RoleOfUser } from '../../tokens/role-claims.js'
import type { Tenant } from '../../platform/tenant.js'
import { findRolesOfUser } from '../roles/user-roles.js'
import { getUser } from '../users/users.js'
import { findDeclaredKeys, type DeclaredKey } from '../meta-keys/declared-keys.js'
import { toMetaDataClaims, type TypedValue } from './user-metadata.js'

/** Samples list the attributes that identity providers may assert; tokens have only those that were asserted. */
const everyAttribute = Object.fromEntries(Object.keys(resourceOwnerAttributes).map((name) => [name, null]))

/** How long ago an expired sample expired: more than any verifier tolerates as clock skew. */
const expiredSinceSeconds = 3600

/**
 * Makes an access token and an ID token like those of a sign-in to the organization, for a given or invented user and
 * application. Their key is made for them and is in no key set, so that no verifier accepts them.
 *
 * @throws ApiError `organization_not_found`, `user_not_found`, `application_not_found`
 */
export async function createJwtSample(deps: Deps, tenant: Tenant, query: SampleQuery): Promise<JwtSample> {
  if (!(await organizationExists(deps.db, tenant))) throw new ApiError('organization_not_found')
  const [keys, application] = await Promise.all([
    findDeclaredKeys(deps.db, tenant),
    findSampleApplication(deps, tenant, query.application_id),
  ])
  const { user, roles } = await findSampleUser(deps, tenant, query.user_id, keys)
  const lifetimeSeconds = query.expiration_in_seconds ?? application.access_token_lifetime_in_seconds
  const nowSeconds = Math.floor(deps.now().getTime() / 1000)
  const ageSeconds = query.expired === true ? lifetimeSeconds + expiredSinceSeconds : 0
  const sign = await createThrowAwaySigner()

  const facts = {
    issuer: issuerOf(deps.config.baseUrl, tenant.domain),
    environment: tenant.environment,
    organizationDomain: tenant.domain,
    user,
    metaData: toMetaDataClaims(user.metadata),
    groups: user.groups.map((group) => group.display_name),
    roles,
    application,
    scopes: ['magic_link'],
    issuedAtSeconds: nowSeconds - ageSeconds,
    lifetimeSeconds,
    amr: ['email'],
    authTimeSeconds: nowSeconds - ageSeconds,
    sessionId: newTimelessId(),
    authorizationId: query.authorization_id,
  }
  const access = toAccessTokenClaims({ ...facts, jti: newTimelessId(), familyId: newTimelessId() })
  const accessToken = sign('at+jwt', access)
  const id = toIdTokenClaims({
    ...facts,
    jti: newTimelessId(),
    nonce: newTimelessId(),
    code: newTimelessId(),
    state: newTimelessId(),
    accessToken,
    attributes: everyAttribute,
  })
  return {
    __type__: '__JwtSamples__',
    __domain__: tenant.domain,
    access_token_jwt: accessToken,
    access_token_keys: toClaimTree(access, keys),
    id_token_jwt: sign('JWT', id),
    id_token_keys: toClaimTree(id, keys),
  }
}

interface SampleUser {
  readonly user: Pick<User, 'id' | 'email' | 'email_verified' | 'groups'> & {
    readonly metadata: readonly TypedValue[]
  }
  readonly roles: readonly RoleOfUser[]
}

async function findSampleUser(
  deps: Deps,
  tenant: Tenant,
  id: string | undefined,
  keys: readonly DeclaredKey[],
): Promise<SampleUser> {
  if (id === undefined) {
    const metadata = keys.map((key) => ({ key, value: sampleValues[key.type] }))
    return { user: { ...exampleOf(User), id: newTimelessId(), metadata }, roles: [exampleOf(Role)] }
  }
  const [{ record: user }, roles] = await Promise.all([
    getUser(deps, tenant, id, {}),
    findRolesOfUser(deps.db, tenant, id),
  ])
  if ('deleted' in user) throw new ApiError('user_not_found')
  return { user, roles }
}

async function findSampleApplication(
  deps: Deps,
  tenant: Tenant,
  id: string | undefined,
): Promise<Application> {
  if (id === undefined) return { ...exampleOf(Application), id: newTimelessId() }
  const { record } = await getApplication(deps, tenant, id)
  if ('deleted' in record) throw new ApiError('application_not_found')
  return record
}

/** The value of an invented user for a key of each type. */
const sampleValues: Record<MetaKey['type'], string> = {
  string: 'text',
  integer: '42',
  float: '3.14',
  boolean: 'true',
  date: '1815-12-10',
  datetime: '1815-12-10T09:30:00Z',
  url: 'https://example.com/',
  email: 'ada@example.com',
  json: '{"any":"JSON"}',
}

async function createThrowAwaySigner(): Promise<(typ: string, claims: JwtClaims) => string> {
  const { privateKeyPem, publicJwk } = await generateSigningKey('ES256')
  const privateKey = toPrivateKey(privateKeyPem)
  return (typ, claims) => signJwt({ kid: publicJwk.kid, algorithm: 'ES256', privateKey, typ }, claims)
}

/** The names of the claims; meta_data has every key of the organization, with or without a value of the user. */
function toClaimTree(claims: object, keys: readonly DeclaredKey[]): ClaimTree {
  return { ...namesOf(claims), meta_data: Object.fromEntries(keys.map((key) => [key.name, null])) }
}

function namesOf(claims: object): ClaimTree {
  return Object.fromEntries(
    Object.entries(claims).map(([name, value]: [string, unknown]) => [
      name,
      typeof value === 'object' && value !== null && !Array.isArray(value) ? namesOf(value) : null,
    ]),
  )
}

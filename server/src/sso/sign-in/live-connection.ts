import type { Environment } from '@portico/contract/fields'
import type { Protocol, ProviderType } from '@portico/contract/sso-onboarding'
import type {
  IdpInitiated,
  OtherDomains,
  SsoConnectionState,
  UserPolicy,
} from '@portico/contract/sso-records'
import { sql, type Kysely, type Selectable, type Transaction } from 'kysely'
import type { DB, SsoMetadataVersions } from '../../platform/db/schema.js'
import { lookup, statement } from '../../platform/db/statement.js'
import type { Deps } from '../../delivery/deps.js'
import { authoritativeDomains, type CoveredDomains } from '../../directory/domains/authority.js'
import { roleAttributesOf } from '../../directory/roles/role-mapping.js'
import { mappingOf } from '../../directory/users/managed-metadata.js'
import type { Mapping } from '../../directory/users/mapped-values.js'
import { acsUrlOf, entityIdOf } from '../saml/service-provider.js'
import type { ServiceProviderKey } from '../saml/service-provider-key.js'
import type { ServiceProvider, TrustedIdentityProvider } from '../saml/validate-response.js'
import type { StoredCertificate } from '../saml/metadata.js'
import { isOfConnection, type ConnectionKey } from '../connections/connection-key.js'
import { findServiceProviderKeys } from '../connections/keys.js'
import type { Cause, Tenant } from '../../platform/tenant.js'
import { isOrganizationOf, ofOwner, sameTenant } from '../../platform/db/tenant-predicate.js'

/** The current state of a connection, as a sign-in needs it. */
export interface LiveConnection extends ConnectionKey {
  readonly idpId: string
  readonly accountDomain: string
  /** Of the organization. */
  readonly domain: string
  readonly allowedEmailDomains: readonly string[] | null
  readonly protocol: Protocol
  readonly providerType: ProviderType | 'unset'
  readonly emailDomains: readonly string[]
  /** For whose addresses it is authoritative. */
  readonly authoritativeDomains: CoveredDomains
  readonly otherDomains: OtherDomains
  readonly active: boolean
  readonly state: SsoConnectionState
  /** Of the connection, or of the policy of its organization, whichever is less; 0: any number. */
  readonly seatsLimit: number
  readonly userPolicy: UserPolicy
  readonly isProfileRefreshed: boolean
  /** Null without rules. */
  readonly mapping: Mapping | null
  /** The attributes that rules of roles name; null where it has never had such a rule. */
  readonly roleAttributes: readonly string[] | null
  readonly idpInitiated: IdpInitiated
  readonly allowSha1: boolean
  readonly allowCbcUnsignedResponse: boolean
}

/** The connection that an address names; undefined when there is none, or its organization is deleted. */
export async function findLiveConnection(db: Kysely<DB>, idpId: string): Promise<LiveConnection | undefined> {
  const [row] = await selectByIdpId(db, { idpId })
  return row && toLiveConnection(row)
}

/** The same connection by its key. */
export async function findLiveConnectionOf(
  db: Kysely<DB>,
  key: ConnectionKey,
): Promise<LiveConnection | undefined> {
  const [row] = await selectByKey(db, key)
  return row && toLiveConnection(row)
}

/**
 * Locks the row of a connection until the transaction ends: it is neither switched off nor given other metadata. Its row is
 * locked before any other of the transaction.
 */
export async function lockLiveConnection(
  trx: Transaction<DB>,
  { state, ...key }: ConnectionKey & Pick<LiveConnection, 'state'>,
): Promise<LiveConnection | undefined> {
  // The first sign-in updates the row: two that shared its lock would deadlock.
  const [row] = state === 'tested' ? await shareByKey(trx, key) : await lockByKey(trx, key)
  return row && toLiveConnection(row)
}

const shareByKey = statement((db, key: ConnectionKey) => connectionOf(db, key).forShare('connection'))
const lockByKey = statement((db, key: ConnectionKey) => connectionOf(db, key).forNoKeyUpdate('connection'))
const selectByKey = lookup((db, key: ConnectionKey) => connectionOf(db, key))

function connectionOf(db: Kysely<DB>, key: ConnectionKey) {
  return liveConnections(db).where(ofOwner(key, 'connection')).where('connection.id', '=', key.connectionId)
}

const selectByIdpId = lookup((db, key: { idpId: string }) =>
  liveConnections(db).where('connection.idp_id', '=', key.idpId),
)

/** Connections of existing organizations, with the columns that a sign-in needs. */
export function liveConnections(db: Kysely<DB>) {
  return db
    .selectFrom('sso_connections as connection')
    .innerJoin('organizations', (join) => join.on(isOrganizationOf('organizations', 'connection')))
    .innerJoin('accounts', 'accounts.id', 'connection.account_id')
    .where('organizations.deleted_at', 'is', null)
    .select([
      'connection.account_id',
      // The contract and checks of the table allow nothing else in these.
      sql<Environment>`connection.environment`.as('environment'),
      sql<Protocol>`connection.protocol`.as('protocol'),
      sql<ProviderType | 'unset'>`connection.provider_type`.as('provider_type'),
      sql<SsoConnectionState>`connection.state`.as('state'),
      sql<UserPolicy>`connection.user_security_type`.as('user_security_type'),
      sql<IdpInitiated>`connection.idp_initiated`.as('idp_initiated'),
      'connection.organization_id',
      'connection.id',
      'connection.idp_id',
      'accounts.domain as account_domain',
      'organizations.domain',
      'organizations.allowed_email_domains',
      'connection.active',
      'connection.email_domains',
      authoritativeDomains('connection').as('authoritative_domains'),
      sql<OtherDomains | null>`connection.other_domains`.as('other_domains'),
      'connection.seats_limit',
      policySeats().as('policy_seats_limit'),
      'connection.update_user_new_connection',
      mappingOf('connection').as('mapping'),
      roleAttributesOf('connection').as('role_attributes'),
      'connection.allow_sha1',
      'connection.allow_cbc_unsigned_response',
    ])
}

function policySeats() {
  return sql<number | null>`(
    select policy.seats_limit from organization_policies as policy where ${sameTenant('policy', 'connection')}
  )`
}

type LiveRow = Awaited<ReturnType<typeof selectByIdpId>>[number]

export function toLiveConnection(row: LiveRow): LiveConnection {
  return {
    accountId: row.account_id,
    environment: row.environment,
    organizationId: row.organization_id,
    connectionId: row.id,
    idpId: row.idp_id,
    accountDomain: row.account_domain,
    domain: row.domain,
    allowedEmailDomains: row.allowed_email_domains,
    protocol: row.protocol,
    providerType: row.provider_type,
    emailDomains: row.email_domains,
    authoritativeDomains: row.authoritative_domains,
    otherDomains: row.other_domains ?? defaultOtherDomains(row),
    active: row.active,
    state: row.state,
    seatsLimit: lesserLimit(row.seats_limit, row.policy_seats_limit ?? 0),
    userPolicy: row.user_security_type,
    isProfileRefreshed: row.update_user_new_connection,
    mapping: row.mapping,
    roleAttributes: row.role_attributes,
    idpInitiated: row.idp_initiated,
    allowSha1: row.allow_sha1,
    allowCbcUnsignedResponse: row.allow_cbc_unsigned_response,
  }
}

/** The lesser one of two limits, of which 0 is none. */
function lesserLimit(one: number, other: number): number {
  return Math.min(one || other, other || one)
}

/** The rule of a connection that has none: naming domains says whom it is for. */
function defaultOtherDomains(row: Pick<LiveRow, 'email_domains' | 'allowed_email_domains'>): OtherDomains {
  return row.email_domains.length > 0 || (row.allowed_email_domains ?? []).length > 0 ? 'refuse' : 'create'
}

/** The content of a version of an identity provider's metadata. */
export interface TrustedMetadata extends TrustedIdentityProvider {
  readonly version: number
  readonly redirectUrl: string | null
  readonly postUrl: string | null
}

/** The current metadata of a connection. */
export async function findCurrentMetadata(
  db: Kysely<DB>,
  key: ConnectionKey,
): Promise<TrustedMetadata | undefined> {
  const row = await metadataOf(db, key).where('is_current', '=', true).executeTakeFirst()
  return row && toTrustedMetadata(row)
}

/** A version of the metadata of a connection, current or not. */
export async function findMetadataVersion(
  db: Kysely<DB>,
  key: ConnectionKey,
  version: number,
): Promise<TrustedMetadata | undefined> {
  const row = await metadataOf(db, key).where('version', '=', version).executeTakeFirst()
  return row && toTrustedMetadata(row)
}

function metadataOf(db: Kysely<DB>, key: ConnectionKey) {
  return db
    .selectFrom('sso_metadata_versions')
    .where(isOfConnection('sso_metadata_versions', key))
    .select(['version', 'entity_id', 'redirect_url', 'post_url', 'certificates'])
}

type MetadataRow = Pick<
  Selectable<SsoMetadataVersions>,
  'version' | 'entity_id' | 'redirect_url' | 'post_url' | 'certificates'
>

export function toTrustedMetadata(row: MetadataRow): TrustedMetadata {
  // Only written from results of readIdpMetadata().
  const certificates = row.certificates as unknown as StoredCertificate[]
  return {
    version: row.version,
    entityId: row.entity_id,
    certificates: certificates.map(({ pem }) => pem),
    redirectUrl: row.redirect_url,
    postUrl: row.post_url,
  }
}

/** The service provider that the identity provider of a connection knows. */
export async function findServiceProvider(
  deps: Pick<Deps, 'config' | 'db' | 'keys'>,
  live: ConnectionKey & Pick<LiveConnection, 'idpId'>,
): Promise<ServiceProvider & { readonly certificates: readonly string[] }> {
  const keys = await findServiceProviderKeys(deps, live)
  const certificates = keys.map(({ certificate }) => certificate)
  return { ...toServiceProvider(deps, live, () => keys), certificates }
}

/** The same with keys that were read before. They are opened when they are first used: a response in plain text needs none. */
export function toServiceProvider(
  { config }: Pick<Deps, 'config'>,
  { idpId }: Pick<LiveConnection, 'idpId'>,
  openKeys: () => readonly Pick<ServiceProviderKey, 'privateKey'>[],
): ServiceProvider {
  return {
    entityId: entityIdOf(config.baseUrl, idpId),
    acsUrl: acsUrlOf(config.baseUrl, idpId),
    get privateKeys() {
      return openKeys().map(({ privateKey }) => privateKey)
    },
  }
}

/** The organization of a connection, for operations on its users. */
export function tenantOfConnection(live: LiveConnection, requestId: string): Tenant {
  const { accountId, accountDomain, environment, domain } = live
  return { accountId, accountDomain, environment, domain, organizationIds: null, cause: causeOf(requestId) }
}

/** The cause of a browser's actions before its user is known. */
export function causeOf(requestId: string): Cause {
  return { requestId, actor: { type: 'system', id: 'sso_sign_in' }, params: () => ({}) }
}

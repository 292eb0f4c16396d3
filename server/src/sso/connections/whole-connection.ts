import type { SsoConnection } from '@portico/contract/sso-records'
import type { Association } from '@portico/contract/sso-connections'
import type { Protocol, ProviderType } from '@portico/contract/sso-onboarding'
import { sql, type Kysely, type Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import { isOfVersion, whyUnchanged } from '../../platform/db/versions.js'
import type { Deps } from '../../delivery/deps.js'
import type { Changed } from '../../delivery/events/change.js'
import { emit } from '../../delivery/events/emit.js'
import { acsUrlOf, entityIdOf } from '../saml/service-provider.js'
import { roleRulesOf, toRoleMapping, type RoleRuleRow } from '../../directory/roles/role-mapping.js'
import type { Caller, Cause } from '../../platform/tenant.js'
import type { ConnectionKey } from './connection-key.js'
import { warningsOf } from './metadata-warnings.js'
import {
  ssoConnectionColumns,
  toSsoConnection,
  type SsoConnectionRow,
  type MetadataRow,
  type OidcClientRow,
  type WholeSsoConnection,
} from './record.js'
import { isOrganizationOf, ofEnvironment, sameTenant } from '../../platform/db/tenant-predicate.js'

/** The connections that a caller may see. */
export type Reach = Pick<Caller, 'accountId' | 'environment' | 'organizationIds'>

/** A connection that is locked to be changed. */
export interface LockedConnection extends ConnectionKey {
  readonly idpId: string
  readonly domain: string
  readonly providerType: ProviderType | 'unset'
  readonly protocol: Protocol
}

/** Every read by a caller starts here: the connections of existing organizations that are open to the key. */
export function connectionsOf(db: Kysely<DB>, { accountId, environment, organizationIds }: Reach) {
  return db
    .selectFrom('sso_connections')
    .innerJoin('organizations', (join) => join.on(isOrganizationOf('organizations', 'sso_connections')))
    .where(ofEnvironment({ accountId, environment }, 'sso_connections'))
    .where('organizations.deleted_at', 'is', null)
    .where(
      sql<boolean>`(${organizationIds}::uuid[] is null or sso_connections.organization_id = any(${organizationIds}::uuid[]))`,
    )
}

/** The columns and associations of a connection's record. */
export function wholeConnection({ organizationIds }: Pick<Reach, 'organizationIds'>) {
  return [
    ...ssoConnectionColumns,
    'organizations.domain',
    roleRulesOf('sso_connections').as('role_rules'),
    onboardingOfConnection().as('onboarding'),
    redirectionOfConnection().as('default_redirection'),
    metadataOfConnection(organizationIds).as('metadata'),
    oidcClientsOfConnection().as('oidc_clients'),
  ] as const
}

/** The record of a row, with its associations as records. */
export function toWholeConnection(
  { config, now }: Pick<Deps, 'config' | 'now'>,
  row: SsoConnectionRow & { readonly role_rules: readonly RoleRuleRow[] },
  { environment }: Pick<Reach, 'environment'>,
): WholeSsoConnection {
  return toSsoConnection(row, {
    environment,
    entityId: entityIdOf(config.baseUrl, row.idp_id),
    acsUrl: acsUrlOf(config.baseUrl, row.idp_id),
    roleMapping: toRoleMapping(row.role_mapping_mode, row.role_rules),
    oidcRedirectUri: `${config.baseUrl}/oidc/${row.idp_id}/callback`,
    warningsOf: (metadata) => warningsOf(toDated(metadata), { isShared: metadata.is_shared, at: now() }),
  })
}

function toDated({ certificates, valid_until: validUntil }: MetadataRow) {
  return { certificates, validUntil: validUntil === null ? null : new Date(validUntil) }
}

/** A connection with its associations as ids, except for the named ones. */
export function withAssociations(
  record: WholeSsoConnection,
  names: readonly Association[] = [],
): SsoConnection {
  const { onboarding, default_redirection: redirection } = record
  return {
    ...record,
    onboarding: names.includes('enterprise_connection_onboarding') ? onboarding : (onboarding?.id ?? null),
    default_redirection: names.includes('default_redirection') ? redirection : (redirection?.id ?? null),
  }
}

/**
 * Locks the row of a connection for a change.
 *
 * @param versions The versions the change may happen to; undefined: any.
 * @throws ApiError `sso_connection_not_found`, `precondition_failed`
 */
export async function lockConnection(
  trx: Transaction<DB>,
  reach: Reach,
  idpId: string,
  versions?: readonly number[],
): Promise<LockedConnection> {
  const wanted = connectionsOf(trx, reach).where('sso_connections.idp_id', '=', idpId)
  const row = await wanted
    .where(isOfVersion(versions, 'sso_connections.version'))
    .select([
      'sso_connections.organization_id',
      'sso_connections.id',
      // The contract and checks of the table allow nothing else in these.
      sql<ProviderType | 'unset'>`sso_connections.provider_type`.as('provider_type'),
      sql<Protocol>`sso_connections.protocol`.as('protocol'),
      'organizations.domain',
    ])
    .forNoKeyUpdate('sso_connections')
    .executeTakeFirst()
  if (row === undefined)
    throw await whyUnchanged(wanted.select('sso_connections.id'), 'sso_connection_not_found')
  const { accountId, environment } = reach
  return {
    accountId,
    environment,
    organizationId: row.organization_id,
    connectionId: row.id,
    idpId,
    domain: row.domain,
    providerType: row.provider_type,
    protocol: row.protocol,
  }
}

type ConnectionEvent = `sso.connection.${'create' | 'update'}.success` | 'sso.certificate.expire.success'

/** Emits an event with the connection as the change leaves it, with its associations as records. */
export async function emitConnection(
  deps: Pick<Deps, 'config' | 'db' | 'now'>,
  trx: Transaction<DB>,
  cause: Cause,
  key: ConnectionKey,
  code: ConnectionEvent,
): Promise<Changed<WholeSsoConnection>> {
  // Webhooks belong to the whole account, whichever key made the change.
  const reach = { ...key, organizationIds: null }
  const row = await connectionsOf(trx, reach)
    .where('sso_connections.organization_id', '=', key.organizationId)
    .where('sso_connections.id', '=', key.connectionId)
    .select(wholeConnection(reach))
    .executeTakeFirstOrThrow()
  const record = toWholeConnection(deps, row, reach)
  const tenant = { ...key, domain: row.domain, cause }
  const email = record.onboarding?.sso_admin_email
  return emit(deps, trx, tenant, {
    code,
    record,
    version: row.version,
    organizationId: key.organizationId,
    email,
  })
}

/** Whether a row of a table belongs to the statement's row of sso_connections. */
function isOfConnectionRow(table: string) {
  return sql<boolean>`${sameTenant(table, 'sso_connections')}
    and ${sql.ref(`${table}.connection_id`)} = sso_connections.id`
}

/** Milliseconds since 1970, as JSON carries a time. */
function toMilliseconds(column: string) {
  return sql<number>`(extract(epoch from ${sql.ref(column)}) * 1000)::bigint`
}

function onboardingOfConnection() {
  return sql<SsoConnectionRow['onboarding']>`(
    select jsonb_build_object(
      'id', onboarding.id, 'sso_admin_email', onboarding.sso_admin_email,
      'provider_type', onboarding.provider_type, 'state', onboarding.state,
      'tutorial_step', onboarding.tutorial_step,
      'inserted_at', ${toMilliseconds('onboarding.inserted_at')},
      'updated_at', ${toMilliseconds('onboarding.updated_at')}
    )
    from sso_onboardings onboarding where ${isOfConnectionRow('onboarding')}
  )`
}

function redirectionOfConnection() {
  return sql<SsoConnectionRow['default_redirection']>`(
    select jsonb_build_object(
      'id', redirection.id, 'application_id', redirection.application_id, 'uri', redirection.uri,
      'inserted_at', ${toMilliseconds('redirection.inserted_at')}
    )
    from sso_default_redirections redirection
    where ${isOfConnectionRow('redirection')} and redirection.is_current
  )`
}

/** A key limited to organizations does not see what other organizations use. */
function metadataOfConnection(organizationIds: Reach['organizationIds']) {
  return sql<readonly MetadataRow[]>`(
    select coalesce(jsonb_agg(jsonb_build_object(
      'version', metadata.version, 'is_current', metadata.is_current, 'entity_id', metadata.entity_id,
      'sso_url', coalesce(metadata.redirect_url, metadata.post_url), 'certificates', metadata.certificates,
      'valid_until', ${toMilliseconds('metadata.valid_until')}, 'uploaded_by', metadata.uploaded_by,
      'inserted_at', ${toMilliseconds('metadata.inserted_at')},
      'is_shared', exists (
        select from sso_metadata_versions other
        join organizations owner on owner.account_id = other.account_id and owner.id = other.organization_id
        where other.account_id = metadata.account_id
          and other.environment = metadata.environment
          and other.entity_id = metadata.entity_id
          and other.is_current
          and other.connection_id <> metadata.connection_id
          and owner.deleted_at is null
          and (${organizationIds}::uuid[] is null or other.organization_id = any(${organizationIds}::uuid[]))
      )
    ) order by metadata.version desc), '[]')
    from sso_metadata_versions metadata where ${isOfConnectionRow('metadata')}
  )`
}

function oidcClientsOfConnection() {
  return sql<readonly OidcClientRow[]>`(
    select coalesce(jsonb_agg(jsonb_build_object(
      'version', client.version, 'is_current', client.is_current, 'issuer', client.issuer,
      'client_id', client.client_id, 'uploaded_by', client.uploaded_by,
      'inserted_at', ${toMilliseconds('client.inserted_at')}
    ) order by client.version desc), '[]')
    from sso_oidc_clients client where ${isOfConnectionRow('client')}
  )`
}

import type { AttributeMapping } from '@portico/contract/attribute-mapping'
import type {
  Association,
  NewSsoConnection,
  PreloadQuery,
  SsoConnectionChanges,
  SsoConnectionQuery,
} from '@portico/contract/sso-connections'
import type { Protocol, ProviderType } from '@portico/contract/sso-onboarding'
import type { SsoConnection } from '@portico/contract/sso-records'
import { sql, type Transaction } from 'kysely'
import { randomBase62 } from '../../platform/crypto/secret.js'
import { emptyPage, newestFirst, readPage, type Page } from '../../platform/db/page.js'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { ApiError, invalid } from '../../platform/errors.js'
import { change, type Changed } from '../../delivery/events/change.js'
import { mails } from '../../delivery/mail/mail-limits.js'
import { makeServiceProviderKey } from '../saml/service-provider-key.js'
import type { Caller } from '../../platform/tenant.js'
import { declareDomains } from '../../directory/domains/declare.js'
import {
  checkMayMapRoles,
  replaceRoleRules,
  type SentRoleMapping,
} from '../../directory/roles/role-mapping.js'
import { targetFaults } from '../../directory/users/mapping-targets.js'
import { normalizeEmail } from '../../platform/email.js'
import { isConnection } from './connection-key.js'
import { chooseDefaultRedirection, insertDefaultRedirection } from './default-redirection.js'
import { findDomain, insertConnection } from './insert-connection.js'
import { insertSsoKey } from './keys.js'
import { checkedMetadata, storeMetadata } from './metadata-versions.js'
import { findCurrentClient, storeOidcClient } from './oidc-clients.js'
import {
  checkDiscovery,
  checkIssuer,
  isClientSent,
  toClientSettings,
  type SentClient,
} from './oidc-settings.js'
import { insertOnboarding, inviteToLocked } from './onboarding.js'
import { checkProtocol, supportsProtocol, protocolOf, setConnectionProtocol } from './protocol.js'
import { checkProviderType, setConnectionProvider, prepareProvider } from './provider.js'
import { makeVersionCurrent } from './stored-versions.js'
import {
  connectionsOf,
  emitConnection,
  lockConnection,
  toWholeConnection,
  wholeConnection,
  withAssociations,
  type LockedConnection,
} from './whole-connection.js'

/** Base 62; long enough that the name of a connection cannot be guessed. */
const idpIdRandomLength = 22
/** The longest common name of a certificate. */
const commonNameLength = 64

/**
 * Creates an SSO connection of an organization, with our key for it, and invites its administrator where that is asked
 * for.
 *
 * @throws ApiError `organization_not_found`, `application_not_found`, `sso_admin_email_missing`, `rate_limited` when the
 *   address has been sent enough mails, `insufficient_scope` for roles that the key may not give, and `invalid_parameters`.
 */
export async function createSsoConnection(
  deps: Deps,
  caller: Caller,
  {
    organization_id: organizationId,
    application_id: applicationId,
    environment: _,
    ...input
  }: NewSsoConnection,
): Promise<Changed<SsoConnection>> {
  const { sso_admin_email: email, send_email: isMailed = false, ...sent } = input
  if (isMailed && email === undefined) throw new ApiError('sso_admin_email_missing')
  if (sent.role_mapping !== undefined) checkMayMapRoles(caller)
  const { provider_type: providerType, protocol = protocolOf(providerType) } = sent
  checkProviderType(caller.environment, providerType)
  checkProtocol(providerType ?? 'unset', protocol)
  const client = isClientSent(sent) ? toClientSettings(sent, undefined) : undefined
  if (client !== undefined) checkClient(client, { protocol, providerType: providerType ?? 'unset' })
  const domain = await findDomain(deps.db, caller, organizationId)
  if (isMailed && email !== undefined)
    await deps.limits.take(mails, { ...caller, domain, address: normalizeEmail(email) })
  const idpId = `${domain.replaceAll('-', '_')}_${randomBase62(idpIdRandomLength)}`
  // Outside of the transaction, because an RSA key takes a tenth of a second.
  const key = await makeServiceProviderKey(idpId.slice(-commonNameLength), deps.now(), deps.newRsaKeyPair)
  const chosen = await prepareProvider(deps, caller.environment, idpId, providerType)
  if (client !== undefined) await checkDiscovery(deps, client.issuer)

  const settings = { ...settingsOf(sent), protocol }
  return change(deps, caller.cause, async (trx) => {
    const connection = await insertConnection(deps, trx, caller, { organizationId, domain, idpId, settings })
    await checkTargets(trx, connection, sent.attribute_mapping)
    await replaceRules(trx, connection, sent.role_mapping)
    await declareDomains(deps, trx, { ...connection, cause: caller.cause }, sent.email_domains ?? [])
    await insertSsoKey(deps, trx, connection, { ...key, purpose: 'service_provider' })
    if (applicationId !== undefined) await insertDefaultRedirection(deps, trx, connection, { applicationId })
    if (email !== undefined)
      await insertOnboarding(deps, trx, connection, { email, providerType: providerType ?? null })
    if (chosen !== undefined) await setConnectionProvider(deps, trx, connection, chosen)
    if (client !== undefined)
      await storeOidcClient(deps, trx, connection, { ...client, uploadedBy: 'api_key', makeCurrent: true })
    const created = await emitConnection(deps, trx, caller.cause, connection, 'sso.connection.create.success')
    if (isMailed) await inviteToLocked(deps, trx, caller.cause, connection)
    return created
  })
}

/** The SSO connections of the organizations that the key may see. A filter that can match nothing gives an empty list. */
export async function listSsoConnections(
  deps: Pick<Deps, 'config' | 'now' | 'readDb'>,
  caller: Caller,
  query: SsoConnectionQuery,
): Promise<Page<SsoConnection>> {
  const { readDb } = deps
  const { organization_id: organizationId, state, active, preload_associations: associations } = query
  if (organizationId === null || state === null || active === null) return emptyPage(query)
  const found = connectionsOf(readDb, caller)
    .$if(organizationId !== undefined, (some) =>
      some.where('sso_connections.organization_id', '=', organizationId ?? ''),
    )
    .$if(state !== undefined, (some) => some.where('sso_connections.state', '=', state ?? ''))
    .$if(active !== undefined, (some) => some.where('sso_connections.active', '=', active === true))
  return readPage(
    {
      db: readDb,
      query,
      environment: caller.environment,
      order: newestFirst,
      keys: found,
      table: 'sso_connections',
      rows: connectionsOf(readDb, caller).select(wholeConnection(caller)),
    },
    (row) => withAssociations(toWholeConnection(deps, row, caller), associations),
  )
}

/** @throws ApiError `sso_connection_not_found` */
export async function getSsoConnection(
  deps: Pick<Deps, 'config' | 'db' | 'now'>,
  caller: Caller,
  idpId: string,
  { preload_associations: associations }: PreloadQuery,
): Promise<Changed<SsoConnection>> {
  const row = await connectionsOf(deps.db, caller)
    .where('sso_connections.idp_id', '=', idpId)
    .select(wholeConnection(caller))
    .executeTakeFirst()
  if (row === undefined) throw new ApiError('sso_connection_not_found')
  return {
    record: withAssociations(toWholeConnection(deps, row, caller), associations),
    version: row.version,
  }
}

/**
 * Changes the sent members of an SSO connection. Metadata become its current version at once; an inactive connection signs
 * nobody in.
 *
 * @param versions The versions the change may happen to; undefined: any.
 * @throws ApiError `sso_connection_not_found`, `default_redirection_not_found`, `precondition_failed`, `insufficient_scope` for roles that
 *   the key may not give, and `invalid_parameters` with the fault of the metadata.
 */
export async function updateSsoConnection(
  deps: Deps,
  caller: Caller,
  idpId: string,
  { metadata, default_redirection_id: redirectionId, environment: _, ...input }: SsoConnectionChanges,
  versions: readonly number[] | undefined,
): Promise<Changed<SsoConnection>> {
  const { provider_type: providerType, preload_associations: associations, ...sent } = input
  if (sent.role_mapping !== undefined) checkMayMapRoles(caller)
  const chosen = await prepareProvider(deps, caller.environment, idpId, providerType)
  const read = metadata === undefined ? undefined : checkedMetadata(metadata)
  if (sent.issuer !== undefined) {
    const { record } = await getSsoConnection(deps, caller, idpId, {})
    checkIssuer(providerType ?? record.provider_type, sent.issuer)
    await checkDiscovery(deps, sent.issuer)
  }
  const settings = settingsOf(sent)
  return changeConnection(deps, caller, { idpId, versions, associations }, async (trx, connection) => {
    const spoken = await setSpoken(deps, trx, connection, { providerType, protocol: sent.protocol })
    if (chosen !== undefined) await setConnectionProvider(deps, trx, connection, chosen)
    const current = await findCurrentClient(deps, trx, connection)
    if (providerType !== undefined && current !== undefined) checkIssuer(providerType, current.issuer)
    if (isClientSent(sent)) {
      const client = toClientSettings(sent, current)
      checkClient(client, spoken)
      await storeOidcClient(deps, trx, connection, { ...client, uploadedBy: 'api_key', makeCurrent: true })
    }
    if (redirectionId !== undefined) await chooseDefaultRedirection(trx, connection, redirectionId)
    await checkTargets(trx, connection, sent.attribute_mapping)
    await replaceRules(trx, connection, sent.role_mapping)
    await trx
      .updateTable('sso_connections')
      .set({ ...settings, updated_at: deps.now(), version: sql`version + 1` })
      .where(isConnection(connection))
      .execute()
    await declareDomains(deps, trx, { ...connection, cause: caller.cause }, sent.email_domains ?? [])
    if (read === undefined) return
    if (spoken.protocol !== 'saml') throw foreignMetadata()
    if (spoken.providerType === 'test') throw builtInMetadata()
    await storeMetadata(deps, trx, connection, { ...read, uploadedBy: 'api_key', makeCurrent: true })
  })
}

/**
 * Makes a stored version of the metadata the one that sign-ins are checked against, also an earlier one.
 *
 * @param versions The versions of the connection that the change may happen to; undefined: any.
 * @throws ApiError `sso_connection_not_found`, `sso_metadata_not_found`, `precondition_failed`
 */
export function useMetadata(
  deps: Deps,
  caller: Caller,
  { idpId, version }: { readonly idpId: string; readonly version: number },
  versions: readonly number[] | undefined,
): Promise<Changed<SsoConnection>> {
  return changeConnection(deps, caller, { idpId, versions }, async (trx, connection) => {
    const isThere = await makeVersionCurrent(deps, trx, 'sso_metadata_versions', connection, version)
    if (!isThere) throw new ApiError('sso_metadata_not_found')
  })
}

/**
 * Makes a stored client of OpenID Connect the one that sign-ins use, also an earlier one.
 *
 * @param versions The versions of the connection that the change may happen to; undefined: any.
 * @throws ApiError `sso_connection_not_found`, `sso_oidc_client_not_found`, `precondition_failed`
 */
export function useOidcClient(
  deps: Deps,
  caller: Caller,
  { idpId, version }: { readonly idpId: string; readonly version: number },
  versions: readonly number[] | undefined,
): Promise<Changed<SsoConnection>> {
  return changeConnection(deps, caller, { idpId, versions }, async (trx, connection) => {
    const isThere = await makeVersionCurrent(deps, trx, 'sso_oidc_clients', connection, version)
    if (!isThere) throw new ApiError('sso_oidc_client_not_found')
  })
}

interface ConnectionToChange {
  readonly idpId: string
  readonly versions: readonly number[] | undefined
  readonly associations?: readonly Association[] | undefined
}

function changeConnection(
  deps: Deps,
  caller: Caller,
  { idpId, versions, associations }: ConnectionToChange,
  work: (trx: Transaction<DB>, connection: LockedConnection) => Promise<void>,
): Promise<Changed<SsoConnection>> {
  return change(deps, caller.cause, async (trx) => {
    const connection = await lockConnection(trx, caller, idpId, versions)
    await work(trx, connection)
    const changed = await emitConnection(deps, trx, caller.cause, connection, 'sso.connection.update.success')
    return { ...changed, record: withAssociations(changed.record, associations) }
  })
}

/** The requested protocol and kind of identity provider. */
interface Spoken {
  readonly protocol: Protocol
  readonly providerType: ProviderType | 'unset'
}

/**
 * Sets the requested protocol of a connection, or the one of the requested kind of identity provider.
 *
 * @throws ApiError `invalid_parameters`
 */
async function setSpoken(
  deps: Deps,
  trx: Transaction<DB>,
  connection: LockedConnection,
  { providerType = connection.providerType, protocol }: Partial<Spoken>,
): Promise<Spoken> {
  const isKept = supportsProtocol(providerType, connection.protocol)
  const spoken = protocol ?? (isKept ? connection.protocol : protocolOf(providerType))
  checkProtocol(providerType, spoken)
  await setConnectionProtocol(deps, trx, connection, spoken)
  return { protocol: spoken, providerType }
}

/** @throws ApiError `invalid_parameters` for a client that a connection of this kind cannot have. */
function checkClient({ issuer }: { readonly issuer: string }, { protocol, providerType }: Spoken): void {
  if (protocol !== 'oidc') throw invalid('issuer', 'not_allowed', 'must be sent with protocol oidc')
  checkIssuer(providerType, issuer)
}

/** The members that have columns of their own. */
function settingsOf<
  Sent extends SentClient & {
    readonly protocol?: unknown
    readonly attribute_mapping?: readonly AttributeMapping[] | undefined
    readonly role_mapping?: SentRoleMapping | undefined
  },
>({
  issuer: _issuer,
  oidc_client_id: _clientId,
  oidc_client_secret: _clientSecret,
  protocol: _protocol,
  attribute_mapping: rules,
  role_mapping: roles,
  ...settings
}: Sent) {
  return {
    ...settings,
    ...(rules !== undefined && { attribute_mapping: JSON.stringify(rules) }),
    ...(roles !== undefined && { role_mapping_mode: roles.mode }),
  }
}

/**
 * Checks the targets of rules, before they are stored.
 *
 * @throws ApiError `invalid_parameters`
 */
async function checkTargets(
  trx: Transaction<DB>,
  { accountId, domain }: LockedConnection,
  rules: readonly AttributeMapping[] = [],
): Promise<void> {
  const fields = await targetFaults(trx, { accountId, domain, organizationIds: null }, rules, () => true)
  if (fields.length > 0) throw new ApiError('invalid_parameters', { fields })
}

/** @throws ApiError `invalid_parameters` */
async function replaceRules(
  trx: Transaction<DB>,
  { accountId, environment, domain, connectionId: id }: LockedConnection,
  sent: SentRoleMapping | undefined,
): Promise<void> {
  if (sent === undefined) return
  const tenant = { accountId, environment, domain, organizationIds: null }
  const source = { kind: 'connection_id', id } as const
  await replaceRoleRules(trx, tenant, source, { ...sent, isKnown: () => true })
}

function foreignMetadata(): ApiError {
  return invalid(
    'metadata',
    'not_allowed',
    'must be sent to a connection of SAML: this one is of OpenID Connect',
  )
}

function builtInMetadata(): ApiError {
  return invalid(
    'metadata',
    'not_allowed',
    'must be sent with another provider_type: those of the built-in identity provider are its own',
  )
}

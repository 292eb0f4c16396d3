import { lookup } from '../../platform/db/statement.js'
import { isConfigured } from '../../directory/configured.js'
import type { Deps } from '../../delivery/deps.js'
import type { ConnectionKey } from '../connections/connection-key.js'
import { isOrganizationOf, ofEnvironment, ofOwner } from '../../platform/db/tenant-predicate.js'

/** An open connection: it is active, and has metadata, or a client of OpenID Connect. */
export interface OpenConnection {
  readonly connectionId: string
  readonly idpId: string
  /** The e-mail domains that are the connection's own. */
  readonly emailDomains: readonly string[]
}

/** The organization's settings that decide beside its connections. */
interface OtherMethods {
  readonly hasPassword: boolean
  readonly hasLink: boolean
  readonly allowedEmailDomains: readonly string[] | null
}

/** The open connections of an organization and environment, the oldest first. */
export async function findOpenConnections(
  { db }: Pick<Deps, 'db'>,
  { accountId, environment, organizationId }: Omit<ConnectionKey, 'connectionId'>,
): Promise<OpenConnection[]> {
  const rows = await selectOpen(db, { accountId, environment, organizationId })
  return rows.map((row) => ({ connectionId: row.id, idpId: row.idp_id, emailDomains: row.email_domains }))
}

const selectOpen = lookup((db, key: { accountId: string; environment: string; organizationId: string }) =>
  db
    .selectFrom('sso_connections as connection')
    .where(ofOwner(key, 'connection'))
    .where('connection.active', '=', true)
    .where(isConfigured())
    .select(['connection.id', 'connection.idp_id', 'connection.email_domains'])
    .orderBy('connection.inserted_at')
    .orderBy('connection.id'),
)

/** The domain of the organization of an account whose open connection has this idp_id. */
export async function findDomainOfConnection(
  { db }: Pick<Deps, 'db'>,
  { accountId, environment }: Pick<ConnectionKey, 'accountId' | 'environment'>,
  idpId: string | undefined,
): Promise<string | undefined> {
  if (idpId === undefined) return undefined
  const [row] = await selectDomain(db, { accountId, environment, idpId })
  return row?.domain
}

const selectDomain = lookup((db, key: { accountId: string; environment: string; idpId: string }) =>
  db
    .selectFrom('sso_connections as connection')
    .innerJoin('organizations', (join) => join.on(isOrganizationOf('organizations', 'connection')))
    .where(ofEnvironment(key, 'connection'))
    .where('connection.idp_id', '=', key.idpId)
    .where('connection.active', '=', true)
    .where(isConfigured())
    .where('organizations.deleted_at', 'is', null)
    .select('organizations.domain'),
)

/**
 * The connection of an address, which only its domain decides: the connection that has the domain among its own; or the
 * only one there is, for the domains of the organization, and for every address where there is no other sign-in method.
 */
export function connectionOfAddress<Connection extends OpenConnection>(
  connections: readonly Connection[],
  { hasPassword, hasLink, allowedEmailDomains }: OtherMethods,
  normalizedEmail: string,
): Connection | undefined {
  const domain = normalizedEmail.slice(normalizedEmail.lastIndexOf('@') + 1)
  const owner = connections.find(({ emailDomains }) => emailDomains.includes(domain))
  const only = onlyOne(connections)
  if (owner !== undefined || only === undefined) return owner
  const isDomainOfOrganization = allowedEmailDomains?.includes(domain) ?? false
  return isDomainOfOrganization || !(hasPassword || hasLink) ? only : undefined
}

/** The connections that users choose by a button, because no domain of an address decides. */
export function connectionsToChoose(
  connections: readonly OpenConnection[],
  { hasPassword, hasLink, allowedEmailDomains }: OtherMethods,
): OpenConnection[] {
  const isDecidedByAddress = (allowedEmailDomains ?? []).length > 0 || !(hasPassword || hasLink)
  if (onlyOne(connections) !== undefined && isDecidedByAddress) return []
  return connections.filter(({ emailDomains }) => emailDomains.length === 0)
}

/** The only connection, where it has no domains of its own. */
export function onlyOne<Connection extends OpenConnection>(
  connections: readonly Connection[],
): Connection | undefined {
  const [only, ...others] = connections
  return others.length === 0 && only?.emailDomains.length === 0 ? only : undefined
}

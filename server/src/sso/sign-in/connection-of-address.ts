import type { Protocol } from '@portico/contract/sso-onboarding'
import { sql } from 'kysely'
import { lookup } from '../../platform/db/statement.js'
import { isConfigured } from '../../directory/configured.js'
import type { Deps } from '../../delivery/deps.js'
import { authoritativeDomains, isCovered, type CoveredDomains } from '../../directory/domains/authority.js'
import type { ConnectionKey } from '../connections/connection-key.js'
import { isOrganizationOf, ofEnvironment, ofOwner } from '../../platform/db/tenant-predicate.js'
import { domainOfEmail } from '../../platform/email.js'

/** An open connection: it is active, and has metadata, or a client of OpenID Connect. */
export interface OpenConnection {
  readonly connectionId: string
  readonly idpId: string
  /** The e-mail domains that are the connection's own. */
  readonly emailDomains: readonly string[]
  /** For whose addresses it is authoritative. */
  readonly authoritativeDomains: CoveredDomains
}

/** A connection, whether or not it is open for sign-ins. */
export interface AnyConnection extends OpenConnection {
  readonly protocol: Protocol
  readonly isActive: boolean
  readonly isConfigured: boolean
}

export function isOpen({ isActive, isConfigured: isReady }: AnyConnection): boolean {
  return isActive && isReady
}

/** The organization's settings that decide beside its connections. */
interface OtherMethods {
  readonly hasPassword: boolean
  readonly hasLink: boolean
}

/** The open connections of an organization and environment, the oldest first. */
export async function findOpenConnections(
  { db }: Pick<Deps, 'db'>,
  { accountId, environment, organizationId }: Omit<ConnectionKey, 'connectionId'>,
): Promise<OpenConnection[]> {
  const rows = await selectOpen(db, { accountId, environment, organizationId })
  return rows.map(toOpenConnection)
}

/** A row with the columns of a connection on the pages. */
export function toOpenConnection(row: {
  readonly id: string
  readonly idp_id: string
  readonly email_domains: readonly string[]
  readonly authoritative_domains: CoveredDomains
}): OpenConnection {
  return {
    connectionId: row.id,
    idpId: row.idp_id,
    emailDomains: row.email_domains,
    authoritativeDomains: row.authoritative_domains,
  }
}

const selectOpen = lookup((db, key: { accountId: string; environment: string; organizationId: string }) =>
  db
    .selectFrom('sso_connections as connection')
    .innerJoin('organizations', (join) => join.on(isOrganizationOf('organizations', 'connection')))
    .where(ofOwner(key, 'connection'))
    .where('connection.active', '=', true)
    .where(isConfigured())
    .select([
      'connection.id',
      'connection.idp_id',
      'connection.email_domains',
      authoritativeDomains('connection').as('authoritative_domains'),
    ])
    .orderBy('connection.inserted_at')
    .orderBy('connection.id'),
)

/** The connections of a row of `organizations` in an environment, open or not, the oldest first, as a part of a statement. */
export function connectionsOfOrganization(environment: string) {
  return sql<AnyConnection[]>`(
    select coalesce(jsonb_agg(jsonb_build_object(
      'connectionId', connection.id, 'idpId', connection.idp_id, 'emailDomains', connection.email_domains,
      'authoritativeDomains', ${authoritativeDomains('connection')},
      'protocol', connection.protocol,
      'isActive', connection.active, 'isConfigured', ${isConfigured()}
    ) order by connection.inserted_at, connection.id), '[]')
    from sso_connections as connection
    where connection.account_id = organizations.account_id
      and connection.environment = ${environment}
      and connection.organization_id = organizations.id
  )`
}

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
 * The connection of an address, which only its domain decides: the connection that names the domain and is authoritative for it; or the
 * only one there is, for the domains of the organization, and for every address where there is no other sign-in method.
 */
export function connectionOfAddress<Connection extends OpenConnection>(
  connections: readonly Connection[],
  { hasPassword, hasLink }: OtherMethods,
  normalizedEmail: string,
): Connection | undefined {
  const domain = domainOfEmail(normalizedEmail)
  const owner = connections.find(
    ({ emailDomains, authoritativeDomains: own }) => emailDomains.length > 0 && isCovered(own, domain),
  )
  const only = onlyOne(connections)
  if (owner !== undefined || only === undefined) return owner
  return isCovered(only.authoritativeDomains, domain) || !(hasPassword || hasLink) ? only : undefined
}

/** The connections that users choose by a button, because no domain of an address decides. */
export function connectionsToChoose(
  connections: readonly OpenConnection[],
  { hasPassword, hasLink }: OtherMethods,
): OpenConnection[] {
  const only = onlyOne(connections)
  const isDecidedByAddress =
    only !== undefined && (only.authoritativeDomains.length > 0 || !(hasPassword || hasLink))
  if (isDecidedByAddress) return []
  return connections.filter(({ emailDomains }) => emailDomains.length === 0)
}

/** The only connection, where it has no domains of its own. */
export function onlyOne<Connection extends OpenConnection>(
  connections: readonly Connection[],
): Connection | undefined {
  const [only, ...others] = connections
  return others.length === 0 && only?.emailDomains.length === 0 ? only : undefined
}

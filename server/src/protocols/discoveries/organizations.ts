import type { DiscoveredOrganization } from '@portico/contract/discovery'
import { sql } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import { authoritativeDomains } from '../../directory/domains/authority.js'
import { isConfigured } from '../../directory/configured.js'
import { isFactorDueOfUserOf } from '../../directory/sessions/factor-due.js'
import { isTotpAskedOfUserOf } from '../../directory/sessions/totp-asked.js'
import { statement } from '../../platform/db/statement.js'
import { isOrganizationOf, ofEnvironment } from '../../platform/db/tenant-predicate.js'
import type { Caller } from '../../platform/tenant.js'
import { listEntries, type Entry } from '../../sign-in/account-flows/entries.js'
import { connectionOfAddress, toOpenConnection } from '../../sso/sign-in/connection-of-address.js'
import type { DiscoveryRow } from './discovery.js'
import { toDiscoveredOrganization } from './record.js'

type ProvedRow = Pick<DiscoveryRow, 'application_id' | 'email_normalized' | 'is_link_returned'>

/** The organizations that the owner of a proved address can enter, with what each of them demands. */
export async function listDiscovered(
  deps: Pick<Deps, 'config' | 'db' | 'now'>,
  caller: Caller,
  proved: ProvedRow,
): Promise<DiscoveredOrganization[]> {
  const entries = await listOffered(deps, caller, proved, null)
  const { accountId, environment } = caller
  const domains = entries.map(({ domain }) => domain)
  const at = deps.now()
  const rpId = deps.config.passkeyRpId ?? null
  const key = { accountId, environment, domains, emailNormalized: proved.email_normalized, at, rpId }
  const [rows, connections] = await Promise.all([
    selectDescriptions(deps.db, key),
    selectConnections(deps.db, key),
  ])
  return entries.flatMap((entry) => {
    // Deleted since.
    const row = rows.find(({ domain }) => domain === entry.domain)
    if (row === undefined) return []
    const firstFactor = firstFactorOf(row, connections, proved.email_normalized)
    return toDiscoveredOrganization(caller, { ...row, ...entry, firstFactor })
  })
}

/**
 * The organizations that a discovery offers.
 *
 * @param onlyDomain The only one that is meant; null: every one.
 */
export function listOffered(
  deps: Pick<Deps, 'db' | 'now'>,
  { accountId, environment }: Pick<Caller, 'accountId' | 'environment'>,
  proved: ProvedRow,
  onlyDomain: string | null,
): Promise<Entry[]> {
  return listEntries(deps, {
    accountId,
    environment,
    applicationId: proved.application_id,
    emailNormalized: proved.email_normalized,
    onlyDomain,
    isLinkReturned: proved.is_link_returned,
  })
}

type DescribedRow = Awaited<ReturnType<typeof selectDescriptions>>[number]
type ConnectionRow = Awaited<ReturnType<typeof selectConnections>>[number]

/** The way by which findWay() enters. */
function firstFactorOf(
  { organization_id, is_link_active, is_password_active }: DescribedRow,
  connections: readonly ConnectionRow[],
  emailNormalized: string,
): DiscoveredOrganization['first_factor'] {
  const own = connections
    .filter((connection) => connection.organization_id === organization_id)
    .map(toOpenConnection)
  const methods = {
    hasLink: is_link_active === true,
    hasPassword: is_password_active === true,
  }
  if (connectionOfAddress(own, methods, emailNormalized) !== undefined) return 'sso'
  if (methods.hasLink) return 'email'
  return methods.hasPassword ? 'password' : null
}

interface DescribedKey extends Pick<Caller, 'accountId' | 'environment'> {
  readonly domains: readonly string[]
  readonly emailNormalized: string
  readonly at: Date
  /** The domain of passkeys; null where the service has none. */
  readonly rpId: string | null
}

const selectDescriptions = statement((db, key: DescribedKey) =>
  db
    .selectFrom('organizations')
    .leftJoin('users', (join) =>
      join
        .on(isOrganizationOf('organizations', 'users'))
        .on('users.environment', '=', key.environment)
        .on('users.email_normalized', '=', key.emailNormalized)
        .on('users.deleted_at', 'is', null),
    )
    .where('organizations.account_id', '=', key.accountId)
    .where(sql<boolean>`organizations.domain = any(${key.domains}::text[])`)
    .where('organizations.deleted_at', 'is', null)
    .select([
      'organizations.id as organization_id',
      'organizations.domain',
      'organizations.icon_logo_url',
      'organizations.allowed_email_domains',
      'users.id as user_id',
      isActive('magic_link_connections', key).as('is_link_active'),
      isActive('password_connections', key).as('is_password_active'),
      sql<boolean>`(
        ${isTotpAskedOfUserOf('users')} or ${isFactorDueOfUserOf('users', key.at, key.rpId)}
      )`.as('is_second_factor_asked'),
    ]),
)

/** Looked up for each organization: a join may read those of every organization of the account. */
function isActive(connections: 'magic_link_connections' | 'password_connections', key: DescribedKey) {
  return sql<boolean | null>`(
    select connection.active from ${sql.table(connections)} as connection
    where ${isOrganizationOf('organizations', 'connection')} and connection.environment = ${key.environment}
  )`
}

/** Their open connections, the oldest first. */
const selectConnections = statement((db, key: DescribedKey) =>
  db
    .selectFrom('sso_connections as connection')
    .innerJoin('organizations', (join) => join.on(isOrganizationOf('organizations', 'connection')))
    .where(ofEnvironment(key, 'connection'))
    .where(sql<boolean>`organizations.domain = any(${key.domains}::text[])`)
    .where('connection.active', '=', true)
    .where(isConfigured())
    .select([
      'connection.organization_id',
      'connection.id',
      'connection.idp_id',
      'connection.email_domains',
      authoritativeDomains('connection').as('authoritative_domains'),
    ])
    .orderBy('connection.inserted_at')
    .orderBy('connection.id'),
)

import type { Domain } from '@portico/contract/domains'
import { PageQuery, pathId, type Environment } from '@portico/contract/fields'
import { sql, type Kysely } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import { isOrganizationOf, ofOwner, sameTenant } from '../../platform/db/tenant-predicate.js'
import { ApiError } from '../../platform/errors.js'
import type { Tenant } from '../../platform/tenant.js'
import type { Deps } from '../../delivery/deps.js'
import { change } from '../../delivery/events/change.js'
import { authoritativeDomains } from '../../directory/domains/authority.js'
import { checkDomain } from '../../directory/domains/check.js'
import { createDomain, listDomains } from '../../directory/domains/domains.js'
import { endSessionsWithoutSso } from '../../directory/domains/end-without-sso.js'
import { lockDomain } from '../../directory/domains/rows.js'
import { isConnection, type ConnectionKey } from '../connections/connection-key.js'
import { emitConnection, lockConnection } from '../connections/whole-connection.js'
import type { AdminSession } from '../admins/admin-session.js'
import { reachedTenant } from './reached-tenant.js'

/** A domain of the organization, and the connections of its environment that name it. */
export interface OnboardingDomain extends Domain {
  readonly namedBy: readonly string[]
}

/** The domains of an environment, and the connections that may name them. */
export interface OnboardingDomains {
  readonly environment: Environment
  readonly domains: readonly OnboardingDomain[]
  /** idp_id of each. */
  readonly connections: readonly string[]
}

const DomainId = pathId()

/** More than an organization has; the page has no pagination. */
const maxShown = 100
/** As many as the API takes in `email_domains`. */
const maxNamed = 100

/** The domains that an administrator sees; undefined where the invitation does not reach the environment. */
export async function listOnboardingDomains(
  deps: Pick<Deps, 'config' | 'db'>,
  session: AdminSession,
  environment: string,
): Promise<OnboardingDomains | undefined> {
  const tenant = reachedTenant(session, environment, '')
  if (tenant === undefined) return undefined
  // A domain that was just added must be on the page: no replica is read.
  const query = PageQuery.parse({ per_page: maxShown })
  const { data } = await listDomains({ ...deps, readDb: deps.db }, tenant, query)
  const connections = await listNames(deps.db, session, tenant.environment)
  return {
    environment: tenant.environment,
    domains: data.map((domain) => ({
      ...domain,
      namedBy: connections.filter((one) => one.names.includes(domain.domain)).map((one) => one.idpId),
    })),
    connections: connections.map(({ idpId }) => idpId),
  }
}

function listNames(
  db: Kysely<DB>,
  { accountId, organizationId }: AdminSession,
  environment: Environment,
): Promise<{ readonly idpId: string; readonly names: string[] }[]> {
  return db
    .selectFrom('sso_connections')
    .where(ofOwner({ accountId, environment, organizationId }))
    .select(['idp_id as idpId', 'email_domains as names'])
    .orderBy('inserted_at')
    .limit(maxShown)
    .execute()
}

/**
 * Adds a domain, which counts for nothing before its record is found: no administrator declares one.
 *
 * @throws ApiError as of createDomain()
 */
export async function addOnboardingDomain(
  deps: Deps,
  session: AdminSession,
  {
    environment,
    domain,
    requestId,
  }: { readonly environment: string; readonly domain: string; readonly requestId: string },
): Promise<void> {
  await createDomain(deps, demandTenant(session, environment, requestId), { domain })
}

/** A domain of the page. */
interface ChosenDomain {
  readonly environment: string
  readonly domainId: string
  readonly requestId: string
}

/** @throws ApiError as of checkDomain() */
export async function checkOnboardingDomain(
  deps: Deps,
  session: AdminSession,
  { environment, domainId, requestId }: ChosenDomain,
): Promise<void> {
  await checkDomain(deps, demandTenant(session, environment, requestId), DomainId.parse(domainId))
}

/**
 * Names a domain for a connection, which is authoritative for its addresses from then on. Where the connection has named none,
 * it goes on with those of the organization's list that count.
 *
 * @returns Whether it was named: it must be verified, or declared by the account, and named by no connection yet.
 * @throws ApiError `domain_not_found`, `sso_connection_not_found`
 */
export async function nameOnboardingDomain(
  deps: Deps,
  session: AdminSession,
  { environment, domainId, requestId, idpId }: ChosenDomain & { readonly idpId: string },
): Promise<boolean> {
  const tenant = demandTenant(session, environment, requestId)
  const { accountId } = tenant
  const reach = { accountId, environment: tenant.environment, organizationIds: [session.organizationId] }
  const id = DomainId.parse(domainId)
  const { record } = await change(deps, tenant.cause, async (trx) => {
    // Two forms for two connections wait for each other.
    await lockDomain(trx, tenant, id)
    const connection = await lockConnection(trx, reach, idpId)
    if (!(await addName(deps, trx, connection, id))) return { record: false }
    // The domain may demand single sign-on, and has its connection only now.
    await endSessionsWithoutSso(deps, trx, connection)
    await emitConnection(deps, trx, tenant.cause, connection, 'sso.connection.update.success')
    return { record: true }
  })
  return record
}

/** The one statement that decides. */
async function addName(
  { now }: Pick<Deps, 'now'>,
  db: Kysely<DB>,
  connection: ConnectionKey,
  domainId: string,
): Promise<boolean> {
  const named = await db
    .updateTable('sso_connections')
    .from(['domains', 'organizations'])
    .set({
      email_domains: sql`case
        when cardinality(sso_connections.email_domains) > 0 then sso_connections.email_domains
        else array(
          select entry from unnest(${authoritativeDomains('sso_connections')}) as covered (entry)
          where left(entry, 1) <> '.' and entry <> domains.domain
        )
      end || domains.domain`,
      updated_at: now(),
      version: sql`sso_connections.version + 1`,
    })
    .where(isConnection(connection))
    .where(sameTenant('domains', 'sso_connections'))
    .where(isOrganizationOf('organizations', 'sso_connections'))
    .where('domains.id', '=', domainId)
    .where('domains.state', 'in', ['verified', 'declared'])
    .where(sql<boolean>`cardinality(sso_connections.email_domains) < ${maxNamed}`)
    .where(
      sql<boolean>`not exists (
        select from sso_connections as naming
        where ${sameTenant('naming', 'domains')} and domains.domain = any(naming.email_domains)
      )`,
    )
    .returning('sso_connections.id')
    .executeTakeFirst()
  return named !== undefined
}

/** @throws ApiError `organization_not_found` for an environment that the invitation does not reach */
function demandTenant(session: AdminSession, environment: string, requestId: string): Tenant {
  const tenant = reachedTenant(session, environment, requestId)
  if (tenant === undefined) throw new ApiError('organization_not_found')
  return tenant
}

import { sql } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import { isConfigured } from '../../directory/configured.js'
import { ownsDomain, selfAndParentsOf } from '../../directory/domains/authority.js'
import { isUsableBy } from '../../directory/usable.js'
import { statement } from '../../platform/db/statement.js'
import { isOrganizationOf, ofEnvironment, sameEnvironment } from '../../platform/db/tenant-predicate.js'
import { domainOfEmail } from '../../platform/email.js'

/** Where the addresses of a domain sign in. */
export interface RoutedDomain {
  readonly organizationId: string
  readonly connectionId: string
}

/**
 * The connection that names the domain of an address, as one that counts, where exactly one organization of the account has one. It says that a
 * domain has single sign-on, as the page of its identity provider does, and never whether a user exists.
 */
export async function findRoutedDomain(
  { db }: Pick<Deps, 'db'>,
  {
    accountId,
    environment,
    applicationId,
  }: { accountId: string; environment: string; applicationId: string },
  emailNormalized: string,
): Promise<RoutedDomain | undefined> {
  const emailDomain = domainOfEmail(emailNormalized)
  const emailDomains = selfAndParentsOf(emailDomain)
  const claimants = await selectClaimants(db, {
    ...{ accountId, environment, applicationId, emailDomain, emailDomains },
  })
  const [owner, ...others] = claimants
  // Also where the application could use only one of them: two claimants are a fault, which the doctor tells.
  if (owner === undefined || others.some((other) => other.organization_id !== owner.organization_id))
    return undefined
  return owner.is_usable
    ? { organizationId: owner.organization_id, connectionId: owner.connection_id }
    : undefined
}

interface DomainKey {
  readonly accountId: string
  readonly environment: string
  readonly applicationId: string
  readonly emailDomain: string
  /** It, and those above it. */
  readonly emailDomains: readonly string[]
}

const selectClaimants = statement((db, key: DomainKey) =>
  db
    .selectFrom('sso_connections as connection')
    .innerJoin('organizations', (join) => join.on(isOrganizationOf('organizations', 'connection')))
    .innerJoin('applications', (join) =>
      join.on(sameEnvironment('applications', 'connection')).on('applications.id', '=', key.applicationId),
    )
    .where(ofEnvironment(key, 'connection'))
    .where(ownsDomain('connection', key))
    .where('connection.active', '=', true)
    .where(isConfigured())
    .where('organizations.deleted_at', 'is', null)
    .select([
      'connection.organization_id',
      'connection.id as connection_id',
      isUsableBy(sql.ref('connection.organization_id')).as('is_usable'),
    ])
    .orderBy('connection.inserted_at')
    .orderBy('connection.id')
    .limit(20),
)

import { sql, type Kysely } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import { ApiError } from '../../platform/errors.js'
import { isSsoRequired } from '../domains/authority.js'
import type { Caller } from '../../platform/tenant.js'
import { isOrganizationOf } from '../../platform/db/tenant-predicate.js'
import { domainOfEmail } from '../../platform/email.js'

/** An address that is to sign in. */
export interface SoughtAddress {
  /** Normalized. */
  readonly email: string
  /** Domain of the organization; undefined: the one that allows the domain of the address. */
  readonly domain: string | undefined
}

/**
 * Organizations that an address may belong to, among those the key may see, each with the user who has the address, if
 * any. Two rows suffice to show that the organization is ambiguous.
 */
export function addresseesOf(db: Kysely<DB>, caller: Caller, { email, domain }: SoughtAddress) {
  const { accountId, environment } = caller
  return db
    .selectFrom(soughtOrganizations(db, caller, { email, domain }).as('organizations'))
    .leftJoin('users', (join) =>
      join
        .on(isOrganizationOf('organizations', 'users'))
        .on('users.environment', '=', environment)
        .on('users.email_normalized', '=', email)
        .on('users.deleted_at', 'is', null),
    )
    .select([
      'organizations.id as organization_id',
      'organizations.domain',
      'organizations.allowed_email_domains',
      'users.id as user_id',
      'users.active as is_user_active',
      isSsoRequired({
        ...{ accountId, environment, organizationId: sql.ref('organizations.id') },
        emailNormalized: sql<string>`${email}::text`,
      }).as('is_sso_required'),
    ])
    .limit(2)
}

/** Planned by itself, by OFFSET: beside the cost of the rule of single sign-on the planner takes any way to it for as cheap. */
function soughtOrganizations(
  db: Kysely<DB>,
  { accountId, organizationIds }: Caller,
  { email, domain }: SoughtAddress,
) {
  return db
    .selectFrom('organizations')
    .where('organizations.account_id', '=', accountId)
    .where('organizations.deleted_at', 'is', null)
    .where(
      sql<boolean>`(${organizationIds}::uuid[] is null or organizations.id = any(${organizationIds}::uuid[]))`,
    )
    .where(
      domain === undefined
        ? // Containment is what the index of the domains serves.
          sql<boolean>`organizations.allowed_email_domains @> array[${domainOfEmail(email)}::text]`
        : sql<boolean>`organizations.domain = ${domain}`,
    )
    .selectAll()
    .offset(0)
}

/**
 * The only organization that was found.
 *
 * @throws ApiError `organization_not_found`
 */
export function onlyAddressee<Addressee>(
  found: readonly Addressee[],
  { domain }: Pick<SoughtAddress, 'domain'>,
): Addressee {
  const [addressee] = found
  if (addressee !== undefined && found.length === 1) return addressee
  throw new ApiError('organization_not_found', {
    ...(domain === undefined && {
      message: 'Not exactly one organization allows the domain of this address: send org_domain.',
    }),
  })
}

import { sql, type Kysely, type Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import { lookup } from '../../platform/db/statement.js'
import { ofTenant } from '../../platform/db/tenant-predicate.js'
import { totalInOrganization } from '../../platform/db/totals.js'
import type { Tenant } from '../../platform/tenant.js'

type PolicyKey = Pick<Tenant, 'accountId' | 'environment' | 'domain' | 'organizationIds'>

/** The seats of the organization's policy, counted under a lock until the transaction ends. */
export async function countPolicySeats(trx: Transaction<DB>, tenant: Tenant): Promise<Seats> {
  const { limit, organizationId } = await findSeatsLimit(trx, tenant)
  return organizationId === undefined
    ? { limit: 0, taken: 0 }
    : countSeats(trx, tenant, { organizationId, limit })
}

/** Seats of an organization: how many there are, and how many users have one. */
export interface Seats {
  readonly limit: number
  readonly taken: number
}

/**
 * Counts the seats under a lock until the transaction ends, so that concurrent newcomers cannot exceed them. They are the
 * organization's, whichever door or connection a newcomer comes by.
 *
 * @param limit 0: any number, and nothing is counted.
 */
export async function countSeats(
  trx: Transaction<DB>,
  tenant: Tenant,
  { organizationId, limit }: { readonly organizationId: string; readonly limit: number },
): Promise<Seats> {
  if (limit === 0) return { limit, taken: 0 }
  const name = ['seats', tenant.accountId, tenant.environment, organizationId].join(' ')
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(trx)
  return { limit, taken: await totalInOrganization(trx, 'users', tenant) }
}

/** Whether a newcomer has a seat now. Another may take it: the door counts again, under the lock. */
export async function isSeatFree(db: Kysely<DB>, tenant: Tenant): Promise<boolean> {
  return hasSeat(await lookAtSeats(db, tenant))
}

/**
 * The seats of an organization without a lock.
 *
 * @param limitOf Of the door, such as a connection; undefined: that of the policy.
 */
export async function lookAtSeats(db: Kysely<DB>, tenant: Tenant, limitOf?: number): Promise<Seats> {
  const limit = limitOf ?? (await findSeatsLimit(db, tenant)).limit
  return { limit, taken: limit === 0 ? 0 : await totalInOrganization(db, 'users', tenant) }
}

/** Whether a newcomer has a seat. */
export function hasSeat({ limit, taken }: Seats): boolean {
  return limit === 0 || taken < limit
}

/** How many seats the organization has; 0: any number. */
async function findSeatsLimit(db: Kysely<DB>, tenant: PolicyKey): Promise<Seating> {
  const [row] = await selectSeats(db, tenant)
  return { limit: row?.seats_limit ?? 0, organizationId: row?.organization_id }
}

interface Seating {
  readonly limit: number
  /** Undefined without a policy. */
  readonly organizationId: string | undefined
}

const selectSeats = lookup((db, tenant: PolicyKey) =>
  db.selectFrom('organization_policies').where(ofTenant(tenant)).select(['organization_id', 'seats_limit']),
)

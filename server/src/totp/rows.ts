import { sql, type Kysely, type RawBuilder, type Transaction } from 'kysely'
import { organizationIdOf } from '../db/organization-id.js'
import type { DB } from '../db/schema.js'
import type { Tenant } from '../tenant.js'

/** Every read of an enrolment starts here, so that no query can forget its tenant. */
export function enrollmentsOf(db: Kysely<DB>, tenant: Tenant, userId: string) {
  return db
    .selectFrom('totp_enrollments')
    .where('account_id', '=', tenant.accountId)
    .where('environment', '=', tenant.environment)
    .where('organization_id', '=', organizationIdOf(tenant))
    .where('user_id', '=', userId)
}

/** Every change of one, too. */
export function updateEnrollment(trx: Transaction<DB>, tenant: Tenant, userId: string) {
  return trx
    .updateTable('totp_enrollments')
    .where('account_id', '=', tenant.accountId)
    .where('environment', '=', tenant.environment)
    .where('organization_id', '=', organizationIdOf(tenant))
    .where('user_id', '=', userId)
}

/** Whose challenges, and when. */
interface OpenAt {
  readonly userId: string
  readonly at: Date
}

/** The challenges of a user that wait for a code. */
export function openChallengesOf(db: Kysely<DB>, tenant: Tenant, open: OpenAt) {
  return db
    .selectFrom('totp_challenges')
    .where('account_id', '=', tenant.accountId)
    .where('environment', '=', tenant.environment)
    .where('organization_id', '=', organizationIdOf(tenant))
    .where(isOpen(open))
}

/** What spends or voids them; of two that come together, one finds nothing. */
export function updateOpenChallenges(trx: Transaction<DB>, tenant: Tenant, open: OpenAt) {
  return trx
    .updateTable('totp_challenges')
    .where('account_id', '=', tenant.accountId)
    .where('environment', '=', tenant.environment)
    .where('organization_id', '=', organizationIdOf(tenant))
    .where(isOpen(open))
}

function isOpen({ userId, at }: OpenAt): RawBuilder<boolean> {
  return sql<boolean>`(
    user_id = ${userId}
    and challenged_at is null
    and voided_at is null
    and expires_at > ${at}
  )`
}

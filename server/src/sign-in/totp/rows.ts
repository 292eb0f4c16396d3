import { sql, type Kysely, type RawBuilder, type Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import type { Tenant } from '../../platform/tenant.js'
import { ofTenant } from '../../platform/db/tenant-predicate.js'

/** Every read of an enrolment starts here, so that no query can forget its tenant. */
export function enrollmentsOf(db: Kysely<DB>, tenant: Tenant, userId: string) {
  return db.selectFrom('totp_enrollments').where(ofTenant(tenant)).where('user_id', '=', userId)
}

/** Every change of an enrolment starts here, for the same reason. */
export function updateEnrollment(trx: Transaction<DB>, tenant: Tenant, userId: string) {
  return trx.updateTable('totp_enrollments').where(ofTenant(tenant)).where('user_id', '=', userId)
}

/** The end of an enrolment starts here, too. */
export function deleteEnrollment(trx: Transaction<DB>, tenant: Tenant, userId: string) {
  return trx.deleteFrom('totp_enrollments').where(ofTenant(tenant)).where('user_id', '=', userId)
}

/** Selects the challenges of a user that are open at a time. */
interface OpenAt {
  readonly userId: string
  readonly at: Date
}

/** The challenges of a user, ended ones included. */
export function challengesOf(db: Kysely<DB>, tenant: Tenant, userId: string) {
  return everyChallengeOf(db, tenant).where('user_id', '=', userId)
}

/** The open challenges of a user. */
export function openChallengesOf(db: Kysely<DB>, tenant: Tenant, open: OpenAt) {
  return everyChallengeOf(db, tenant).where(isOpen(open))
}

function everyChallengeOf(db: Kysely<DB>, tenant: Tenant) {
  return db.selectFrom('totp_challenges').where(ofTenant(tenant))
}

/** Consumes or voids open challenges; of two concurrent updates, one finds no row. */
export function updateOpenChallenges(trx: Transaction<DB>, tenant: Tenant, open: OpenAt) {
  return trx.updateTable('totp_challenges').where(ofTenant(tenant)).where(isOpen(open))
}

/**
 * Whether a challenge belongs to a flow or, with null, to the API. Neither accepts a code of the other, so that a code
 * meant for an application is not accepted on a page.
 */
export function isOfFlow(flowId: string | null): RawBuilder<boolean> {
  return sql<boolean>`(
    select pending.flow_id from pending_sign_ins as pending
    where pending.account_id = totp_challenges.account_id
      and pending.environment = totp_challenges.environment
      and pending.organization_id = totp_challenges.organization_id
      and pending.id = totp_challenges.pending_sign_in_id
  ) is not distinct from ${flowId}::uuid`
}

function isOpen({ userId, at }: OpenAt): RawBuilder<boolean> {
  return sql<boolean>`(
    user_id = ${userId}
    and challenged_at is null
    and voided_at is null
    and expires_at > ${at}
  )`
}

import { sql, type Transaction } from 'kysely'
import { isUsableBy } from './usable.js'
import { organizationIdOf } from '../platform/db/organization-id.js'
import type { DB } from '../platform/db/schema.js'
import type { Deps } from '../delivery/deps.js'
import type { Tenant } from '../platform/tenant.js'
import { ofEnvironment, ofTenant } from '../platform/db/tenant-predicate.js'

/** The key of a session. */
interface SessionPlace {
  readonly accountId: string
  readonly environment: string
  readonly organizationId: string
  readonly sessionId: string
}

/** Ends a session; codes of an ended session are never exchanged. */
export async function endSession(
  deps: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  session: SessionPlace,
): Promise<void> {
  await endSessions(deps, trx, session)
    .where('organization_id', '=', session.organizationId)
    .where('id', '=', session.sessionId)
    .execute()
}

/**
 * Ends the sessions of a user, and their unfinished sign-ins: those that wait for a second factor, and flows, which
 * have a user once a factor has passed.
 *
 * @param keptFlowId The flow that causes this, which continues.
 */
export async function endSessionsOf(
  deps: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  userId: string,
  keptFlowId?: string,
): Promise<void> {
  await endSessions(deps, trx, tenant)
    .where('organization_id', '=', organizationIdOf(tenant))
    .where('user_id', '=', userId)
    .execute()
  await voidPendingSignIns(deps, trx, tenant, userId)
  await endFlowsOf(deps, trx, tenant, userId, keptFlowId)
}

/** Ends the open flows of a user, but one. */
export async function endFlowsOf(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  userId: string,
  keptFlowId: string | undefined,
): Promise<void> {
  await trx
    .updateTable('sign_in_flows')
    .set({ used_at: now() })
    .where(ofTenant(tenant))
    .where('user_id', '=', userId)
    .where('used_at', 'is', null)
    .$if(keptFlowId !== undefined, (query) => query.where('id', '!=', keptFlowId ?? ''))
    .execute()
}

async function voidPendingSignIns(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  userId: string,
): Promise<void> {
  await trx
    .updateTable('pending_sign_ins')
    .set({ used_at: now() })
    .where(ofTenant(tenant))
    .where('user_id', '=', userId)
    .where('used_at', 'is', null)
    .execute()
}

/** Ends the sessions of an application in the organizations that cannot use it; in all of them once it is deleted. */
export async function endUnusableSessions(
  deps: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  applicationId: string,
): Promise<void> {
  await endSessions(deps, trx, tenant)
    .where('application_id', '=', applicationId)
    .where(
      sql<boolean>`not exists (
        select from applications
        where applications.account_id = sessions.account_id
          and applications.environment = sessions.environment
          and applications.id = sessions.application_id
          and ${isUsableBy(sql.ref('sessions.organization_id'))}
      )`,
    )
    .execute()
}

/** Every end of sessions starts here, so that no query can forget its tenant; an ended session keeps its time. */
function endSessions(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  { accountId, environment }: Pick<SessionPlace, 'accountId' | 'environment'>,
) {
  return trx
    .updateTable('sessions')
    .set({ ended_at: now() })
    .where(ofEnvironment({ accountId, environment }))
    .where('ended_at', 'is', null)
}

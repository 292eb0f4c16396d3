import type { Environment } from '@portico/contract/fields'
import { sql } from 'kysely'
import { endSessions } from '../../directory/end-sessions.js'
import { isOrganizationOf, ofOwner, sameTenant } from '../../platform/db/tenant-predicate.js'
import { causeBy } from '../../platform/tenant.js'
import type { Deps } from '../../delivery/deps.js'
import { change } from '../../delivery/events/change.js'
import type { JobPayloads } from '../../delivery/jobs/job-names.js'
import { emitEnd } from './impersonations.js'
import { impersonationColumns } from './record.js'

/**
 * Ends an impersonation whose time is over, or whose session has ended for another reason, and tells of it once. Nothing
 * happens to one that has ended already.
 */
export async function endOverImpersonation(
  deps: Deps,
  { impersonationId, ...owner }: JobPayloads['end_impersonation'],
): Promise<void> {
  const cause = causeBy(impersonationId, 'system', 'impersonation')
  await change(deps, cause, async (trx) => {
    const at = deps.now()
    const endOfSession = sql<Date | null>`(
      select min(sessions.ended_at) from sessions
      where ${sameTenant('sessions', 'impersonations')} and sessions.impersonation_id = impersonations.id
    )`
    const row = await trx
      .updateTable('impersonations')
      .set({ ended_at: sql<Date>`coalesce(${endOfSession}, impersonations.expires_at)` })
      .from(['organizations', 'accounts'])
      .where(ofOwner(owner, 'impersonations'))
      .where('impersonations.id', '=', impersonationId)
      .where('impersonations.started_at', 'is not', null)
      .where('impersonations.ended_at', 'is', null)
      .where(sql<boolean>`(impersonations.expires_at <= ${at} or ${endOfSession} is not null)`)
      .where(isOrganizationOf('organizations', 'impersonations'))
      .whereRef('accounts.id', '=', 'impersonations.account_id')
      .returning([...impersonationColumns, 'organizations.domain', 'accounts.domain as account_domain'])
      .executeTakeFirst()
    if (row === undefined) return { record: undefined }
    const { accountId, environment } = owner
    await endSessions(
      deps,
      trx,
      { accountId, environment },
      sql`${ofOwner(owner, 'sessions')} and sessions.impersonation_id = ${impersonationId}`,
    )
    const tenant = tenantOf({ ...row, accountId, environment }, cause)
    return { record: await emitEnd(deps, trx, tenant, row) }
  })
}

function tenantOf(
  place: {
    readonly accountId: string
    readonly account_domain: string
    readonly environment: Environment
    readonly domain: string
  },
  cause: ReturnType<typeof causeBy>,
) {
  const { accountId, account_domain: accountDomain, environment, domain } = place
  return { accountId, accountDomain, environment, domain, organizationIds: null, cause }
}

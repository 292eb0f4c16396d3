import { accountPageIds } from '@portico/contract/sessions'
import { sql, type Kysely } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import { emit } from '../../delivery/events/emit.js'
import { enqueue } from '../../delivery/jobs/enqueue.js'
import { logEvent } from '../../delivery/log-events/log-event.js'
import { enqueueNotice } from '../../delivery/mail/notices.js'
import type { SessionOfUser } from '../../directory/sessions/sign-out.js'
import { removeUser } from '../../directory/users/change-user.js'
import type { DB } from '../../platform/db/schema.js'
import { ofTenant } from '../../platform/db/tenant-predicate.js'
import { normalizeEmail } from '../../platform/email.js'
import type { Tenant } from '../../platform/tenant.js'
import { findOwnAccount } from './own-account.js'
import { changeOwnAccount } from './own-session.js'

/** Deletes the user of a fresh session, who has typed their address, where the organization allows it. */
export function deleteOwnAccount(
  deps: Deps,
  tenant: Tenant,
  session: SessionOfUser,
  typedAddress: string,
): Promise<'deleted' | 'not_offered' | 'wrong_address' | 'stale'> {
  return changeOwnAccount(deps, tenant, session, 'fresh_session', async (within, trx) => {
    const account = await findOwnAccount(within, trx, tenant, session.userId)
    if (account?.isDeletionOffered !== true) return 'not_offered'
    const { organizationId, email } = account
    if (normalizeEmail(typedAddress) !== normalizeEmail(email)) return 'wrong_address'
    const owner = { accountId: tenant.accountId, environment: tenant.environment, organizationId }
    const { userId } = session
    await removeUser(within, trx, tenant, userId, undefined)
    await logEvent(within, trx, {
      ...tenant,
      ...owner,
      code: 'ACCOUNT_DELETED_BY_USER',
      clientId: accountPageIds[tenant.environment],
      email,
      userId,
    })
    await enqueueNotice(within, trx, { ...owner, userId, notice: 'account_deleted', cause: tenant.cause })
    return 'deleted'
  })
}

/** How long a request is open, in ms: by then administrators have decided, or have forgotten it. */
const requestLifetimeMs = 30 * 24 * 60 * 60 * 1000

/** When a user has asked for the deletion of their account; undefined where no request is open. */
export async function findDeletionRequest(
  { now }: Pick<Deps, 'now'>,
  db: Kysely<DB>,
  tenant: Tenant,
  userId: string,
): Promise<Date | undefined> {
  const row = await db
    .selectFrom('deletion_requests')
    .where(ofTenant(tenant))
    .where('user_id', '=', userId)
    .where('expires_at', '>', now())
    .select('inserted_at')
    .executeTakeFirst()
  return row?.inserted_at
}

/**
 * Asks the administrators to delete the user of a fresh session, where the organization wants to be asked. One request is open at
 * a time: its row decides.
 */
export function requestOwnDeletion(
  deps: Deps,
  tenant: Tenant,
  session: SessionOfUser,
): Promise<'asked' | 'not_offered' | 'open_already' | 'stale'> {
  return changeOwnAccount(deps, tenant, session, 'fresh_session', async (within, trx) => {
    const { userId } = session
    const account = await findOwnAccount(within, trx, tenant, userId)
    if (account?.isDeletionRequestOffered !== true) return 'not_offered'
    const { accountId, environment, domain } = tenant
    const { organizationId, email } = account
    const at = within.now()
    const times = { expires_at: new Date(at.getTime() + requestLifetimeMs), inserted_at: at }
    const row = await trx
      .insertInto('deletion_requests')
      .values({
        account_id: accountId,
        environment,
        organization_id: organizationId,
        user_id: userId,
        ...times,
      })
      .onConflict((conflict) =>
        conflict
          .constraint('deletion_requests_pkey')
          .doUpdateSet(times)
          .where(sql<boolean>`deletion_requests.expires_at <= ${at}`),
      )
      .returning(['expires_at', 'inserted_at'])
      .executeTakeFirst()
    if (row === undefined) return 'open_already'
    const clientId = accountPageIds[environment]
    const entry = { organizationId, code: 'ACCOUNT_DELETION_REQUESTED', clientId, email, userId } as const
    await logEvent(within, trx, { ...tenant, ...entry })
    await emit(within, trx, tenant, {
      code: 'user.deletion.request.success',
      record: {
        __type__: 'DeletionRequest',
        __domain__: domain,
        __environment__: environment,
        user_id: userId,
        expires_at: row.expires_at.toISOString(),
        inserted_at: row.inserted_at.toISOString(),
      },
      organizationId,
      subjectId: userId,
    })
    const payload = { accountId, environment, organizationId, userId }
    await enqueue(within, trx, { name: 'tell_admins_of_deletion_request', payload, accountId })
    return 'asked'
  })
}

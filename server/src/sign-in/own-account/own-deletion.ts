import { accountPageIds } from '@portico/contract/sessions'
import type { Deps } from '../../delivery/deps.js'
import { logEvent } from '../../delivery/log-events/log-event.js'
import { enqueueNotice } from '../../delivery/mail/notices.js'
import type { SessionOfUser } from '../../directory/sessions/sign-out.js'
import { removeUser } from '../../directory/users/change-user.js'
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
    const account = await findOwnAccount(trx, tenant, session.userId)
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

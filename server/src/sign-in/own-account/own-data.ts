import { accountPageIds } from '@portico/contract/sessions'
import type { Deps } from '../../delivery/deps.js'
import { limit } from '../../delivery/limits/limits.js'
import { logEvent } from '../../delivery/log-events/log-event.js'
import type { SessionOfUser } from '../../directory/sessions/sign-out.js'
import type { Tenant } from '../../platform/tenant.js'
import { findOwnAccount } from './own-account.js'
import { changeOwnAccount } from './own-session.js'

/** Each reads whatever is stored of its user. */
const downloads = limit('own-data', { windowSeconds: 24 * 60 * 60, most: () => 3 })

/**
 * Records that the user of a fresh session downloads what is stored of them.
 *
 * @throws ApiError `rate_limited` after three in a day.
 */
export async function beginOwnDownload(
  deps: Deps,
  tenant: Tenant,
  session: SessionOfUser,
): Promise<'begun' | 'switched_off' | 'stale'> {
  const { accountId, environment, domain } = tenant
  await deps.limits.take(downloads, { accountId, environment, domain, address: session.userId })
  return changeOwnAccount(deps, tenant, session, 'fresh_session', async (within, trx) => {
    const account = await findOwnAccount(within, trx, tenant, session.userId)
    if (account?.isSelfService !== true) return 'switched_off'
    await logEvent(within, trx, {
      ...tenant,
      organizationId: account.organizationId,
      code: 'ACCOUNT_DATA_DOWNLOADED',
      clientId: accountPageIds[environment],
      email: account.email,
      userId: session.userId,
    })
    return 'begun'
  })
}

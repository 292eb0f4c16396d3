import type { UserChanges } from '@portico/contract/user-input'
import type { Deps } from '../../delivery/deps.js'
import type { SessionOfUser } from '../../directory/sessions/sign-out.js'
import { updateUser } from '../../directory/users/users.js'
import type { Tenant } from '../../platform/tenant.js'
import { findOwnAccount } from './own-account.js'
import { changeOwnAccount } from './own-session.js'

/** Changes the names of the user of a session; `managed` where another system writes them. */
export function changeOwnNames(
  deps: Deps,
  tenant: Tenant,
  session: SessionOfUser,
  { profile }: Pick<UserChanges, 'profile'>,
): Promise<'changed' | 'managed' | 'stale'> {
  return changeOwnAccount(deps, tenant, session, 'session', async (within, trx) => {
    const account = await findOwnAccount(trx, tenant, session.userId)
    if (account?.isProfileManaged !== false) return 'managed'
    await updateUser(within, tenant, session.userId, { profile }, undefined)
    return 'changed'
  })
}

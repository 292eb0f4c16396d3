import type { UserChanges } from '@portico/contract/user-input'
import type { Deps } from '../../delivery/deps.js'
import type { SessionOfUser } from '../../directory/sessions/sign-out.js'
import { updateUser } from '../../directory/users/users.js'
import type { Tenant } from '../../platform/tenant.js'
import { findOwnAccount } from './own-account.js'
import { changeOwnAccount } from './own-session.js'

/** Changes the profile and the address of the user of a session; `managed` where another system writes them. */
export function changeOwnProfile(
  deps: Deps,
  tenant: Tenant,
  session: SessionOfUser,
  { profile, address }: Pick<UserChanges, 'profile' | 'address'>,
): Promise<'changed' | 'managed' | 'stale'> {
  return changeOwnAccount(deps, tenant, session, 'session', async (within, trx) => {
    const account = await findOwnAccount(within, trx, tenant, session.userId)
    if (account?.isProfileManaged !== false) return 'managed'
    // An address that somebody has written as one text would contradict its parts.
    const changes = { profile, address: address && { ...address, formatted: null } }
    await updateUser(within, tenant, session.userId, changes, undefined)
    return 'changed'
  })
}

import { accountPageIds } from '@portico/contract/sessions'
import type { Deps } from '../../delivery/deps.js'
import { productNameOf } from '../../platform/db/product-name.js'
import { isOrganizationOf } from '../../platform/db/tenant-predicate.js'
import { normalizeEmail } from '../../platform/email.js'
import type { Tenant } from '../../platform/tenant.js'
import type { SessionOfUser } from '../../directory/sessions/sign-out.js'
import { findUser } from '../../directory/users/signing-in-user.js'
import { usersOf } from '../../directory/users/whole-user.js'
import { forgetAttempts } from '../flows/attempts.js'
import { findNewPasswordFault, replacePassword } from '../password/new-password.js'
import type { PasswordFault } from '../password/policy.js'
import { findOwnAccount } from './own-account.js'
import { changeOwnAccount } from './own-session.js'

type PasswordOutcome = 'set' | 'not_offered' | 'needs_mailbox' | 'stale' | { readonly fault: PasswordFault }

/**
 * Sets the password of the user of a fresh session, or replaces it; the user's other sessions end.
 *
 * @throws ApiError `rate_limited` when there is no capacity to hash it.
 */
export async function setOwnPassword(
  deps: Deps,
  tenant: Tenant,
  session: SessionOfUser,
  plainText: string,
): Promise<PasswordOutcome> {
  const owner = await findOwner(deps, tenant, session.userId)
  const account = await findOwnAccount(deps, deps.db, tenant, session.userId)
  if (owner === undefined || account?.password.isOffered !== true) return 'not_offered'
  if (account.password.needsMailbox) return 'needs_mailbox'
  const fault = await findNewPasswordFault(deps, plainText, account.password.lengths, owner)
  if (fault !== undefined) return { fault }

  const hash = await deps.passwords.admit(tenant.domain, (hashes) => hashes.hash(plainText))
  const address = normalizeEmail(owner.email)
  const outcome = await changeOwnAccount(deps, tenant, session, 'fresh_session', async (within, trx) => {
    const user = await findUser(trx, tenant, address)
    const now = await findOwnAccount(within, trx, tenant, session.userId)
    if (user?.id !== session.userId || now?.password.isOffered !== true) return 'not_offered'
    if (now.password.needsMailbox) return 'needs_mailbox'
    await replacePassword(within, trx, tenant, {
      organizationId: owner.organization_id,
      applicationId: accountPageIds[tenant.environment],
      user,
      isLinkOpened: false,
      isLinkReturned: false,
      hash,
      kept: session,
    })
    return 'set'
  })
  if (outcome === 'set') await forgetAttempts(deps, { ...tenant, address })
  return outcome
}

function findOwner({ db }: Pick<Deps, 'db'>, tenant: Tenant, userId: string) {
  return usersOf(db, tenant)
    .innerJoin('organizations', (join) => join.on(isOrganizationOf('organizations', 'users')))
    .where('users.id', '=', userId)
    .select([
      'users.organization_id',
      'users.email',
      'users.profile',
      'organizations.name',
      'organizations.domain',
      productNameOf('organizations').as('product_name'),
    ])
    .executeTakeFirst()
}

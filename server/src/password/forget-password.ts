import type { Transaction } from 'kysely'
import { organizationIdOf } from '../db/organization-id.js'
import type { DB } from '../db/schema.js'
import type { Deps } from '../deps.js'
import type { Tenant } from '../tenant.js'
import { voidRenewals } from './open-request.js'

/** Forgets the password of a user, and voids the codes that whoever knew it was given to set another one. */
export async function forgetPassword(
  deps: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  userId: string,
): Promise<void> {
  await trx
    .deleteFrom('passwords')
    .where('account_id', '=', tenant.accountId)
    .where('environment', '=', tenant.environment)
    .where('organization_id', '=', organizationIdOf(tenant))
    .where('user_id', '=', userId)
    .execute()
  await voidRenewals(deps, trx, tenant, userId)
}

import type { Transaction } from 'kysely'
import type { DB } from '../platform/db/schema.js'
import type { Deps } from '../delivery/deps.js'
import type { Tenant } from '../platform/tenant.js'
import { ofTenant } from '../platform/db/tenant-predicate.js'

/** Deletes the password of a user, or one that was set since a time, and voids the renewals that were granted for it. */
export async function forgetPassword(
  deps: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  userId: string,
  { since }: { readonly since?: Date } = {},
): Promise<void> {
  await trx
    .deleteFrom('passwords')
    .where(ofTenant(tenant))
    .where('user_id', '=', userId)
    .$if(since !== undefined, (query) => query.where('set_at', '>', since ?? deps.now()))
    .execute()
  await voidRenewals(deps, trx, tenant, userId)
}

/** Ends the open requests of an address: a user with a new password needs no other. */
export async function voidPasswordRequests(
  deps: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  email: string,
): Promise<void> {
  await voidOpen(deps, trx, tenant).where('email_normalized', '=', email).execute()
}

/** Ends the open renewals of a user's password: each is worth the password for an hour. */
export async function voidRenewals(
  deps: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  userId: string,
): Promise<void> {
  await voidOpen(deps, trx, tenant)
    .where('user_id', '=', userId)
    .where('opened_at', 'is', null)
    .where('code_hash', 'is not', null)
    .execute()
}

/** Every end of requests starts here, so that no query can forget its tenant; a used request keeps its time. */
function voidOpen({ now }: Pick<Deps, 'now'>, trx: Transaction<DB>, tenant: Tenant) {
  return trx
    .updateTable('password_requests')
    .set({ used_at: now() })
    .where(ofTenant(tenant))
    .where('used_at', 'is', null)
}

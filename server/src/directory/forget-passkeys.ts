import type { Transaction } from 'kysely'
import type { DB } from '../platform/db/schema.js'
import { ofTenant } from '../platform/db/tenant-predicate.js'
import type { Tenant } from '../platform/tenant.js'

/** Deletes the passkeys of a user, which another person may have added. */
export async function forgetPasskeys(trx: Transaction<DB>, tenant: Tenant, userId: string): Promise<void> {
  await trx.deleteFrom('passkeys').where(ofTenant(tenant)).where('user_id', '=', userId).execute()
}

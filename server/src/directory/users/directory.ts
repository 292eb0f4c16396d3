import type { Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import type { Tenant } from '../../platform/tenant.js'
import { ofTenant } from '../../platform/db/tenant-predicate.js'

/** Removes a user from the directory that manages them, with its data; its names for the user are free again. */
export async function leaveDirectory(trx: Transaction<DB>, tenant: Tenant, userId: string): Promise<void> {
  await trx.deleteFrom('directory_users').where(ofTenant(tenant)).where('user_id', '=', userId).execute()
}

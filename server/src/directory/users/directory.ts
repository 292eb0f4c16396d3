import type { Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import type { Tenant } from '../../platform/tenant.js'
import { ofTenant } from '../../platform/db/tenant-predicate.js'

/** Takes a user out of the directory that keeps them, with what it says of them: its names of theirs are free again. */
export async function leaveDirectory(trx: Transaction<DB>, tenant: Tenant, userId: string): Promise<void> {
  await trx.deleteFrom('directory_users').where(ofTenant(tenant)).where('user_id', '=', userId).execute()
}

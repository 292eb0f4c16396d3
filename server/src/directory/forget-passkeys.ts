import type { Transaction } from 'kysely'
import type { DB } from '../platform/db/schema.js'
import { ofTenant } from '../platform/db/tenant-predicate.js'
import type { Tenant } from '../platform/tenant.js'

/** Deletes the passkeys of a user, which another person may have added, with their recovery codes, and what was begun to add one. */
export async function forgetPasskeys(trx: Transaction<DB>, tenant: Tenant, userId: string): Promise<void> {
  await trx.deleteFrom('passkeys').where(ofTenant(tenant)).where('user_id', '=', userId).execute()
  await forgetPasskeyCodes(trx, tenant, userId)
  await forgetCeremonies(trx, tenant, userId)
}

/** Deletes the recovery codes of a user's passkeys that were made after a time; all, where none is given. */
export async function forgetPasskeyCodes(
  trx: Transaction<DB>,
  tenant: Tenant,
  userId: string,
  since = new Date(0),
): Promise<void> {
  await trx
    .deleteFrom('passkey_recovery_codes')
    .where(ofTenant(tenant))
    .where('user_id', '=', userId)
    .where('inserted_at', '>', since)
    .execute()
}

/** Ends the recovery that an operator has opened: it is of the mailbox that the user had. */
export async function forgetRecovery(trx: Transaction<DB>, tenant: Tenant, userId: string): Promise<void> {
  await trx.deleteFrom('passkey_recoveries').where(ofTenant(tenant)).where('user_id', '=', userId).execute()
}

/** Ends the registrations and challenges of a user that pages of applications have begun. */
export async function forgetCeremonies(trx: Transaction<DB>, tenant: Tenant, userId: string): Promise<void> {
  await trx.deleteFrom('passkey_ceremonies').where(ofTenant(tenant)).where('user_id', '=', userId).execute()
}

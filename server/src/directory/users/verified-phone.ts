import { sql, type Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import type { Tenant } from '../../platform/tenant.js'
import { emitUserChange } from './signing-in-user.js'
import { ofTenant } from '../../platform/db/tenant-predicate.js'

/** Marks a telephone number as verified by a message, if it is still the user's primary one. */
export async function markPhoneNumberVerified(
  deps: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  { userId, phoneNumber }: { readonly userId: string; readonly phoneNumber: string },
): Promise<void> {
  const primary = JSON.stringify([{ value: phoneNumber, primary: true }])
  const verified = await trx
    .updateTable('users')
    .set({ phone_number_verified: true })
    .where(ofTenant(tenant))
    .where('id', '=', userId)
    .where('phone_number_verified', '=', false)
    .where(sql<boolean>`phone_numbers @> ${primary}::jsonb`)
    .returning('id')
    .executeTakeFirst()
  if (verified === undefined) return
  await emitUserChange(deps, trx, tenant, userId)
}

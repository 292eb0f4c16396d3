import type { Transaction } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import { forgetCeremonies, forgetPasskeyCodes } from '../../directory/forget-passkeys.js'
import { forgetPassword } from '../../directory/forget-password.js'
import type { DB } from '../../platform/db/schema.js'
import { ofTenant } from '../../platform/db/tenant-predicate.js'
import type { Tenant } from '../../platform/tenant.js'
import { removeIdentity } from '../identities/identities.js'
import { removePasskey } from '../passkeys/passkeys.js'
import { passkeysOf } from '../passkeys/rows.js'
import { removeTotpEnrollment } from '../totp/remove-enrollment.js'
import { enrollmentsOf } from '../totp/rows.js'

/**
 * Removes the ways to sign in that a user, whom the transaction has locked, has had only since a time: passkeys, accounts at social
 * providers, and the second factor with its recovery codes, each with its event and its mail, the recovery codes of passkeys, and the password. Whether or not another
 * way is left.
 */
export async function removeAddedSince(
  deps: Deps,
  trx: Transaction<DB>,
  tenant: Tenant,
  userId: string,
  since: Date,
): Promise<void> {
  const within = { ...deps, db: trx }
  await forgetPassword(deps, trx, tenant, userId, { since })
  await forgetCeremonies(trx, tenant, userId)
  await forgetPasskeyCodes(trx, tenant, userId, since)
  const passkeys = await passkeysOf(trx, tenant, userId)
    .where('passkeys.inserted_at', '>', since)
    .select('passkeys.id')
    .execute()
  for (const { id } of passkeys) await removePasskey(within, tenant, { userId, id }, undefined)
  const identities = await trx
    .selectFrom('user_identities')
    .where(ofTenant(tenant))
    .where('user_id', '=', userId)
    .where('kind', '=', 'social')
    .where('inserted_at', '>', since)
    .select('id')
    .execute()
  for (const { id } of identities)
    await removeIdentity(within, trx, tenant, { userId, id, needsOther: false, kinds: ['social'] })
  const enrollment = await enrollmentsOf(trx, tenant, userId)
    .where('validated_at', '>', since)
    .select('user_id')
    .executeTakeFirst()
  if (enrollment !== undefined)
    await removeTotpEnrollment(within, tenant, { userId, scopes: ['write:users'] })
}

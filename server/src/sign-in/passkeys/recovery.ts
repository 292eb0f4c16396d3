import {
  passkeyRecoverySeconds,
  type NewPasskeyRecovery,
  type PasskeyRecovery,
} from '@portico/contract/passkey-recovery'
import type { Deps } from '../../delivery/deps.js'
import { change, type Changed } from '../../delivery/events/change.js'
import { emit } from '../../delivery/events/emit.js'
import { logEvent } from '../../delivery/log-events/log-event.js'
import { enqueueNotice } from '../../delivery/mail/notices.js'
import { forgetPasskeyCodes } from '../../directory/forget-passkeys.js'
import { usersOf } from '../../directory/users/whole-user.js'
import { whyNotFound } from '../../platform/db/organization-id.js'
import { ownerColumns } from '../../platform/db/tenant-predicate.js'
import type { Tenant } from '../../platform/tenant.js'

/**
 * Opens the recovery of the passkeys of a user, or has it last anew: a sign-in that proves the mailbox adds one without them, once.
 *
 * @throws ApiError `organization_not_found`, `user_not_found`
 */
export function openPasskeyRecovery(
  deps: Deps,
  tenant: Tenant,
  { userId, reason }: NewPasskeyRecovery & { readonly userId: string },
): Promise<Changed<PasskeyRecovery>> {
  return change(deps, tenant.cause, async (trx) => {
    const user = await usersOf(trx, tenant)
      .where('users.id', '=', userId)
      .select(['users.organization_id', 'users.email'])
      .forNoKeyUpdate()
      .executeTakeFirst()
    if (user === undefined) throw await whyNotFound(trx, tenant, 'user_not_found')
    const { organization_id: organizationId, email } = user
    const { accountId, environment, domain } = tenant
    const at = deps.now()
    const opened = {
      reason,
      expires_at: new Date(at.getTime() + passkeyRecoverySeconds * 1000),
      inserted_at: at,
    }
    await trx
      .insertInto('passkey_recoveries')
      .values({ ...ownerColumns({ accountId, environment, organizationId }), user_id: userId, ...opened })
      .onConflict((conflict) => conflict.constraint('passkey_recoveries_pkey').doUpdateSet(opened))
      .execute()
    // They may be lost, or stolen, with the passkeys.
    await forgetPasskeyCodes(trx, tenant, userId)
    const owner = { accountId, environment, organizationId, userId }
    await enqueueNotice(deps, trx, { ...owner, notice: 'passkey_recovery_opened' })
    await logEvent(deps, trx, { ...tenant, organizationId, email, userId, code: 'PASSKEY_RECOVERY_OPENED' })
    return emit(deps, trx, tenant, {
      code: 'passkey.recovery.open.success',
      record: {
        __type__: 'PasskeyRecovery',
        __domain__: domain,
        __environment__: environment,
        user_id: userId,
        reason,
        expired_at: opened.expires_at.toISOString(),
        inserted_at: at.toISOString(),
      },
      organizationId,
      subjectId: userId,
    })
  })
}

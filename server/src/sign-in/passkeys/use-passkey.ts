import { sql, type Transaction } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import { emit } from '../../delivery/events/emit.js'
import { enqueueNotice } from '../../delivery/mail/notices.js'
import type { DB } from '../../platform/db/schema.js'
import type { Tenant } from '../../platform/tenant.js'
import type { ProvedPasskey } from './prove-passkey.js'
import { toPasskey } from './record.js'
import { updatePasskeyOf } from './rows.js'

/** Another use may overtake this one in another tab, in ms. */
const overtakenMs = 60_000

/**
 * Records the use of a passkey. A count that has not grown is refused: a copy of the authenticator may have counted it. Providers
 * that copy passkeys on purpose count on each device, or not at all.
 *
 * @returns Whether the passkey may be used; `disabled` where a copy of it has shown itself.
 */
export async function recordUse(
  deps: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  { userId, passkeyId, isBackedUp, signCount }: ProvedPasskey,
): Promise<'used' | 'refused' | 'disabled'> {
  const at = deps.now()
  const used = await updatePasskeyOf(trx, tenant, userId, passkeyId)
    .set({
      sign_count: sql`greatest(sign_count, ${signCount}::bigint)`,
      backed_up: isBackedUp,
      last_used_at: at,
    })
    .where('disabled_at', 'is', null)
    .where((is) =>
      is.or([
        is('synced', '=', true),
        is('sign_count', '<', String(signCount)),
        is.and([is('sign_count', '=', '0'), is.lit(signCount === 0)]),
      ]),
    )
    .executeTakeFirst()
  if (used !== undefined) return 'used'
  const disabled = await updatePasskeyOf(trx, tenant, userId, passkeyId)
    .set({ disabled_at: at, updated_at: at, version: sql`version + 1` })
    .where('disabled_at', 'is', null)
    .where(sql<boolean>`coalesce(last_used_at, inserted_at) < ${new Date(at.getTime() - overtakenMs)}`)
    .executeTakeFirst()
  if (disabled === undefined) return 'refused'
  const { accountId, environment } = tenant
  const organizationId = disabled.organization_id
  await enqueueNotice(deps, trx, {
    ...{ accountId, environment, organizationId, userId },
    notice: 'passkey_disabled',
  })
  await emit(deps, trx, tenant, {
    code: 'passkey.passkey.disable.success',
    record: toPasskey(disabled, tenant),
    version: disabled.version,
    organizationId,
    subjectId: userId,
  })
  return 'disabled'
}

import type { Transaction } from 'kysely'
import { seal } from '../../platform/crypto/seal.js'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { change } from '../../delivery/events/change.js'
import type { Flow } from '../flows/flow.js'
import { lockFlow } from '../flows/lock-flow.js'
import { moveFlow } from '../flows/step.js'
import { stepAfterFactors } from '../flows/pending-sign-in.js'
import type { Tenant } from '../../platform/tenant.js'
import { makeRecoveryCodes, toRecoveryDigests } from './recovery-codes.js'
import { updateEnrollment } from './rows.js'
import { enrollmentContext } from './sealed.js'
import { lockTotpUser, ownerOf, type TotpUser } from './totp-user.js'

/** A flow whose user has passed a first factor and has to enrol a second one. */
export type EnrollingFlow = Flow & { readonly userId: string }

/** Makes and stores recovery codes of a user, whom the transaction has locked. */
type MakeCodes = (
  deps: Pick<Deps, 'keys' | 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  user: TotpUser,
) => Promise<readonly string[]>

/** Makes new recovery codes for an enrolled user; the earlier ones become invalid. */
export async function replaceRecoveryCodes(
  { keys }: Pick<Deps, 'keys'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  user: TotpUser,
): Promise<readonly string[]> {
  const codes = makeRecoveryCodes()
  const context = enrollmentContext('recovery_codes', ownerOf(tenant, user))
  await updateEnrollment(trx, tenant, user.id)
    .set({ recovery_codes_sealed: seal(keys.master, context, toRecoveryDigests(codes)) })
    .where('validated_at', 'is not', null)
    .execute()
  return codes
}

/**
 * The same for the user of a flow who has just enrolled and has not confirmed yet that the codes are kept.
 *
 * @param replace Makes the codes: those of another second factor are kept elsewhere.
 * @returns Undefined when the flow has ended.
 */
export async function replaceRecoveryCodesInFlow(
  deps: Deps,
  tenant: Tenant,
  flow: EnrollingFlow,
  replace: MakeCodes = replaceRecoveryCodes,
): Promise<readonly string[] | undefined> {
  const { record } = await change(deps, tenant.cause, async (trx) => {
    const user = await lockTotpUser(trx, tenant, flow.userId)
    const held = await lockFlow(deps, trx, flow, { steps: ['recovery_codes'] })
    if (held?.user_id !== user.id) return { record: undefined }
    return { record: await replace(deps, trx, tenant, user) }
  })
  return record
}

/** Records that the user has kept the codes, and moves the flow on. */
export async function acknowledgeRecoveryCodes(
  deps: Deps,
  tenant: Tenant,
  flow: EnrollingFlow,
): Promise<void> {
  await change(deps, tenant.cause, async (trx) => {
    const user = await lockTotpUser(trx, tenant, flow.userId)
    const held = await lockFlow(deps, trx, flow, { steps: ['recovery_codes'] })
    if (held?.user_id !== user.id) return { record: undefined }
    await updateEnrollment(trx, tenant, user.id)
      .set({ last_recovery_acknowledgement_at: deps.now() })
      .where('validated_at', 'is not', null)
      .execute()
    const to = stepAfterFactors(held.is_renewal_due)
    await moveFlow(deps, trx, flow, { from: ['recovery_codes'], to })
    return { record: undefined }
  })
}

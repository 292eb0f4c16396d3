import type { Transaction } from 'kysely'
import { seal } from '../../platform/crypto/seal.js'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { change } from '../../delivery/events/change.js'
import type { Flow } from '../flows/flow.js'
import { holdFlow } from '../flows/hold.js'
import { moveFlow } from '../flows/step.js'
import { stepAfterFactors } from '../flows/pending-sign-in.js'
import type { Tenant } from '../../platform/tenant.js'
import { makeRecoveryCodes, toRecoveryDigests } from './recovery-codes.js'
import { updateEnrollment } from './rows.js'
import { enrollmentContext } from './sealed.js'
import { holdTotpUser, ownerOf, type TotpUser } from './totp-user.js'

/** A sign-in on our pages whose user has passed a first factor, and is to have a second one. */
export type EnrollingFlow = Flow & { readonly userId: string }

/** Makes other recovery codes for a user who is enrolled; of those before none is good any more. */
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
 * The same for the user of a sign-in on our pages who has just enrolled in it, and has not said yet that the codes are
 * kept.
 *
 * @returns Undefined when the sign-in is not there any more.
 */
export async function replaceRecoveryCodesInFlow(
  deps: Deps,
  tenant: Tenant,
  flow: EnrollingFlow,
): Promise<readonly string[] | undefined> {
  const { record } = await change(deps, tenant.cause, async (trx) => {
    const user = await holdTotpUser(trx, tenant, flow.userId)
    const held = await holdFlow(deps, trx, flow, { steps: ['recovery_codes'] })
    if (held?.user_id !== user.id) return { record: undefined }
    return { record: await replaceRecoveryCodes(deps, trx, tenant, user) }
  })
  return record
}

/** Notes that the user of a sign-in has kept the codes, and moves it on. */
export async function acknowledgeRecoveryCodes(
  deps: Deps,
  tenant: Tenant,
  flow: EnrollingFlow,
): Promise<void> {
  await change(deps, tenant.cause, async (trx) => {
    const user = await holdTotpUser(trx, tenant, flow.userId)
    const held = await holdFlow(deps, trx, flow, { steps: ['recovery_codes'] })
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

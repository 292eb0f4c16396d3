import type { TotpEnrollment } from '@portico/contract/totp'
import type { Kysely, Transaction } from 'kysely'
import { newId } from '../../platform/crypto/random.js'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { ApiError } from '../../platform/errors.js'
import { change } from '../../delivery/events/change.js'
import { holdsPasskey } from '../flows/holds-passkey.js'
import { lockFlow } from '../flows/lock-flow.js'
import { isFactorMissing, nextFactorOf, stepAfterFactors } from '../flows/pending-sign-in.js'
import { moveFlow } from '../flows/step.js'
import type { Tenant } from '../../platform/tenant.js'
import { beginEnrollment, countEnrollment, keyUriOf } from './enrollment.js'
import { replaceRecoveryCodes, type EnrollingFlow } from './replace-recovery-codes.js'
import { enrollmentsOf } from './rows.js'
import { enrollmentContext, openTotp } from './sealed.js'
import { getTotpUser, lockTotpUser, ownerOf, type TotpUser } from './totp-user.js'
import { tryFirstCode } from './validate-enrollment.js'

/**
 * Begins an enrolment for the user of a flow, as enrollTotp() does for the API. An enrolled user is not enrolled again.
 *
 * @returns Undefined when the flow has ended, or its user holds a passkey.
 * @throws ApiError as enrollTotp() does
 */
export async function enrollInFlow(
  deps: Deps,
  tenant: Tenant,
  flow: EnrollingFlow,
): Promise<TotpEnrollment | undefined> {
  const request = { userId: flow.userId, force_enroll: false, scopes: [] }
  await countEnrollment(deps, tenant, request)
  const { record } = await change(deps, tenant.cause, async (trx) => {
    const id = newId()
    // Locked before the flow, as everything that ends a user's sign-ins does.
    await lockTotpUser(trx, tenant, flow.userId)
    // A passkey is asked for instead, or recovered.
    if (await holdsPasskey(deps, trx, { tenant, userId: flow.userId })) return { record: undefined }
    const isThere = await moveFlow(deps, trx, flow, {
      from: ['enroll'],
      to: 'enroll',
      set: { enrollment_id: id },
    })
    return { record: isThere ? await beginEnrollment(deps, trx, tenant, { ...request, id }) : undefined }
  })
  return record
}

/** The enrolment of a flow, while it waits for its first code. */
interface PendingEnrollment {
  /** Null with text messages. */
  readonly uri: string | null
  readonly user: TotpUser
}

/**
 * Finds the flow's own pending enrolment, to show it again. Any other pending enrolment of the user stays hidden: its
 * secret may belong to somebody else.
 */
export async function findEnrollmentOfFlow(
  deps: Pick<Deps, 'config' | 'db' | 'keys' | 'now'>,
  tenant: Tenant,
  { userId, enrollmentId, step }: EnrollingFlow,
): Promise<PendingEnrollment | undefined> {
  if (enrollmentId === null || step !== 'enroll') return undefined
  const user = await getTotpUser(deps.db, tenant, userId)
  return mayEnroll(user) ? findPendingEnrollment(deps, tenant, user, enrollmentId) : undefined
}

/** The same by the id of the enrolment, which the browser has got from the page that began it. */
export async function findPendingEnrollment(
  deps: Pick<Deps, 'config' | 'db' | 'keys' | 'now'>,
  tenant: Tenant,
  user: TotpUser,
  enrollmentId: string,
): Promise<PendingEnrollment | undefined> {
  const row = await enrollmentsOf(deps.db, tenant, user.id)
    .where('pending_id', '=', enrollmentId)
    .where('pending_expires_at', '>', deps.now())
    .select('pending_secret_sealed as sealed')
    .executeTakeFirst()
  if (row === undefined) return undefined
  if (row.sealed === null) return { uri: null, user }
  const context = enrollmentContext('secret', ownerOf(tenant, user))
  return { uri: keyUriOf(deps, user, openTotp(deps.keys.master, context, row.sealed)), user }
}

/** `wrong`: another code may be sent; `over`: the enrolment has ended, or the user was enrolled elsewhere. */
type EnrollmentOutcome = 'wrong' | 'over' | { readonly recoveryCodes: readonly string[] }

/**
 * Validates the enrolment of a flow and moves the flow on with both factors, in one transaction.
 *
 * @returns The recovery codes, to be shown once.
 */
export async function validateInFlow(
  deps: Deps,
  tenant: Tenant,
  flow: EnrollingFlow,
  code: string,
): Promise<EnrollmentOutcome> {
  try {
    // A wrong code is counted, so an error must not roll its transaction back.
    const { record } = await change(deps, tenant.cause, async (trx) => ({
      record: await validate(deps, trx, tenant, flow, code),
    }))
    return record
  } catch (error) {
    if (error instanceof ApiError && error.code === 'totp_enrollment_not_found') return 'over'
    throw error
  }
}

async function validate(
  deps: Deps,
  trx: Transaction<DB>,
  tenant: Tenant,
  flow: EnrollingFlow,
  code: string,
): Promise<EnrollmentOutcome> {
  const user = await lockTotpUser(trx, tenant, flow.userId)
  const held = await lockFlow(deps, trx, flow, { steps: ['enroll'] })
  if (!mayEnroll(user) || held?.user_id !== user.id || held.enrollment_id === null) return 'over'
  // One that was added meanwhile is asked for instead.
  if (await holdsPasskey(deps, trx, { tenant, userId: user.id })) return 'over'
  const input = { code, recovery_codes_acknowledged: false }
  const validated = await tryFirstCode(deps, trx, tenant, {
    user,
    input,
    id: held.enrollment_id,
    kept: { flowId: held.flowId },
  })
  if (validated === undefined) return 'wrong'
  const recoveryCodes = await replaceRecoveryCodes(deps, trx, tenant, user)
  await moveFlow(deps, trx, flow, {
    from: ['enroll'],
    to: 'recovery_codes',
    set: {
      amr: [...held.amr, validated.method === 'sms' ? 'sms' : 'otp', 'mfa'],
      authenticated_at: deps.now(),
      enrollment_id: null,
    },
  })
  return { recoveryCodes }
}

/**
 * Leaves the enrolment of a flow for another sign-in, as long as nothing demands it now.
 *
 * @returns Whether the flow has moved on.
 */
export async function postponeEnrollment(deps: Deps, tenant: Tenant, flow: EnrollingFlow): Promise<boolean> {
  const { record } = await change(deps, tenant.cause, async (trx) => {
    const held = await lockFlow(deps, trx, flow, { steps: ['enroll'] })
    if (held?.user_id !== flow.userId) return { record: false }
    const proved = { userId: flow.userId, isMfaRequired: held.is_mfa_required, amr: held.amr }
    if (!(await mayPostponeEnrollment(deps, trx, tenant, proved))) return { record: false }
    const to = stepAfterFactors(held.is_renewal_due)
    return { record: await moveFlow(deps, trx, flow, { from: ['enroll'], to, set: { enrollment_id: null } }) }
  })
  return record
}

/** Whether nothing demands the enrolment of a flow now, nor the passkey that its user holds and recovers. */
export async function mayPostponeEnrollment(
  deps: Pick<Deps, 'config' | 'now'>,
  db: Kysely<DB>,
  tenant: Tenant,
  { userId, isMfaRequired, amr }: Pick<EnrollingFlow, 'userId' | 'isMfaRequired' | 'amr'>,
): Promise<boolean> {
  if (amr.includes('mfa')) return true
  return !isMfaRequired && !isFactorMissing(await nextFactorOf(deps, db, tenant, userId))
}

/** Whether a flow may enrol its user. A user who lacks the present second factor can never replace it. */
export function mayEnroll(user: TotpUser): boolean {
  return user.connection.active && mayEnrollBesides(user)
}

/** Whether a flow may enrol another second factor than codes: for the same reason not of who is asked for a code. */
export function mayEnrollBesides({ active, connection, enrolledMethod }: TotpUser): boolean {
  return active && (enrolledMethod === null || !connection.active)
}

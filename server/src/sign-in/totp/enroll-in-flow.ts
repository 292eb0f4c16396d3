import type { TotpEnrollment } from '@portico/contract/totp'
import type { Transaction } from 'kysely'
import { newId } from '../../platform/crypto/random.js'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { ApiError } from '../../platform/errors.js'
import { change } from '../../delivery/events/change.js'
import { holdFlow } from '../flows/hold.js'
import { moveFlow } from '../flows/step.js'
import type { Tenant } from '../../platform/tenant.js'
import { beginEnrollment, countEnrollment, keyUriOf } from './enrollment.js'
import { replaceRecoveryCodes, type EnrollingFlow } from './replace-recovery-codes.js'
import { enrollmentsOf } from './rows.js'
import { enrollmentContext, openTotp } from './sealed.js'
import { getTotpUser, holdTotpUser, ownerOf, type TotpUser } from './totp-user.js'
import { tryFirstCode } from './validate-enrollment.js'

/**
 * Begins an enrolment of the user of a sign-in on our pages, as enrollTotp() does for callers of the API; whoever is
 * enrolled is not enrolled anew.
 *
 * @returns Undefined when the sign-in is not there any more.
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
    // Held before the flow, as everything that ends a user's sign-ins does.
    await holdTotpUser(trx, tenant, flow.userId)
    const isThere = await moveFlow(deps, trx, flow, {
      from: ['enroll'],
      to: 'enroll',
      set: { enrollment_id: id },
    })
    return { record: isThere ? await beginEnrollment(deps, trx, tenant, { ...request, id }) : undefined }
  })
  return record
}

/** An enrolment that a sign-in has begun, while it waits for its first code. */
interface PendingEnrollment {
  /** Null with text messages. */
  readonly uri: string | null
  readonly user: TotpUser
}

/**
 * What is to be shown once more of the enrolment that a sign-in has begun: its own, and no other that waits for its
 * user, whose secret is somebody else's.
 */
export async function findEnrollmentOfFlow(
  deps: Pick<Deps, 'config' | 'db' | 'keys' | 'now'>,
  tenant: Tenant,
  { userId, enrollmentId, step }: EnrollingFlow,
): Promise<PendingEnrollment | undefined> {
  if (enrollmentId === null || step !== 'enroll') return undefined
  const user = await getTotpUser(deps.db, tenant, userId)
  if (!mayEnroll(user)) return undefined
  const row = await enrollmentsOf(deps.db, tenant, userId)
    .where('pending_id', '=', enrollmentId)
    .where('pending_expires_at', '>', deps.now())
    .select('pending_secret_sealed as sealed')
    .executeTakeFirst()
  if (row === undefined) return undefined
  if (row.sealed === null) return { uri: null, user }
  const context = enrollmentContext('secret', ownerOf(tenant, user))
  return { uri: keyUriOf(deps, user, openTotp(deps.keys.master, context, row.sealed)), user }
}

/** `wrong`: another code may be sent; `over`: nothing waits any more, or somebody else has enrolled the user. */
type EnrollmentOutcome = 'wrong' | 'over' | { readonly recoveryCodes: readonly string[] }

/**
 * Validates the enrolment that a sign-in has begun, and moves that on with both factors: all at once, or nothing of it.
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
    // A wrong code is counted, and so its transaction must not be rolled back by an error.
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
  const user = await holdTotpUser(trx, tenant, flow.userId)
  const held = await holdFlow(deps, trx, flow, { steps: ['enroll'] })
  if (!mayEnroll(user) || held?.user_id !== user.id || held.enrollment_id === null) return 'over'
  const input = { code, recovery_codes_acknowledged: false }
  const validated = await tryFirstCode(deps, trx, tenant, {
    user,
    input,
    id: held.enrollment_id,
    flowId: held.flowId,
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

/** Whether a sign-in may enrol its user: a second factor that is there is never replaced by who lacks it. */
export function mayEnroll({ active, connection, enrolledMethod }: TotpUser): boolean {
  return active && connection.active && enrolledMethod === null
}

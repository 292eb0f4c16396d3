import type { RefusalReason } from '@portico/contract/log-events'
import type { TotpEnrollmentValidation, TotpMethod, ValidatedTotpEnrollment } from '@portico/contract/totp'
import { sql, type Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { ApiError } from '../../platform/errors.js'
import { change } from '../../delivery/events/change.js'
import { emit } from '../../delivery/events/emit.js'
import { enqueueNotice } from '../../delivery/mail/notices.js'
import { voidRenewals } from '../../directory/forget-password.js'
import { endFlowsOf, endSessionsOf, type KeptSignIn } from '../../directory/end-sessions.js'
import type { Tenant } from '../../platform/tenant.js'
import { markPhoneNumberVerified } from '../../directory/users/verified-phone.js'
import { logTotp } from './log-totp.js'
import { enrollmentColumns, toValidatedTotpEnrollment } from './record.js'
import { updateEnrollment, updateOpenChallenges } from './rows.js'
import { enrollmentContext, openTotp } from './sealed.js'
import { isTextCode } from './text-code.js'
import { findStep } from './totp-code.js'
import { expiryOf, lockTotpUser, ownerOf, type TotpUser } from './totp-user.js'

/** Wrong codes that end a pending enrolment: the owner of the app or telephone needs one attempt. */
const maxFailures = 5

/** The columns of a pending enrolment, cleared. */
const nothingPending = {
  pending_id: null,
  pending_method: null,
  pending_secret_sealed: null,
  pending_code_sealed: null,
  pending_recovery_codes_sealed: null,
  pending_phone_number: null,
  pending_failures: 0,
  pending_at: null,
  pending_expires_at: null,
} as const

/**
 * Validates the pending enrolment of a user, which takes effect with its recovery codes. Replacing another one ends the
 * user's sessions, which may be an attacker's, and voids the codes to renew the password. A telephone is refused once
 * its number is no longer the user's primary one.
 *
 * @throws ApiError `organization_not_found`, `user_not_found`, `totp_enrollment_not_found`, `totp_code_rejected`
 */
export async function validateTotpEnrollment(
  deps: Deps,
  tenant: Tenant,
  userId: string,
  input: TotpEnrollmentValidation,
): Promise<{ record: ValidatedTotpEnrollment }> {
  // A wrong code is counted, so an error must not roll its transaction back.
  const { record } = await change(deps, tenant.cause, async (trx) => {
    const user = await lockTotpUser(trx, tenant, userId)
    return { record: await tryFirstCode(deps, trx, tenant, { user, input }) }
  })
  if (record === undefined) throw new ApiError('totp_code_rejected')
  return { record }
}

/** A first code as sent. */
interface FirstCode {
  /** Locked by the transaction. */
  readonly user: TotpUser
  readonly input: TotpEnrollmentValidation
  /** The enrolment to validate; undefined: the pending one. */
  readonly id?: string
  /** The sign-in in which it happens; the user's others end. */
  readonly kept?: KeptSignIn
}

/**
 * Validates an enrolment in a transaction, if its first code is right.
 *
 * @returns Undefined when the code is wrong, which is counted.
 * @throws ApiError `totp_enrollment_not_found`
 */
export async function tryFirstCode(
  deps: Deps,
  trx: Transaction<DB>,
  tenant: Tenant,
  { user, input, id, kept = {} }: FirstCode,
): Promise<ValidatedTotpEnrollment | undefined> {
  const pending = await takePendingAttempt(deps, trx, tenant, user, id)
  const step = lastStepOf(deps, tenant, user, pending, input.code)
  if (step !== undefined) return establish(deps, trx, tenant, { user, pending, step, input, kept })
  await refuse(deps, trx, tenant, user, pending)
  return undefined
}

type Pending = Awaited<ReturnType<typeof takePendingAttempt>>

/** Counts an attempt before its code is compared: of many concurrent ones, five are compared. */
async function takePendingAttempt(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  user: TotpUser,
  id: string | undefined,
) {
  const pending = await updateEnrollment(trx, tenant, user.id)
    .set({ pending_failures: sql`pending_failures + 1` })
    .where('pending_expires_at', '>', now())
    .$if(id !== undefined, (query) => query.where('pending_id', '=', id ?? ''))
    // A message read at a number that is no longer the user's verifies nothing.
    .where((is) =>
      is.or([is('pending_phone_number', 'is', null), is('pending_phone_number', '=', user.phoneNumber)]),
    )
    .returning([
      // Both are written together with the expiry.
      sql<TotpMethod>`pending_method`.as('method'),
      sql<Date>`pending_at`.as('at'),
      'pending_failures as failures',
      'pending_secret_sealed as secret_sealed',
      'pending_code_sealed as code_sealed',
      'pending_phone_number as phone_number',
    ])
    .executeTakeFirst()
  if (pending === undefined) throw new ApiError('totp_enrollment_not_found')
  return pending
}

/**
 * The last consumed step once the first code is right: its own, so that the code cannot sign in too.
 *
 * @returns Undefined when the code is wrong.
 */
function lastStepOf(
  { keys, now }: Pick<Deps, 'keys' | 'now'>,
  tenant: Tenant,
  user: TotpUser,
  { method, secret_sealed, code_sealed }: Pending,
  code: string,
): number | undefined {
  const owner = ownerOf(tenant, user)
  if (method === 'sms') {
    const sent = openTotp(keys.master, enrollmentContext('code', owner), code_sealed)
    return isTextCode(sent, code) ? 0 : undefined
  }
  const secret = openTotp(keys.master, enrollmentContext('secret', owner), secret_sealed)
  return findStep(secret, { code, at: now(), expirySeconds: expiryOf(user, method) })
}

async function refuse(
  deps: Deps,
  trx: Transaction<DB>,
  tenant: Tenant,
  user: TotpUser,
  { failures }: Pending,
): Promise<void> {
  const isOver = failures >= maxFailures
  if (isOver) await updateEnrollment(trx, tenant, user.id).set(nothingPending).execute()
  const reason: RefusalReason = isOver ? 'enrollment_voided' : 'enrollment_code_rejected'
  await logTotp(deps, trx, tenant, { user, code: 'END_USER_TOTP_FAILED', reason })
}

interface RightCode {
  readonly user: TotpUser
  readonly pending: Pending
  readonly step: number
  readonly input: TotpEnrollmentValidation
  readonly kept: KeptSignIn
}

async function establish(
  deps: Deps,
  trx: Transaction<DB>,
  tenant: Tenant,
  { user, pending, step, input, kept }: RightCode,
): Promise<ValidatedTotpEnrollment> {
  const at = deps.now()
  const row = await updateEnrollment(trx, tenant, user.id)
    .set({
      method: pending.method,
      secret_sealed: sql`pending_secret_sealed`,
      recovery_codes_sealed: sql`pending_recovery_codes_sealed`,
      enrolled_at: pending.at,
      validated_at: at,
      enrollment_nb: sql`enrollment_nb + 1`,
      last_step: step,
      failures: 0,
      locked_until: null,
      last_recovery_acknowledgement_at: input.recovery_codes_acknowledged ? at : null,
      ...nothingPending,
    })
    .returning(enrollmentColumns)
    .executeTakeFirstOrThrow()
  // Open challenges belong to the replaced enrolment.
  await updateOpenChallenges(trx, tenant, { userId: user.id, at }).set({ voided_at: at }).execute()
  if (user.enrolledMethod !== null) await endSessionsOf(deps, trx, tenant, user.id, kept)
  // A replacing enrolment has sent its notice when it began.
  if (user.enrolledMethod === null)
    await enqueueNotice(deps, trx, { ...ownerOf(tenant, user), notice: 'totp_enrolled', cause: tenant.cause })
  // A flow that has passed its factors would continue without this one.
  await endFlowsOf(deps, trx, tenant, user.id, kept.flowId)
  // A renewal was granted for the factors that existed before.
  await voidRenewals(deps, trx, tenant, user.id)
  if (pending.phone_number !== null)
    await markPhoneNumberVerified(deps, trx, tenant, { userId: user.id, phoneNumber: pending.phone_number })

  const answered = { user, method: pending.method, begunAt: pending.at, validatedAt: at }
  const record = toValidatedTotpEnrollment(row, tenant, answered)
  await emit(deps, trx, tenant, {
    code: 'totp.enrollment.validate.success',
    record,
    organizationId: user.organizationId,
    subjectId: user.id,
    email: user.email,
  })
  await logTotp(deps, trx, tenant, { user, code: 'TOTP_ENROLLED' })
  return record
}

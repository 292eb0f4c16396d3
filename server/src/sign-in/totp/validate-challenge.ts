import type { RefusalReason } from '@portico/contract/log-events'
import type { PassedTotpChallenge, TotpChallengeValidation, TotpMethod } from '@portico/contract/totp'
import { sql, type Transaction } from 'kysely'
import { newId } from '../../platform/crypto/random.js'
import { seal } from '../../platform/crypto/seal.js'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { ApiError } from '../../platform/errors.js'
import { change } from '../../delivery/events/change.js'
import { emit } from '../../delivery/events/emit.js'
import { enqueueNotice } from '../../delivery/mail/notices.js'
import { openRenewal } from '../password/open-request.js'
import { completePendingSignIn } from '../flows/pending-sign-in.js'
import type { Tenant } from '../../platform/tenant.js'
import { checkMayPass } from './challenge.js'
import { logTotp } from './log-totp.js'
import { withoutRecoveryCode } from './recovery-codes.js'
import { challengeColumns, toPassedTotpChallenge } from './record.js'
import { enrollmentsOf, isOfFlow, openChallengesOf, updateEnrollment, updateOpenChallenges } from './rows.js'
import { challengeContext, enrollmentContext, openTotp } from './sealed.js'
import { isTextCode } from './text-code.js'
import { findStep } from './totp-code.js'
import { expiryOf, lockTotpUser, ownerOf, type TotpUser } from './totp-user.js'

/** Consecutive wrong codes that lock a user. */
export const maxFailures = 5
export const lockMs = 15 * 60 * 1000

/** Why a code is refused: the reason for the log, and the error for the caller. */
interface Refusal {
  readonly reason: RefusalReason
  readonly error: ApiError
}

/** One validation, in its transaction. */
interface Validation {
  readonly deps: Deps
  readonly trx: Transaction<DB>
  readonly tenant: Tenant
  readonly user: TotpUser
  /** Null for the API. */
  readonly flowId: string | null
  readonly at: Date
}

/**
 * Validates a user's code against an open challenge and completes the sign-in that it belongs to. Single use: a code of
 * the app is consumed with every earlier step, a recovery code with its digest.
 *
 * @param flowId The flow in which the code was typed; null for the API, which answers no challenge of a flow.
 * @throws ApiError `organization_not_found`, `user_not_found`, `user_inactive`, `totp_inactive`, `totp_not_enrolled`,
 *   `totp_challenge_not_open`, `totp_locked`, `totp_code_rejected`
 */
export async function validateTotpChallenge(
  deps: Deps,
  tenant: Tenant,
  userId: string,
  input: TotpChallengeValidation,
  flowId: string | null = null,
): Promise<{ record: PassedTotpChallenge }> {
  // A wrong code is counted, so an error must not roll its transaction back.
  const { record: outcome } = await change(deps, tenant.cause, async (trx) => {
    const user = await lockTotpUser(trx, tenant, userId)
    checkMayPass(user)
    const result = await passOrRefuse({ deps, trx, tenant, user, flowId, at: deps.now() }, input)
    if ('reason' in result)
      await logTotp(deps, trx, tenant, { user, code: 'END_USER_TOTP_FAILED', reason: result.reason })
    return { record: result }
  })
  if ('reason' in outcome) throw outcome.error
  return { record: outcome }
}

/**
 * Uses a code of the app of a user whom the transaction has locked, where no sign-in asks for one. Wrong codes are counted with
 * those of sign-ins.
 */
export async function useAppCode(
  deps: Deps,
  trx: Transaction<DB>,
  tenant: Tenant,
  user: TotpUser,
  code: string,
): Promise<'right' | 'wrong' | 'locked'> {
  const validation = { deps, trx, tenant, user, flowId: null, at: deps.now() }
  const attempt = await takeAttempt(validation)
  if (attempt === undefined) return 'locked'
  if (!(await useStep(validation, { attempt, code }))) {
    const { reason } = await countWrongCode(validation, attempt)
    await logTotp(deps, trx, tenant, { user, code: 'END_USER_TOTP_FAILED', reason })
    return 'wrong'
  }
  await updateEnrollment(trx, tenant, user.id).set({ failures: 0, locked_until: null }).execute()
  return 'right'
}

async function passOrRefuse(
  validation: Validation,
  { code, request_id: requestId }: TotpChallengeValidation,
): Promise<PassedTotpChallenge | Refusal> {
  const challenge = await findOpenChallenge(validation, requestId)
  const attempt = challenge && (await takeAttempt(validation))
  if (challenge === undefined || attempt === undefined) return whyNotLookedAt(validation)
  const used = await useCode(validation, { challenge, attempt, code })
  return used === undefined ? countWrongCode(validation, attempt) : pass(validation, challenge, used)
}

function findOpenChallenge({ trx, tenant, user, flowId, at }: Validation, requestId: string | undefined) {
  return openChallengesOf(trx, tenant, { userId: user.id, at })
    .where(isOfFlow(flowId))
    .$if(requestId !== undefined, (query) => query.where('id', '=', requestId ?? ''))
    .select(['id', 'code_sealed', 'pending_sign_in_id', sql<TotpMethod>`method`.as('method')])
    .orderBy('inserted_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

type OpenChallenge = NonNullable<Awaited<ReturnType<typeof findOpenChallenge>>>

/** Counts an attempt before its code is compared, unless the user is locked: of concurrent ones, five are compared. */
function takeAttempt({ trx, tenant, user, at }: Validation) {
  return updateEnrollment(trx, tenant, user.id)
    .set({ failures: sql`failures + 1` })
    .where('validated_at', 'is not', null)
    .where((is) => is.or([is('locked_until', 'is', null), is('locked_until', '<=', at)]))
    .returning(['failures', 'secret_sealed', 'recovery_codes_sealed'])
    .executeTakeFirst()
}

type Attempt = NonNullable<Awaited<ReturnType<typeof takeAttempt>>>

/** Reports a lock even when no challenge is open. */
async function whyNotLookedAt({ trx, tenant, user, at }: Validation): Promise<Refusal> {
  const row = await enrollmentsOf(trx, tenant, user.id).select('locked_until').executeTakeFirst()
  const lockedMs = (row?.locked_until?.getTime() ?? 0) - at.getTime()
  if (lockedMs <= 0) return { reason: 'challenge_not_open', error: new ApiError('totp_challenge_not_open') }
  const retryAfterSeconds = Math.ceil(lockedMs / 1000)
  return { reason: 'locked', error: new ApiError('totp_locked', { retryAfterSeconds }) }
}

/** The kind of code that passed a challenge. */
interface UsedCode {
  /** A name of RFC 8176. */
  readonly amr: 'otp' | 'sms'
  readonly isRecoveryCode: boolean
}

interface Presented {
  readonly challenge: OpenChallenge
  readonly attempt: Attempt
  readonly code: string
}

/** Consumes a code of any kind; undefined when it is wrong. */
async function useCode(validation: Validation, presented: Presented): Promise<UsedCode | undefined> {
  if (!/^[0-9]{6}$/.test(presented.code))
    return (await useRecoveryCode(validation, presented)) ? { amr: 'otp', isRecoveryCode: true } : undefined
  const { method } = presented.challenge
  const isRight = method === 'sms' ? isCodeSent(validation, presented) : await useStep(validation, presented)
  return isRight ? { amr: method === 'sms' ? 'sms' : 'otp', isRecoveryCode: false } : undefined
}

/**
 * A text code is consumed with its challenge; without a message no text code is right. A code sent to a former number
 * is wrong: the present number is unverified, or its verification has voided the challenge.
 */
function isCodeSent({ deps, tenant, user }: Validation, { challenge, code }: Presented): boolean {
  if (challenge.code_sealed === null || !user.isPhoneNumberVerified) return false
  const context = challengeContext(challenge.id, ownerOf(tenant, user))
  return isTextCode(openTotp(deps.keys.master, context, challenge.code_sealed), code)
}

/** One statement consumes a step and every earlier one (RFC 6238 section 5.2: a code is good for one use). */
async function useStep(
  { deps, trx, tenant, user, at }: Validation,
  { attempt, code }: Pick<Presented, 'attempt' | 'code'>,
): Promise<boolean> {
  const context = enrollmentContext('secret', ownerOf(tenant, user))
  const secret = openTotp(deps.keys.master, context, attempt.secret_sealed)
  const step = findStep(secret, { code, at, expirySeconds: expiryOf(user, 'totp_mobile_app') })
  if (step === undefined) return false
  const taken = await updateEnrollment(trx, tenant, user.id)
    .set({ last_step: step })
    .where('last_step', '<', String(step))
    .returning('last_step')
    .executeTakeFirst()
  return taken !== undefined
}

/** One statement replaces the stored codes by the remaining ones. */
async function useRecoveryCode(
  { deps, trx, tenant, user, at }: Validation,
  { attempt, code }: Presented,
): Promise<boolean> {
  const owner = ownerOf(tenant, user)
  const context = enrollmentContext('recovery_codes', owner)
  const sealed = attempt.recovery_codes_sealed
  const left = withoutRecoveryCode(openTotp(deps.keys.master, context, sealed), code)
  if (left === undefined) return false
  const taken = await updateEnrollment(trx, tenant, user.id)
    .set({
      recovery_codes_sealed: seal(deps.keys.master, context, left),
      last_recovery_code_at: at,
    })
    .where('recovery_codes_sealed', '=', sealed)
    .returning('user_id')
    .executeTakeFirst()
  if (taken === undefined) return false
  await enqueueNotice(deps, trx, { ...owner, notice: 'recovery_code_used' })
  return true
}

/** The last of too many wrong codes locks the user, even for right codes. */
async function countWrongCode(
  { trx, tenant, user, at }: Validation,
  { failures }: Attempt,
): Promise<Refusal> {
  if (failures < maxFailures) return { reason: 'code_rejected', error: new ApiError('totp_code_rejected') }
  await updateEnrollment(trx, tenant, user.id)
    .set({ failures: 0, locked_until: new Date(at.getTime() + lockMs) })
    .execute()
  const error = new ApiError('totp_code_rejected', { retryAfterSeconds: lockMs / 1000 })
  return { reason: 'code_rejected', error }
}

async function pass(
  { deps, trx, tenant, user, at }: Validation,
  challenge: OpenChallenge,
  { amr, isRecoveryCode }: UsedCode,
): Promise<PassedTotpChallenge | Refusal> {
  await updateEnrollment(trx, tenant, user.id).set({ failures: 0, locked_until: null }).execute()
  const pendingSignInId = challenge.pending_sign_in_id
  const signIn =
    pendingSignInId === null
      ? null
      : await completePendingSignIn(deps, trx, tenant, { pendingSignInId, userId: user.id, amr })
  const open = updateOpenChallenges(trx, tenant, { userId: user.id, at }).where('id', '=', challenge.id)
  if (signIn === undefined) {
    await open.set({ voided_at: at }).execute()
    return { reason: 'sign_in_over', error: new ApiError('totp_challenge_not_open') }
  }
  const consumedChallenge = await open
    .set({ challenged_at: at, recovery_code_used: isRecoveryCode })
    .returning(challengeColumns)
    .executeTakeFirstOrThrow()

  const renewal = signIn?.renewal
  const record = toPassedTotpChallenge(consumedChallenge, tenant, {
    requestId: newId(),
    code: signIn?.code ?? null,
    renewalCode: renewal && (await openRenewal(deps, trx, tenant, { ...renewal, userId: user.id })),
    at,
  })
  await emit(deps, trx, tenant, {
    code: 'totp.challenge.validate.success',
    record,
    organizationId: user.organizationId,
    subjectId: user.id,
  })
  await logTotp(deps, trx, tenant, { user, code: 'END_USER_TOTP_SUCCESS' })
  return record
}

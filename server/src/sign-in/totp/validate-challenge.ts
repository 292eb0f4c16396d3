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
import { expiryOf, holdTotpUser, ownerOf, type TotpUser } from './totp-user.js'

/** As many wrong codes of a user, one after the other, lock them all for a while. */
const maxFailures = 5
const lockMs = 15 * 60 * 1000

/** Why a code was not taken, for the log, and what the caller is told. */
interface Refusal {
  readonly reason: string
  readonly error: ApiError
}

/** In whose transaction, and when. */
interface Scene {
  readonly deps: Deps
  readonly trx: Transaction<DB>
  readonly tenant: Tenant
  readonly user: TotpUser
  /** Null for the API. */
  readonly flowId: string | null
  readonly at: Date
}

/**
 * Checks the code of a user against an open challenge, once; the sign-in that it belongs to is then complete. A code of
 * the app, and any of an earlier step, is never taken again, and so is a recovery code.
 *
 * @param flowId The sign-in on our pages in which the code was typed; null: the API, which answers no challenge of the pages.
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
  // A wrong code is counted, and so its transaction must not be rolled back by an error.
  const { record: outcome } = await change(deps, tenant.cause, async (trx) => {
    const user = await holdTotpUser(trx, tenant, userId)
    checkMayPass(user)
    const result = await passOrRefuse({ deps, trx, tenant, user, flowId, at: deps.now() }, input)
    if ('reason' in result)
      await logTotp(deps, trx, tenant, { user, code: 'END_USER_TOTP_FAILED', reason: result.reason })
    return { record: result }
  })
  if ('reason' in outcome) throw outcome.error
  return { record: outcome }
}

async function passOrRefuse(
  scene: Scene,
  { code, request_id: requestId }: TotpChallengeValidation,
): Promise<PassedTotpChallenge | Refusal> {
  const challenge = await findOpenChallenge(scene, requestId)
  const attempt = challenge && (await takeAttempt(scene))
  if (challenge === undefined || attempt === undefined) return whyNotLookedAt(scene)
  const used = await useCode(scene, { challenge, attempt, code })
  return used === undefined ? countWrongCode(scene, attempt) : pass(scene, challenge, used)
}

function findOpenChallenge({ trx, tenant, user, flowId, at }: Scene, requestId: string | undefined) {
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

/** Counts a code before it is compared, unless the user is locked: of many that come together, five are. */
function takeAttempt({ trx, tenant, user, at }: Scene) {
  return updateEnrollment(trx, tenant, user.id)
    .set({ failures: sql`failures + 1` })
    .where('validated_at', 'is not', null)
    .where((is) => is.or([is('locked_until', 'is', null), is('locked_until', '<=', at)]))
    .returning(['failures', 'secret_sealed', 'recovery_codes_sealed'])
    .executeTakeFirst()
}

type Attempt = NonNullable<Awaited<ReturnType<typeof takeAttempt>>>

/** A user who is locked is told so, whether something is asked of them or not. */
async function whyNotLookedAt({ trx, tenant, user, at }: Scene): Promise<Refusal> {
  const row = await enrollmentsOf(trx, tenant, user.id).select('locked_until').executeTakeFirst()
  const lockedMs = (row?.locked_until?.getTime() ?? 0) - at.getTime()
  if (lockedMs <= 0) return { reason: 'challenge_not_open', error: new ApiError('totp_challenge_not_open') }
  const retryAfterSeconds = Math.ceil(lockedMs / 1000)
  return { reason: 'locked', error: new ApiError('totp_locked', { retryAfterSeconds }) }
}

/** By what a challenge was passed. */
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

/** Spends the code, whichever kind it is; undefined when it is none that is good. */
async function useCode(scene: Scene, presented: Presented): Promise<UsedCode | undefined> {
  if (!/^[0-9]{6}$/.test(presented.code))
    return (await useRecoveryCode(scene, presented)) ? { amr: 'otp', isRecoveryCode: true } : undefined
  const { method } = presented.challenge
  const isRight = method === 'sms' ? isCodeSent(scene, presented) : await useStep(scene, presented)
  return isRight ? { amr: method === 'sms' ? 'sms' : 'otp', isRecoveryCode: false } : undefined
}

/**
 * A code that was sent is spent with its challenge; of a challenge that none was sent for, none is right. Nor is one that
 * was sent to a number which is not the user's any more: no other has been verified since, which voids challenges.
 */
function isCodeSent({ deps, tenant, user }: Scene, { challenge, code }: Presented): boolean {
  if (challenge.code_sealed === null || !user.isPhoneNumberVerified) return false
  const context = challengeContext(challenge.id, ownerOf(tenant, user))
  return isTextCode(openTotp(deps.keys.master, context, challenge.code_sealed), code)
}

/** One statement takes a step, and with it every earlier one (RFC 6238 section 5.2: a code is good for one use). */
async function useStep(
  { deps, trx, tenant, user, at }: Scene,
  { attempt, code }: Presented,
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

/** One statement puts what is left in the place of what was there. */
async function useRecoveryCode(
  { deps, trx, tenant, user, at }: Scene,
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

/** The last of too many locks the user, whatever is sent then. */
async function countWrongCode({ trx, tenant, user, at }: Scene, { failures }: Attempt): Promise<Refusal> {
  if (failures < maxFailures) return { reason: 'code_rejected', error: new ApiError('totp_code_rejected') }
  await updateEnrollment(trx, tenant, user.id)
    .set({ failures: 0, locked_until: new Date(at.getTime() + lockMs) })
    .execute()
  const error = new ApiError('totp_code_rejected', { retryAfterSeconds: lockMs / 1000 })
  return { reason: 'code_rejected', error }
}

async function pass(
  { deps, trx, tenant, user, at }: Scene,
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
  const spent = await open
    .set({ challenged_at: at, recovery_code_used: isRecoveryCode })
    .returning(challengeColumns)
    .executeTakeFirstOrThrow()

  const renewal = signIn?.renewal
  const record = toPassedTotpChallenge(spent, tenant, {
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

import type { NewTotpChallenge, TotpChallenge, TotpMethod } from '@portico/contract/totp'
import type { Kysely } from 'kysely'
import { newId } from '../../platform/crypto/random.js'
import { seal } from '../../platform/crypto/seal.js'
import { insertFound } from '../../platform/db/insert-if.js'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { ApiError, invalid } from '../../platform/errors.js'
import { change, type Changed } from '../../delivery/events/change.js'
import { emit } from '../../delivery/events/emit.js'
import { checkMayBeSent } from '../../delivery/sms/deliver.js'
import { countSms } from '../../delivery/sms/sms-limits.js'
import { findPendingSignIn } from '../flows/pending-sign-in.js'
import type { Tenant } from '../../platform/tenant.js'
import { logTotp } from './log-totp.js'
import { challengeColumns, toTotpChallenge } from './record.js'
import { isOfFlow, updateOpenChallenges } from './rows.js'
import { challengeContext } from './sealed.js'
import { enqueueTextCode } from './send-code.js'
import { makeTextCode } from './text-code.js'
import { expiryOf, getTotpUser, lockTotpUser, ownerOf, type TotpUser } from './totp-user.js'
import { tenantColumns } from '../../platform/db/tenant-predicate.js'

/** Lifetime of a challenge that sends no message; codes of the app expire by themselves. */
const unsentLifetimeMs = 10 * 60 * 1000

/**
 * Creates a challenge for a user. A text message carries the code, which is in no answer, and voids the codes sent
 * before. With text messages and `send_code` false, only a recovery code passes: for users without their telephone.
 *
 * @param flowId The flow that asks; null for the API, which does not see the pending sign-ins of flows.
 * @throws ApiError `organization_not_found`, `user_not_found`, `user_inactive`, `totp_inactive`, `totp_not_enrolled`,
 *   `phone_number_unverified`, `phone_number_not_allowed`, `rate_limited`, and `invalid_parameters` for a
 *   password_request_id that is no pending sign-in of the user.
 */
export async function createTotpChallenge(
  deps: Deps,
  tenant: Tenant,
  userId: string,
  { password_request_id: pendingSignInId, send_code: isToBeSent }: NewTotpChallenge,
  flowId: string | null = null,
): Promise<Changed<TotpChallenge>> {
  const phoneNumber = checkChallenge(
    deps,
    tenant,
    await getTotpUser(deps.db, tenant, userId),
    isToBeSent,
  ).sentTo
  await findSignInToComplete(deps, deps.db, tenant, { userId, pendingSignInId, flowId })
  // Counted outside the transaction: a rollback would undo the count.
  const limit = phoneNumber === null ? undefined : await countSms(deps, { ...tenant, userId, phoneNumber })

  return change(deps, tenant.cause, async (trx) => {
    const at = deps.now()
    const user = await lockTotpUser(trx, tenant, userId)
    const { method, sentTo } = checkChallenge(deps, tenant, user, isToBeSent)
    const isSent = sentTo !== null
    const signIn = await findSignInToComplete(deps, trx, tenant, { userId, pendingSignInId, flowId })
    const owner = ownerOf(tenant, user)
    const id = newId()
    if (isSent) {
      const before = updateOpenChallenges(trx, tenant, { userId, at }).where(isOfFlow(flowId))
      await before.set({ voided_at: at }).execute()
    }
    const row = await insertFound(trx, 'totp_challenges', {
      ...tenantColumns(tenant),
      id,
      user_id: user.id,
      method,
      code_sealed: isSent ? seal(deps.keys.master, challengeContext(id, owner), makeTextCode()) : null,
      pending_sign_in_id: signIn?.id ?? null,
      expires_at: earlierOf(
        new Date(at.getTime() + (isSent ? expiryOf(user, 'sms') * 1000 : unsentLifetimeMs)),
        signIn?.expires_at,
      ),
      inserted_at: at,
    })
      .returning(challengeColumns)
      .executeTakeFirstOrThrow()
    if (isSent) await enqueueTextCode(deps, trx, { ...owner, of: 'challenge', id })

    const record = toTotpChallenge(row, tenant, id)
    await emit(deps, trx, tenant, {
      code: 'totp.challenge.create.success',
      record,
      organizationId: user.organizationId,
      subjectId: user.id,
    })
    await logTotp(deps, trx, tenant, { user, code: 'END_USER_TOTP_STARTED' })
    return { record, ...(limit !== undefined && { limit }) }
  })
}

/** The method of a challenge, and the number that it is sent to. */
interface AskedUser {
  readonly method: TotpMethod
  /** Null when no message is sent. */
  readonly sentTo: string | null
}

function checkChallenge(
  deps: Pick<Deps, 'config'>,
  tenant: Tenant,
  user: TotpUser,
  isToBeSent: boolean,
): AskedUser {
  const method = checkMayPass(user)
  if (method !== 'sms' || !isToBeSent) return { method, sentTo: null }
  const { phoneNumber, isPhoneNumberVerified } = user
  if (phoneNumber === null || !isPhoneNumberVerified) throw new ApiError('phone_number_unverified')
  checkMayBeSent(deps, tenant.environment, phoneNumber)
  return { method, sentTo: phoneNumber }
}

/**
 * Checks that the user may pass a second factor now.
 *
 * @returns The enrolled method.
 * @throws ApiError `user_inactive`, `totp_inactive`, `totp_not_enrolled`
 */
export function checkMayPass({ active, connection, enrolledMethod }: TotpUser): TotpMethod {
  if (!active) throw new ApiError('user_inactive')
  if (!connection.active) throw new ApiError('totp_inactive')
  if (enrolledMethod === null) throw new ApiError('totp_not_enrolled')
  return enrolledMethod
}

/** The pending sign-in that the code will complete; undefined when the request names no sign-in. */
async function findSignInToComplete(
  deps: Pick<Deps, 'now'>,
  db: Kysely<DB>,
  tenant: Tenant,
  {
    pendingSignInId,
    ...ofWhom
  }: {
    readonly userId: string
    readonly pendingSignInId: string | undefined
    readonly flowId: string | null
  },
) {
  if (pendingSignInId === undefined) return undefined
  const signIn = await findPendingSignIn(deps, db, tenant, { ...ofWhom, pendingSignInId })
  if (signIn === undefined)
    throw invalid(
      'password_request_id',
      'not_open',
      'must be the request_id of a password challenge of this user that waits for a code',
    )
  return signIn
}

function earlierOf(a: Date, b: Date | undefined): Date {
  return b !== undefined && b < a ? b : a
}

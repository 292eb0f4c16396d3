import type { TotpMethod } from '@portico/contract/totp'
import { sql } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import { ApiError } from '../../platform/errors.js'
import { findPendingSignIn } from '../flows/pending-sign-in.js'
import type { Tenant } from '../../platform/tenant.js'
import { checkMayPass, createTotpChallenge } from './challenge.js'
import { challengesOf, openChallengesOf } from './rows.js'
import { getTotpUser } from './totp-user.js'

/** A flow that waits for the second factor. */
interface WaitingSignIn {
  readonly userId: string
  readonly pendingSignInId: string
  readonly flowId: string
}

/** How a flow asks for the second factor. */
export interface FlowChallenge {
  readonly method: TotpMethod
  /** Whether a message was sent whose code is still valid. */
  readonly isSent: boolean
  /** The last digits of the number that receives messages; null when the user has no number. */
  readonly sentTo: string | null
  /** The open challenge; undefined when it has ended. */
  readonly challengeId: string | undefined
}

/**
 * The challenge of a flow. The first call creates it, with a text message if that is the user's method. If no message
 * can be sent, a recovery code still passes, and `refusal` has the reason.
 *
 * @param isToBeSent Whether it sends the message; false where the user has another way, and asks for one first.
 * @returns Undefined when the sign-in is no longer pending.
 * @throws ApiError `user_not_found`, `user_inactive`, `totp_inactive`, `totp_not_enrolled`
 */
export async function askOnce(
  deps: Deps,
  tenant: Tenant,
  signIn: WaitingSignIn,
  isToBeSent = true,
): Promise<(FlowChallenge & { readonly refusal?: ApiError }) | undefined> {
  const asked = await findFlowChallenge(deps, tenant, signIn)
  if (asked === undefined || asked.isAskedAlready) return asked
  try {
    await ask(deps, tenant, signIn, isToBeSent && asked.method === 'sms')
    return await findFlowChallenge(deps, tenant, signIn)
  } catch (error) {
    if (!(error instanceof ApiError) || !unsent.has(error.code)) throw error
    await ask(deps, tenant, signIn, false)
    const found = await findFlowChallenge(deps, tenant, signIn)
    return found && { ...found, refusal: error }
  }
}

/** Errors that prevent a message but not the sign-in: a recovery code still passes. */
const unsent: ReadonlySet<string> = new Set([
  'rate_limited',
  'phone_number_unverified',
  'phone_number_not_allowed',
])

/**
 * Creates a challenge for the second factor, with a new message if one is to be sent.
 *
 * @returns The id of the challenge.
 */
export async function ask(
  deps: Deps,
  tenant: Tenant,
  { userId, pendingSignInId, flowId }: WaitingSignIn,
  isToBeSent: boolean,
): Promise<string> {
  const input = { password_request_id: pendingSignInId, send_code: isToBeSent }
  const { record } = await createTotpChallenge(deps, tenant, userId, input, flowId)
  return record.request_id
}

/** The challenge of a flow, and whether it was ever asked for; undefined when the sign-in is no longer pending. */
export async function findFlowChallenge(
  deps: Pick<Deps, 'db' | 'now'>,
  tenant: Tenant,
  { userId, pendingSignInId, flowId }: WaitingSignIn,
): Promise<(FlowChallenge & { readonly isAskedAlready: boolean }) | undefined> {
  const user = await getTotpUser(deps.db, tenant, userId)
  const method = checkMayPass(user)
  const signIn = await findPendingSignIn(deps, deps.db, tenant, { userId, pendingSignInId, flowId })
  if (signIn === undefined) return undefined
  const [open, earlier] = await Promise.all([
    openChallengesOf(deps.db, tenant, { userId, at: deps.now() })
      .where('pending_sign_in_id', '=', pendingSignInId)
      .select(['id', sql<boolean>`(code_sealed is not null)`.as('is_sent')])
      .orderBy('inserted_at', 'desc')
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst(),
    challengesOf(deps.db, tenant, userId)
      .where('pending_sign_in_id', '=', pendingSignInId)
      .select('id')
      .limit(1)
      .executeTakeFirst(),
  ])
  return {
    method,
    isSent: open?.is_sent ?? false,
    sentTo: user.phoneNumber === null ? null : `••• ${user.phoneNumber.slice(-2)}`,
    challengeId: open?.id,
    isAskedAlready: earlier !== undefined,
  }
}

import type { TotpMethod } from '@portico/contract/totp'
import { sql } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import { ApiError } from '../../platform/errors.js'
import { findPendingSignIn } from '../flows/pending-sign-in.js'
import type { Tenant } from '../../platform/tenant.js'
import { checkMayPass, createTotpChallenge } from './challenge.js'
import { challengesOf, openChallengesOf } from './rows.js'
import { getTotpUser } from './totp-user.js'

/** A sign-in on our pages that waits for the second factor. */
interface WaitingSignIn {
  readonly userId: string
  readonly pendingSignInId: string
  readonly flowId: string
}

/** How the user of a sign-in is asked for the second factor. */
export interface FlowChallenge {
  readonly method: TotpMethod
  /** Whether a message was sent whose code is good still. */
  readonly isSent: boolean
  /** The end of the number that messages go to; null where the user has none. */
  readonly sentTo: string | null
  /** The challenge that waits for a code; undefined when the one that was has ended. */
  readonly challengeId: string | undefined
}

/**
 * How a sign-in asks for its second factor. The first time it is looked at it is asked for, by text message where these
 * are the user's way; where that cannot be, recovery codes pass all the same, and `refusal` says why.
 *
 * @returns Undefined when the sign-in does not wait any more.
 * @throws ApiError `user_not_found`, `user_inactive`, `totp_inactive`, `totp_not_enrolled`
 */
export async function askOnce(
  deps: Deps,
  tenant: Tenant,
  signIn: WaitingSignIn,
): Promise<(FlowChallenge & { readonly refusal?: ApiError }) | undefined> {
  const asked = await findFlowChallenge(deps, tenant, signIn)
  if (asked === undefined || asked.isAskedAlready) return asked
  try {
    await ask(deps, tenant, signIn, asked.method === 'sms')
    return await findFlowChallenge(deps, tenant, signIn)
  } catch (error) {
    if (!(error instanceof ApiError) || !unsent.has(error.code)) throw error
    await ask(deps, tenant, signIn, false)
    const found = await findFlowChallenge(deps, tenant, signIn)
    return found && { ...found, refusal: error }
  }
}

/** Why a message is not sent, while the user may pass in another way. */
const unsent: ReadonlySet<string> = new Set([
  'rate_limited',
  'phone_number_unverified',
  'phone_number_not_allowed',
])

/**
 * Asks for the second factor, by a new message where one is to be sent.
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

/** How a sign-in asks for its second factor, and whether it has; undefined when it does not wait any more. */
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

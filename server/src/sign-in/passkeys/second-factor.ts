import type { RefusalReason } from '@portico/contract/log-events'
import type { Transaction } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import { usersOf } from '../../directory/users/whole-user.js'
import { isLately } from '../../directory/sessions/lately.js'
import type { DB } from '../../platform/db/schema.js'
import { sameTenant } from '../../platform/db/tenant-predicate.js'
import type { Caller, Tenant } from '../../platform/tenant.js'
import type { Flow } from '../flows/flow.js'
import { completePendingSignIn } from '../flows/pending-sign-in.js'
import { challengesOf, toRequestOptions } from './ceremony.js'
import { findPasskeyOffer } from './offer.js'
import { findPasskeys, usableAt } from './passkeys.js'
import type { PasskeyProof, ProvedPasskey } from './prove-passkey.js'
import { settle } from './sign-in.js'
import { recordUse } from './use-passkey.js'

/** A flow that waits for the second factor of its user. */
export interface WaitingForPasskey {
  readonly userId: string
  readonly pendingSignInId: string
  readonly flowId: string
}

/**
 * What the page of a second factor asks of a browser: one of the user's passkeys, who is known by then.
 *
 * @returns Undefined where the user has none that can be used.
 */
export async function findSecondFactorOptions(
  deps: Deps,
  tenant: Tenant,
  flow: Flow,
  csrf: string,
): Promise<object | undefined> {
  const { organizationId, flowId, passkeyAttempt: attempt, userId } = flow
  const { passkeyRpId: rpId } = deps.config
  if (rpId === undefined || userId === null) return undefined
  const [offer, passkeys] = await Promise.all([
    findPasskeyOffer(deps.db, tenant, userId),
    findPasskeys(deps, tenant, userId),
  ])
  const known = usableAt(rpId, passkeys)
  if (offer?.isActive !== true || known.length === 0) return undefined
  const ceremony = { purpose: 'passkey_second_factor', organizationId, id: flowId, csrf, attempt } as const
  const [challenge] = challengesOf(deps, ceremony)
  const isVerificationRequired = makesFresh(flow, deps.now())
  return toRequestOptions({ challenge, rpId, known, isVerificationRequired })
}

/**
 * Whether the passkey would make what its user has done long ago a fresh sign-in: a touch of a key that was left in an unattended
 * device does not show that they are there.
 */
function makesFresh({ authenticatedAt }: Flow, at: Date): boolean {
  return authenticatedAt !== null && !isLately(at, authenticatedAt)
}

/**
 * Moves a flow on by a passkey of its user, after another first factor.
 *
 * @returns Undefined when it has; else why not, which the page does not tell.
 */
export function passByPasskey(
  deps: Deps,
  caller: Caller & Tenant,
  flow: Flow,
  signIn: WaitingForPasskey,
  proof: PasskeyProof,
): Promise<RefusalReason | undefined> {
  return settle(deps, caller, flow, proof, async (trx, proved) =>
    makesFresh(flow, deps.now()) && !proved.isVerified
      ? 'passkey_wrong'
      : complete(deps, trx, caller, signIn, proved),
  )
}

async function complete(
  deps: Deps,
  trx: Transaction<DB>,
  tenant: Tenant,
  { userId, pendingSignInId }: WaitingForPasskey,
  proved: ProvedPasskey,
): Promise<RefusalReason | undefined> {
  const refused = await useAsSecondFactor(deps, trx, tenant, userId, proved)
  if (refused !== undefined) return refused
  const completed = await completePendingSignIn(deps, trx, tenant, { pendingSignInId, userId, amr: 'pop' })
  return completed === undefined ? 'sign_in_over' : undefined
}

/**
 * Uses a proved passkey besides another first factor of a user, whom it locks.
 *
 * @returns Why it is not their second factor; undefined when it is.
 */
export async function useAsSecondFactor(
  deps: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  userId: string,
  proved: ProvedPasskey,
): Promise<RefusalReason | undefined> {
  // Somebody else's passkey, with the first factor of this user.
  if (proved.userId !== userId) return 'passkey_wrong'
  // Locked, so that a deactivation or a removal either precedes the sign-in or ends it.
  const user = await usersOf(trx, tenant)
    .leftJoin('passkey_connections as connection', (join) => join.on(sameTenant('connection', 'users')))
    .where('users.id', '=', userId)
    .select(['users.active', 'connection.active as is_offered'])
    .forNoKeyUpdate('users')
    .executeTakeFirst()
  if (user === undefined) return 'user_not_found'
  if (!user.active) return 'user_inactive'
  if (user.is_offered !== true) return 'passkeys_inactive'
  const use = await recordUse(deps, trx, tenant, proved)
  if (use === 'used') return undefined
  return use === 'disabled' ? 'passkey_disabled' : 'passkey_wrong'
}

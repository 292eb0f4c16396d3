import type { LogEventCode, RefusalReason } from '@portico/contract/log-events'
import { sql, type Kysely, type Transaction } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import { change } from '../../delivery/events/change.js'
import { logEvent } from '../../delivery/log-events/log-event.js'
import { enqueueNotice } from '../../delivery/mail/notices.js'
import { isLately } from '../../directory/sessions/lately.js'
import { open, seal } from '../../platform/crypto/seal.js'
import type { DB } from '../../platform/db/schema.js'
import { ofTenant } from '../../platform/db/tenant-predicate.js'
import type { Tenant } from '../../platform/tenant.js'
import type { Flow } from '../flows/flow.js'
import { holdsPasskey } from '../flows/holds-passkey.js'
import { lockFlow } from '../flows/lock-flow.js'
import { endPendingSignIn } from '../flows/pending-sign-in.js'
import { moveFlow } from '../flows/step.js'
import { mayEnrollBesides } from '../totp/enroll-in-flow.js'
import { withoutRecoveryCode } from '../totp/recovery-codes.js'
import type { EnrollingFlow } from '../totp/replace-recovery-codes.js'
import { getTotpUser, lockTotpUser, ownerOf, type TotpUser } from '../totp/totp-user.js'
import { lockMs, maxFailures } from '../totp/validate-challenge.js'
import { countPasskeyCodes, passkeyCodesContext } from './recovery-codes.js'

/** `wrong`: another one may be typed; `over`: the sign-in has ended, or takes no recovery code. */
type UsedCode = 'used' | 'wrong' | 'over' | { readonly retryAfterSeconds: number }

/** Whether the user of a flow that waits for a passkey has a recovery code that takes its place. */
export async function mayUsePasskeyCode(
  deps: Pick<Deps, 'config' | 'db' | 'keys' | 'now'>,
  tenant: Tenant,
  { userId, authenticatedAt }: Pick<Flow, 'userId' | 'authenticatedAt'>,
): Promise<boolean> {
  if (userId === null) return false
  const user = await getTotpUser(deps.db, tenant, userId)
  if (!(await isRecoverable(deps, deps.db, tenant, { user, authenticatedAt }))) return false
  return (await countPasskeyCodes(deps, deps.db, tenant, userId)) > 0
}

/**
 * Uses a recovery code of the user of a flow that waits for their passkey, and moves the flow on to the page that adds another one.
 * It is no second factor: without that passkey, the sign-in does not end.
 */
export async function usePasskeyCode(
  deps: Deps,
  tenant: Tenant,
  flow: EnrollingFlow,
  code: string,
): Promise<UsedCode> {
  // A wrong code is counted, so it must not roll the transaction back; a right one of a sign-in that is over stays good.
  try {
    const { record } = await change(deps, tenant.cause, async (trx) => ({
      record: await useInFlow(deps, trx, tenant, flow, code),
    }))
    return record
  } catch (error) {
    if (error === signInOver) return 'over'
    throw error
  }
}

/** Thrown, so that the transaction takes nothing. */
const signInOver = new Error('the sign-in of the code is over')

async function useInFlow(
  deps: Deps,
  trx: Transaction<DB>,
  tenant: Tenant,
  flow: EnrollingFlow,
  typed: string,
): Promise<UsedCode> {
  const user = await lockTotpUser(trx, tenant, flow.userId)
  const held = await lockFlow(deps, trx, flow, { steps: ['totp'] })
  if (held?.user_id !== user.id) return 'over'
  const proof = { user, authenticatedAt: held.authenticated_at }
  if (!(await isRecoverable(deps, trx, tenant, proof))) return 'over'
  const log = (code: LogEventCode, reason: RefusalReason | null = null) =>
    logEvent(deps, trx, {
      ...{ ...tenant, organizationId: user.organizationId, clientId: held.application_id },
      ...{ email: user.email, userId: user.id, code, reason },
    })
  const { pending_sign_in_id: pendingSignInId } = held
  if (pendingSignInId === null) return 'over'
  const used = await useCode(deps, trx, tenant, user, typed)
  if (used === 'used' && !(await endPendingSignIn(deps, trx, tenant, { pendingSignInId, userId: user.id })))
    throw signInOver
  if (used !== 'used') {
    await log('END_USER_PASSKEY_FAILED', used === 'wrong' ? 'code_rejected' : 'locked')
    return used
  }
  await moveFlow(deps, trx, flow, {
    from: ['totp'],
    to: 'enroll',
    set: { is_recovery_code_used: true, pending_sign_in_id: null },
  })
  await enqueueNotice(deps, trx, { ...ownerOf(tenant, user), notice: 'passkey_recovery_code_used' })
  await log('PASSKEY_RECOVERY_CODE_USED')
  return 'used'
}

/** A user, and when they have passed the first factor. */
interface FirstFactorOfUser {
  readonly user: TotpUser
  readonly authenticatedAt: Date | null
}

/**
 * Whether a sign-in can go on by a recovery code: its user has just shown that they are there, which a session of long ago does not,
 * holds a passkey, and is asked for no code of TOTP.
 */
async function isRecoverable(
  deps: Pick<Deps, 'config' | 'now'>,
  db: Kysely<DB>,
  tenant: Tenant,
  { user, authenticatedAt }: FirstFactorOfUser,
): Promise<boolean> {
  if (authenticatedAt === null || !isLately(deps.now(), authenticatedAt)) return false
  return mayEnrollBesides(user) && holdsPasskey(deps, db, { tenant, userId: user.id })
}

/** Counts an attempt before its code is compared: of concurrent ones, five are. One statement replaces the stored codes by those that are left. */
async function useCode(
  { keys, now }: Pick<Deps, 'keys' | 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  user: TotpUser,
  code: string,
): Promise<Exclude<UsedCode, 'over'>> {
  const at = now()
  const attempt = await codesOf(trx, tenant, user.id)
    .set({ failures: sql`failures + 1` })
    .where((is) => is.or([is('locked_until', 'is', null), is('locked_until', '<=', at)]))
    .returning(['failures', 'codes_sealed'])
    .executeTakeFirst()
  if (attempt === undefined) return whyNotCompared(trx, tenant, user.id, at)
  const { codes_sealed: sealed, failures } = attempt
  const context = passkeyCodesContext(ownerOf(tenant, user))
  const left = withoutRecoveryCode(open(keys.master, context, sealed), code)
  const taken =
    left &&
    (await codesOf(trx, tenant, user.id)
      .set({ codes_sealed: seal(keys.master, context, left), failures: 0, locked_until: null })
      .where('codes_sealed', '=', sealed)
      .returning('user_id')
      .executeTakeFirst())
  if (taken !== undefined) return 'used'
  if (failures < maxFailures) return 'wrong'
  await codesOf(trx, tenant, user.id)
    .set({ failures: 0, locked_until: new Date(at.getTime() + lockMs) })
    .execute()
  return { retryAfterSeconds: lockMs / 1000 }
}

function codesOf(trx: Transaction<DB>, tenant: Tenant, userId: string) {
  return trx.updateTable('passkey_recovery_codes').where(ofTenant(tenant)).where('user_id', '=', userId)
}

/** A user without codes has typed a wrong one. */
async function whyNotCompared(
  trx: Transaction<DB>,
  tenant: Tenant,
  userId: string,
  at: Date,
): Promise<'wrong' | { readonly retryAfterSeconds: number }> {
  const row = await trx
    .selectFrom('passkey_recovery_codes')
    .where(ofTenant(tenant))
    .where('user_id', '=', userId)
    .select('locked_until')
    .executeTakeFirst()
  const lockedMs = (row?.locked_until?.getTime() ?? 0) - at.getTime()
  return lockedMs <= 0 ? 'wrong' : { retryAfterSeconds: Math.ceil(lockedMs / 1000) }
}

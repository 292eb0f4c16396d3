import { sql, type Transaction } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import { enqueueNotice } from '../../delivery/mail/notices.js'
import { newId } from '../../platform/crypto/random.js'
import type { DB } from '../../platform/db/schema.js'
import { ofTenant } from '../../platform/db/tenant-predicate.js'
import type { Tenant } from '../../platform/tenant.js'
import type { SessionOfUser } from '../../directory/sessions/sign-out.js'
import { beginEnrollment, countEnrollment } from '../totp/enrollment.js'
import { removeTotpEnrollment } from '../totp/remove-enrollment.js'
import { replaceRecoveryCodes } from '../totp/replace-recovery-codes.js'
import { updateEnrollment } from '../totp/rows.js'
import { lockTotpUser } from '../totp/totp-user.js'
import { tryFirstCode } from '../totp/validate-enrollment.js'
import { findOwnAccount } from './own-account.js'
import { changeOwnAccount } from './own-session.js'

/** A fresh session replaces a factor as an API key that writes users does. */
const scopes = ['write:users'] as const

/** An enrolment that waits for its first code, by the id that its page sends back. */
interface BegunEnrollment {
  readonly enrollmentId: string
  /** The key URI of the app; null with text messages. */
  readonly uri: string | null
}

/**
 * Begins an enrolment of the user of a fresh session, also in place of the one that they have, which stays until then.
 *
 * @throws ApiError As enrollTotp() does.
 */
export async function beginOwnEnrollment(
  deps: Deps,
  tenant: Tenant,
  session: SessionOfUser,
): Promise<BegunEnrollment | 'stale'> {
  const request = { userId: session.userId, force_enroll: true, scopes }
  await countEnrollment(deps, tenant, request)
  return changeOwnAccount(deps, tenant, session, 'fresh_session', async (within, trx) => {
    const enrollmentId = newId()
    const { uri } = await beginEnrollment(within, trx, tenant, { ...request, id: enrollmentId })
    return { enrollmentId, uri }
  })
}

/**
 * Validates the enrolment that this page has begun; the user's other sessions end where it replaces one.
 *
 * @returns The recovery codes, to be shown once.
 * @throws ApiError `totp_enrollment_not_found`
 */
export async function validateOwnEnrollment(
  deps: Deps,
  tenant: Tenant,
  session: SessionOfUser,
  { enrollmentId, code }: { readonly enrollmentId: string; readonly code: string },
): Promise<'wrong' | 'stale' | { readonly recoveryCodes: readonly string[] }> {
  // A wrong code is counted, so it must not roll the transaction back.
  return changeOwnAccount(deps, tenant, session, 'fresh_session', async (within, trx) => {
    const user = await lockTotpUser(trx, tenant, session.userId)
    const input = { code, recovery_codes_acknowledged: false }
    const validated = await tryFirstCode(within, trx, tenant, {
      user,
      input,
      id: enrollmentId,
      kept: session,
    })
    if (validated === undefined) return 'wrong'
    await addSecondFactor(trx, tenant, session, validated.method === 'sms' ? 'sms' : 'otp')
    return { recoveryCodes: await replaceRecoveryCodes(within, trx, tenant, user) }
  })
}

/** The code that was proved counts for the session, which would be asked for another one before its next change. */
async function addSecondFactor(
  trx: Transaction<DB>,
  tenant: Tenant,
  { userId, sessionId }: SessionOfUser,
  name: 'otp' | 'sms',
): Promise<void> {
  await trx
    .updateTable('sessions')
    .set({ amr: sql<string[]>`amr || ${[name, 'mfa']}::text[]` })
    .where(ofTenant(tenant))
    .where('id', '=', sessionId)
    .where('user_id', '=', userId)
    .where(sql<boolean>`not 'mfa' = any(amr)`)
    .execute()
}

/** Makes new recovery codes for the user of a fresh session; undefined where they have no second factor. */
export function renewOwnRecoveryCodes(
  deps: Deps,
  tenant: Tenant,
  session: SessionOfUser,
): Promise<readonly string[] | undefined | 'stale'> {
  return changeOwnAccount(deps, tenant, session, 'fresh_session', async (within, trx) => {
    const user = await lockTotpUser(trx, tenant, session.userId)
    if (user.enrolledMethod === null) return undefined
    const { accountId, environment } = tenant
    const owner = { accountId, environment, organizationId: user.organizationId, userId: user.id }
    await enqueueNotice(within, trx, { ...owner, notice: 'recovery_codes_renewed', cause: tenant.cause })
    return replaceRecoveryCodes(within, trx, tenant, user)
  })
}

/** Records that the user of a session has kept the recovery codes. */
export async function acknowledgeOwnRecoveryCodes(
  deps: Deps,
  tenant: Tenant,
  session: SessionOfUser,
): Promise<void> {
  await changeOwnAccount(deps, tenant, session, 'session', async (within, trx) => {
    await updateEnrollment(trx, tenant, session.userId)
      .set({ last_recovery_acknowledgement_at: within.now() })
      .where('validated_at', 'is not', null)
      .execute()
  })
}

/**
 * Removes the second factor of the user of a fresh session; the user's other sessions end.
 *
 * @returns `demanded` where the organization demands one, which is replaced instead.
 * @throws ApiError `totp_enrollment_not_found`
 */
export function removeOwnSecondFactor(
  deps: Deps,
  tenant: Tenant,
  session: SessionOfUser,
): Promise<'removed' | 'demanded' | 'stale'> {
  return changeOwnAccount(deps, tenant, session, 'fresh_session', async (within, trx) => {
    const account = await findOwnAccount(within, trx, tenant, session.userId)
    if (account?.isSecondFactorDemanded !== false) return 'demanded'
    await removeTotpEnrollment(within, tenant, { userId: session.userId, scopes, kept: session })
    return 'removed'
  })
}

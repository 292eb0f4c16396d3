import type { TotpMethod, ValidatedTotpEnrollment } from '@portico/contract/totp'
import { sql } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import { ApiError } from '../../platform/errors.js'
import { change, type Changed } from '../../delivery/events/change.js'
import { emit } from '../../delivery/events/emit.js'
import { enqueueNotice } from '../../delivery/mail/notices.js'
import { endSessionsOf, type KeptSignIn } from '../../directory/end-sessions.js'
import { voidRenewals } from '../../directory/forget-password.js'
import type { Caller, Tenant } from '../../platform/tenant.js'
import { logTotp } from './log-totp.js'
import { enrollmentColumns, toValidatedTotpEnrollment } from './record.js'
import { deleteEnrollment, updateOpenChallenges } from './rows.js'
import { lockTotpUser, ownerOf } from './totp-user.js'

/** The user whose enrolment is removed, and the scopes of the caller. */
interface EnrollmentRemoval {
  readonly userId: string
  readonly scopes: Caller['scopes']
  /** The sign-in in which it happens; the user's others end. */
  readonly kept?: KeptSignIn
}

/**
 * Removes the validated enrolment of a user, and with it the recovery codes and a replacement that was begun. What the
 * factor protected, or waits for it, ends: sessions, unfinished sign-ins, challenges and the codes to renew the password.
 *
 * @throws ApiError `organization_not_found`, `user_not_found`, `totp_enrollment_not_found`, `insufficient_scope`
 */
export function removeTotpEnrollment(
  deps: Deps,
  tenant: Tenant,
  { userId, scopes, kept }: EnrollmentRemoval,
): Promise<Changed<ValidatedTotpEnrollment>> {
  // As for a forced enrolment: a caller who removes the factor can enrol one of their own next.
  if (!scopes.includes('write:users'))
    throw new ApiError('insufficient_scope', {
      message: 'The removal of an enrolment needs the scope write:users as well.',
    })
  return change(deps, tenant.cause, async (trx) => {
    const user = await lockTotpUser(trx, tenant, userId)
    const row = await deleteEnrollment(trx, tenant, user.id)
      .where('validated_at', 'is not', null)
      .returning([
        ...enrollmentColumns,
        // All are written together.
        sql<TotpMethod>`method`.as('method'),
        sql<Date>`enrolled_at`.as('enrolled_at'),
        sql<Date>`validated_at`.as('validated_at'),
      ])
      .executeTakeFirst()
    if (row === undefined) throw new ApiError('totp_enrollment_not_found')
    const at = deps.now()
    await updateOpenChallenges(trx, tenant, { userId: user.id, at }).set({ voided_at: at }).execute()
    await endSessionsOf(deps, trx, tenant, user.id, kept)
    await voidRenewals(deps, trx, tenant, user.id)
    await enqueueNotice(deps, trx, {
      ...ownerOf(tenant, user),
      notice: 'totp_enrollment_removed',
      cause: tenant.cause,
    })

    const { method, enrolled_at: begunAt, validated_at: validatedAt } = row
    const removed = await emit(deps, trx, tenant, {
      code: 'totp.enrollment.delete.success',
      record: toValidatedTotpEnrollment(row, tenant, { user, method, begunAt, validatedAt }),
      organizationId: user.organizationId,
      subjectId: user.id,
      email: user.email,
    })
    await logTotp(deps, trx, tenant, { user, code: 'TOTP_REMOVED' })
    return removed
  })
}

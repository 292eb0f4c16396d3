import type { PassedPasswordChallenge, PasswordChallenge } from '@portico/contract/password'
import type { NewPasswordChallenge } from '@portico/contract/password-input'
import type { Transaction } from 'kysely'
import { newId } from '../../platform/crypto/random.js'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { ApiError } from '../../platform/errors.js'
import { change, type Changed } from '../../delivery/events/change.js'
import { emit } from '../../delivery/events/emit.js'
import { grantedScope } from '../../tokens/scopes.js'
import { chooseDestination, type CodeDestination } from '../../directory/sessions/code-destination.js'
import { codeLifetimesMs } from '../../directory/sessions/complete-sign-in.js'
import { completeFirstFactor, type RefusedFactor } from '../flows/pending-sign-in.js'
import { mayReadUsers, type Caller } from '../../platform/tenant.js'
import { isRequiredMetadataMissing } from '../../directory/users/signing-in-user.js'
import { openRenewal } from './open-request.js'
import { toPassedChallenge, toPendingChallenge, toRefusedChallenge } from './record.js'
import { lockPasswordUser, logChallenge, verifyPassword, type VerifiedPassword } from './verification.js'

/**
 * Verifies the password of a user who signs in. Every request costs one verification of one hash. A caller who may not
 * read users gets the same answer for an unknown address, an inactive user, a missing or wrong password, and a locked
 * address.
 *
 * @throws ApiError `organization_not_found`, `password_connection_not_found`, `connection_inactive`,
 *   `email_domain_not_allowed`, `application_not_found`, `no_application`, `invalid_parameters`, `rate_limited`,
 *   `totp_enrollment_required` and `passkey_enrollment_required` with the right password, and,
 *   for a caller who may read users, `user_not_found` and `user_inactive`.
 */
export async function createPasswordChallenge(
  deps: Deps,
  caller: Caller,
  input: NewPasswordChallenge,
): Promise<Changed<PasswordChallenge>> {
  const sent = { typedEmail: input.user_email, domain: input.org_domain, plainText: input.plain_text }
  const verified = await verifyPassword(deps, caller, sent, (tenant) =>
    chooseDestination(deps.db, tenant, input),
  )
  if ('refused' in verified) {
    const { refused, reason } = verified
    const { tenant, addressee, attempt } = refused
    const { record } = await change(deps, caller.cause, async (trx) => {
      await logChallenge(deps, trx, refused, { code: 'END_USER_PASSWORD_FAILED', reason })
      return { record: toRefusedChallenge(tenant, newId()) }
    })
    if (mayReadUsers(caller) && addressee.user_id === null) throw new ApiError('user_not_found')
    if (mayReadUsers(caller) && addressee.is_user_active === false) throw new ApiError('user_inactive')
    return { record, limit: attempt.state }
  }

  const { passed } = verified
  const changed = await change(deps, caller.cause, (trx) => completePassword(deps, trx, passed))
  const { record } = changed
  if (typeof record === 'string') {
    await passed.attempt.succeed()
    throw new ApiError(record)
  }
  if (record['valid?'] || record.error !== 'invalid_credentials') await passed.attempt.succeed()
  return { ...changed, record, limit: passed.attempt.state }
}

/** Completes a sign-in whose password is right. */
async function completePassword(
  deps: Deps,
  trx: Transaction<DB>,
  passed: VerifiedPassword<CodeDestination>,
): Promise<Changed<PasswordChallenge | RefusedFactor>> {
  const { tenant, addressee, destination, password } = passed
  const userId = await lockPasswordUser(deps, trx, passed)
  if (userId === undefined) {
    await logChallenge(deps, trx, passed, { code: 'END_USER_PASSWORD_FAILED', reason: 'changed_meanwhile' })
    return { record: toRefusedChallenge(tenant, newId()) }
  }
  const { organization_id: organizationId } = addressee
  const at = deps.now()
  const outcome = await completeFirstFactor(deps, trx, {
    tenant,
    organizationId,
    userId,
    applicationId: destination.applicationId,
    redirectUri: destination.redirectUri,
    amr: ['pwd'],
    authenticatedAt: at,
    nonce: destination.nonce,
    codeChallenge: destination.codeChallenge,
    scope: grantedScope(destination.scope, 'password'),
    state: destination.state,
    isRenewalDue: passed.isRenewalDue,
    via: 'api',
  })
  if ('refused' in outcome) {
    await logChallenge(deps, trx, passed, { code: 'END_USER_PASSWORD_FAILED', reason: outcome.refused })
    return { record: outcome.refused }
  }
  const record =
    'code' in outcome
      ? await passedChallenge(deps, trx, passed, { code: outcome.code, userId, at })
      : toPendingChallenge(tenant, {
          requestId: outcome.pendingSignInId,
          error: outcome.error,
          expiresAt: outcome.expiresAt,
          userId,
        })
  await emit(deps, trx, tenant, {
    code: 'password.challenge.create.success',
    record: { ...record, user_id: userId, password_id: password.id },
    organizationId,
    subjectId: userId,
  })
  await logChallenge(deps, trx, passed, { code: 'END_USER_PASSWORD_SUCCESS' })
  // A missing required value does not block the sign-in.
  if (record['valid?'] && (await isRequiredMetadataMissing(trx, tenant, userId)))
    await logChallenge(deps, trx, passed, { code: 'REQUIRED_METADATA_MISSING' })
  return { record, subjectId: userId }
}

/** The answer with the code; a due renewal adds a code that needs no link. */
async function passedChallenge(
  deps: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  { tenant, email, destination, password, isRenewalDue }: VerifiedPassword<CodeDestination>,
  { code, userId, at }: { code: string; userId: string; at: Date },
): Promise<PassedPasswordChallenge> {
  const renewalCode = isRenewalDue
    ? await openRenewal(deps, trx, tenant, { email, userId, destination })
    : undefined
  return toPassedChallenge(tenant, {
    requestId: newId(),
    code,
    expiresAt: new Date(at.getTime() + codeLifetimesMs.api),
    userId,
    passwordId: password.id,
    renewalCode,
  })
}

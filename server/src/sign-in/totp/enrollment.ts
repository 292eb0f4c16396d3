import type { NewTotpEnrollment, TotpEnrollment, TotpMethod } from '@portico/contract/totp'
import type { Transaction, Updateable } from 'kysely'
import { newId } from '../../platform/crypto/random.js'
import { seal } from '../../platform/crypto/seal.js'
import { insertFound } from '../../platform/db/insert-if.js'
import type { DB, TotpEnrollments } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { displayName } from '../../platform/display-name.js'
import { ApiError, type LimitState } from '../../platform/errors.js'
import { change, type Changed } from '../../delivery/events/change.js'
import { emit } from '../../delivery/events/emit.js'
import { mails } from '../../delivery/mail/mail-limits.js'
import { enqueueNotice } from '../../delivery/mail/notices.js'
import { checkMayBeSent } from '../../delivery/sms/deliver.js'
import { countSms } from '../../delivery/sms/sms-limits.js'
import type { Caller, Tenant } from '../../platform/tenant.js'
import { normalizeEmail } from '../../platform/email.js'
import { makeRecoveryCodes, toRecoveryDigests } from './recovery-codes.js'
import { enrollmentColumns, toTotpEnrollment, type AnsweredEnrollment } from './record.js'
import { enrollmentContext } from './sealed.js'
import { enqueueTextCode } from './send-code.js'
import { makeTextCode } from './text-code.js'
import { makeTotpSecret, toKeyUri } from './totp-code.js'
import { expiryOf, getTotpUser, lockTotpUser, ownerOf, type TotpUser } from './totp-user.js'
import { tenantColumns } from '../../platform/db/tenant-predicate.js'

/** How long an enrolment waits for its first code: time to find an app and install it. */
const appLifetimeMs = 60 * 60 * 1000

/** The user to enrol, and the scopes of the caller. */
interface EnrollmentRequest extends NewTotpEnrollment {
  readonly userId: string
  /** Of the caller. */
  readonly scopes: Caller['scopes']
}

/**
 * Begins the enrolment of a user, in place of an earlier pending one. A validated enrolment stays in force until the
 * new one is validated, so that nobody is locked out and a request replaces no second factor.
 *
 * @throws ApiError `organization_not_found`, `user_not_found`, `totp_inactive`, `totp_enrollment_taken`,
 *   `insufficient_scope`, `phone_number_missing`, `phone_number_not_allowed`, `rate_limited`
 */
export async function enrollTotp(
  deps: Deps,
  tenant: Tenant,
  request: EnrollmentRequest,
): Promise<Changed<TotpEnrollment>> {
  const limit = await countEnrollment(deps, tenant, request)
  return change(deps, tenant.cause, async (trx) => {
    const record = await beginEnrollment(deps, trx, tenant, { ...request, id: newId() })
    return { record, ...(limit !== undefined && { limit }) }
  })
}

/**
 * Counts the messages of an enrolment before its transaction begins: a rollback would undo the count.
 *
 * @throws ApiError as enrollTotp() does
 */
export async function countEnrollment(
  deps: Deps,
  tenant: Tenant,
  request: EnrollmentRequest,
): Promise<LimitState | undefined> {
  const { userId } = request
  const addressee = await getTotpUser(deps.db, tenant, userId)
  const phoneNumber = checkEnrollment(deps, tenant, addressee, request)
  if (addressee.enrolledMethod !== null)
    await deps.limits.take(mails, { ...tenant, address: normalizeEmail(addressee.email) })
  return phoneNumber === null ? undefined : countSms(deps, { ...tenant, userId, phoneNumber })
}

/**
 * Begins an enrolment in a transaction.
 *
 * @param request With the id of the enrolment until it is validated.
 * @throws ApiError as enrollTotp() does
 */
export async function beginEnrollment(
  deps: Deps,
  trx: Transaction<DB>,
  tenant: Tenant,
  request: EnrollmentRequest & { readonly id: string },
): Promise<TotpEnrollment> {
  const user = await lockTotpUser(trx, tenant, request.userId)
  const begun = begin(deps, tenant, user, {
    id: request.id,
    phoneNumber: checkEnrollment(deps, tenant, user, request),
  })
  const row = await insertFound(trx, 'totp_enrollments', {
    ...tenantColumns(tenant),
    user_id: user.id,
    inserted_at: begun.at,
    ...begun.pending,
  })
    .onConflict((conflict) => conflict.constraint('totp_enrollments_pkey').doUpdateSet(begun.pending))
    .returning(enrollmentColumns)
    .executeTakeFirstOrThrow()
  const owner = ownerOf(tenant, user)
  if (begun.method === 'sms') await enqueueTextCode(deps, trx, { ...owner, of: 'enrollment', id: begun.id })
  if (user.enrolledMethod !== null)
    await enqueueNotice(deps, trx, { ...owner, notice: 'totp_enrollment_forced', cause: tenant.cause })

  const record = toTotpEnrollment(row, tenant, {
    user,
    method: begun.method,
    begunAt: begun.at,
    validatedAt: null,
    shown: begun.shown,
  })
  await emit(deps, trx, tenant, {
    code: 'totp.enrollment.create.success',
    record,
    organizationId: user.organizationId,
    subjectId: user.id,
    email: user.email,
  })
  return record
}

/**
 * Checks that the user may be enrolled now.
 *
 * @returns The number that receives the code; null with the app.
 */
function checkEnrollment(
  deps: Pick<Deps, 'config'>,
  tenant: Tenant,
  { connection, enrolledMethod, phoneNumber }: TotpUser,
  { force_enroll: isForced, scopes }: EnrollmentRequest,
): string | null {
  if (!connection.active) throw new ApiError('totp_inactive')
  if (enrolledMethod !== null && !isForced) throw new ApiError('totp_enrollment_taken')
  // Without write:users a caller could take over a user by enrolling a new secret.
  if (enrolledMethod !== null && !scopes.includes('write:users'))
    throw new ApiError('insufficient_scope', { message: 'force_enroll needs the scope write:users as well.' })
  if (connection.method !== 'sms') return null
  if (phoneNumber === null) throw new ApiError('phone_number_missing')
  checkMayBeSent(deps, tenant.environment, phoneNumber)
  return phoneNumber
}

/** A new enrolment: what is stored of it, and what is shown once. */
interface BegunEnrollment {
  readonly id: string
  readonly at: Date
  readonly method: TotpMethod
  readonly pending: Updateable<TotpEnrollments>
  readonly shown: AnsweredEnrollment['shown']
}

function begin(
  { config, keys, now }: Pick<Deps, 'config' | 'keys' | 'now'>,
  tenant: Tenant,
  user: TotpUser,
  { id, phoneNumber }: { readonly id: string; readonly phoneNumber: string | null },
): BegunEnrollment {
  const { master } = keys
  const owner = ownerOf(tenant, user)
  const at = now()
  const isBySms = phoneNumber !== null
  const method = isBySms ? 'sms' : 'totp_mobile_app'
  const secret = isBySms ? null : makeTotpSecret()
  const code = isBySms ? makeTextCode() : null
  const recoveryCodes = makeRecoveryCodes()
  const lifetimeMs = isBySms ? expiryOf(user, 'sms') * 1000 : appLifetimeMs
  return {
    id,
    at,
    method,
    pending: {
      pending_id: id,
      pending_method: method,
      pending_secret_sealed: secret && seal(master, enrollmentContext('secret', owner), secret),
      pending_code_sealed: code === null ? null : seal(master, enrollmentContext('code', owner), code),
      pending_recovery_codes_sealed: seal(
        master,
        enrollmentContext('recovery_codes', owner),
        toRecoveryDigests(recoveryCodes),
      ),
      pending_phone_number: phoneNumber,
      pending_failures: 0,
      pending_at: at,
      pending_expires_at: new Date(at.getTime() + lifetimeMs),
    },
    shown: {
      first_verification_code: code,
      recovery_codes: recoveryCodes.join('\n'),
      uri: secret && keyUriOf({ config }, user, secret),
    },
  }
}

/** The key URI of a user's secret. */
export function keyUriOf(
  { config }: Pick<Deps, 'config'>,
  { organizationName, productName, email }: Pick<TotpUser, 'organizationName' | 'productName' | 'email'>,
  secret: Buffer,
): string {
  const issuer = displayName(organizationName) || displayName(productName ?? config.productName)
  return toKeyUri(secret, { issuer, email })
}

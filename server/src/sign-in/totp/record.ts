import type {
  PassedTotpChallenge,
  TotpChallenge,
  TotpConnection,
  TotpEnrollment,
  TotpMethod,
  ValidatedTotpEnrollment,
} from '@portico/contract/totp'
import type { Selectable } from 'kysely'
import type { TotpChallenges, TotpConnections, TotpEnrollments } from '../../platform/db/schema.js'
import type { Tenant } from '../../platform/tenant.js'

type Place = Pick<Tenant, 'domain' | 'environment'>

export const totpConnectionColumns = [
  'organization_id',
  'active',
  'method',
  'expiry_in_seconds',
  'version',
  'inserted_at',
  'updated_at',
] as const

type ConnectionRow = Pick<Selectable<TotpConnections>, (typeof totpConnectionColumns)[number]>

export function toTotpConnection(row: ConnectionRow, tenant: Place): TotpConnection {
  return {
    __type__: 'TotpConnection',
    __domain__: tenant.domain,
    __environment__: tenant.environment,
    active: row.active,
    // The table's check constraint allows nothing else.
    method: row.method as TotpMethod,
    expiry_in_seconds: row.expiry_in_seconds,
    inserted_at: row.inserted_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}

export const enrollmentColumns = [
  'organization_id',
  'enrollment_nb',
  'last_recovery_acknowledgement_at',
  'last_recovery_code_at',
] as const

type EnrollmentRow = Pick<Selectable<TotpEnrollments>, (typeof enrollmentColumns)[number]>

/** The enrolment of an answer: the pending or the validated one. */
export interface AnsweredEnrollment {
  readonly user: { readonly id: string; readonly email: string }
  readonly method: TotpMethod
  readonly begunAt: Date
  readonly validatedAt: Date | null
  /** Only in the answer that begins the enrolment. */
  readonly shown?: Partial<Pick<TotpEnrollment, 'first_verification_code' | 'recovery_codes' | 'uri'>>
}

export function toTotpEnrollment(
  row: EnrollmentRow,
  tenant: Place,
  { user, method, begunAt, validatedAt, shown }: AnsweredEnrollment,
): TotpEnrollment {
  return {
    __type__: 'TotpEnrollment',
    __domain__: tenant.domain,
    __environment__: tenant.environment,
    user_id: user.id,
    email: user.email,
    method,
    enrolled_totp_at: begunAt.toISOString(),
    validated_enrollment_at: validatedAt?.toISOString() ?? null,
    enrollment_totp_nb: row.enrollment_nb,
    first_verification_code: shown?.first_verification_code ?? null,
    recovery_codes: shown?.recovery_codes ?? null,
    uri: shown?.uri ?? null,
    last_recovery_acknowledgement_at: row.last_recovery_acknowledgement_at?.toISOString() ?? null,
    last_recovery_code_at: row.last_recovery_code_at?.toISOString() ?? null,
  }
}

/** The same, validated at a time. */
export function toValidatedTotpEnrollment(
  row: EnrollmentRow,
  tenant: Place,
  { validatedAt, ...answered }: Omit<AnsweredEnrollment, 'shown'> & { readonly validatedAt: Date },
): ValidatedTotpEnrollment {
  return {
    ...toTotpEnrollment(row, tenant, { ...answered, validatedAt }),
    validated_enrollment_at: validatedAt.toISOString(),
    first_verification_code: null,
    recovery_codes: null,
    uri: null,
  }
}

export const challengeColumns = [
  'organization_id',
  'id',
  'user_id',
  'expires_at',
  'challenged_at',
  'recovery_code_used',
  'inserted_at',
] as const

type ChallengeRow = Pick<Selectable<TotpChallenges>, (typeof challengeColumns)[number]>

/** @param requestId Of the request that is answered. */
export function toTotpChallenge(row: ChallengeRow, tenant: Place, requestId: string): TotpChallenge {
  return {
    __type__: 'TotpChallenge',
    __domain__: tenant.domain,
    __environment__: tenant.environment,
    code: null,
    request_id: requestId,
    user_id: row.user_id,
    sent_at: row.inserted_at.toISOString(),
    challenged_at: row.challenged_at?.toISOString() ?? null,
    expired_at: row.expires_at.toISOString(),
    success: row.challenged_at !== null,
    recovery_code_used: row.recovery_code_used,
  }
}

/** A challenge whose code was right at a time. */
interface PassedAnswer {
  readonly requestId: string
  /** When the challenge completes a sign-in. */
  readonly code: string | null
  /** When the password is to be renewed. */
  readonly renewalCode: string | undefined
  readonly at: Date
}

export function toPassedTotpChallenge(
  row: ChallengeRow,
  tenant: Place,
  { requestId, code, renewalCode, at }: PassedAnswer,
): PassedTotpChallenge {
  const challenged_at = at.toISOString()
  const renew_password = renewalCode === undefined ? null : { password_code: renewalCode }
  return { ...toTotpChallenge(row, tenant, requestId), code, challenged_at, success: true, renew_password }
}

import { initContract } from '@ts-rest/core'
import { z } from 'zod/v4'
import { access } from '../core/access.js'
import { changing, creating, inOrganization, reading } from '../core/answers.js'
import {
  email,
  environment,
  EnvironmentQuery,
  flag,
  id,
  idempotencyHeader,
  ifMatchHeader,
  integer,
  OrganizationPath,
  personal,
  reference,
  secret,
  slug,
  timestamp,
  UserPath,
} from '../core/fields.js'
import { PasswordRenewal } from './password.js'
import { deletionOf, exampleOf, record } from '../core/record.js'

const totpMethods = ['totp_mobile_app', 'sms'] as const
export type TotpMethod = (typeof totpMethods)[number]

/** The default lifetime of a code, in seconds. */
export const defaultTotpExpiry: Readonly<Record<TotpMethod, number>> = { totp_mobile_app: 30, sms: 600 }

export const TotpConnection = record(
  'TotpConnection',
  {
    __type__: z.literal('TotpConnection'),
    __domain__: slug(),
    __environment__: environment(),
    active: z.boolean(),
    method: z.enum(totpMethods).describe('Method of new enrolments; enrolled users keep theirs'),
    expiry_in_seconds: z
      .int()
      .describe(
        'Validity of a code. With the app, codes of earlier 30-second periods are accepted within it',
      ),
    inserted_at: timestamp(),
    updated_at: timestamp(),
  },
  {
    __type__: 'TotpConnection',
    __domain__: 'awesome-company',
    __environment__: 'sandbox',
    active: true,
    method: 'totp_mobile_app',
    expiry_in_seconds: 30,
    inserted_at: '2026-03-14T09:26:53.589Z',
    updated_at: '2026-03-14T09:26:53.589Z',
  },
)
export type TotpConnection = z.output<typeof TotpConnection>

export const TotpEnrollment = record(
  'TotpEnrollment',
  {
    __type__: z.literal('TotpEnrollment'),
    __domain__: slug(),
    __environment__: environment(),
    user_id: id(),
    email: personal(email()),
    method: z.enum(totpMethods),
    enrolled_totp_at: timestamp().describe('Start of this enrolment'),
    validated_enrollment_at: timestamp()
      .nullable()
      .describe('Time of its validation, from which on the user must enter codes; null before'),
    enrollment_totp_nb: z
      .int()
      .describe('Number of validated enrolments of the user so far, since the last removal if there was one'),
    first_verification_code: secret(z.string().nullable()).describe(
      'With the method sms, the code that was sent to the user; only at creation',
    ),
    recovery_codes: secret(z.string().nullable()).describe(
      'Five codes, one per line, each of which replaces one code of the user; only at creation',
    ),
    uri: secret(z.string().nullable()).describe(
      'With the mobile app, the key URI to show as a QR code; only at creation',
    ),
    last_recovery_acknowledgement_at: timestamp()
      .nullable()
      .describe('Time at which the user confirmed having stored the recovery codes'),
    last_recovery_code_at: timestamp().nullable().describe('Last use of a recovery code'),
  },
  {
    __type__: 'TotpEnrollment',
    __domain__: 'awesome-company',
    __environment__: 'sandbox',
    user_id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
    email: 'ada@awesome.example',
    method: 'totp_mobile_app',
    enrolled_totp_at: '2026-03-14T09:26:53.589Z',
    validated_enrollment_at: null,
    enrollment_totp_nb: 0,
    first_verification_code: null,
    recovery_codes: 'k3v9q2mzx7\nb6t4w8hnyd\nr5c2j7fpsg\nz8m3x6kvqt\nw4h9d2byn7',
    uri: 'otpauth://totp/Awesome%20company:ada%40awesome.example?issuer=Awesome%20company&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&algorithm=SHA1&digits=6&period=30',
    last_recovery_acknowledgement_at: null,
    last_recovery_code_at: null,
  },
)
export type TotpEnrollment = z.output<typeof TotpEnrollment>

/** An enrolment after its first correct code; the secrets shown at its creation are not shown again. */
export const ValidatedTotpEnrollment = record(
  'ValidatedTotpEnrollment',
  {
    ...TotpEnrollment.shape,
    validated_enrollment_at: timestamp(),
    first_verification_code: z.null(),
    recovery_codes: z.null(),
    uri: z.null(),
  },
  {
    ...exampleOf(TotpEnrollment),
    validated_enrollment_at: '2026-03-14T09:27:41.012Z',
    enrollment_totp_nb: 1,
    first_verification_code: null,
    recovery_codes: null,
    uri: null,
    last_recovery_acknowledgement_at: '2026-03-14T09:27:41.012Z',
  },
)
export type ValidatedTotpEnrollment = z.output<typeof ValidatedTotpEnrollment>

export const TotpChallenge = record(
  'TotpChallenge',
  {
    __type__: z.literal('TotpChallenge'),
    __domain__: slug(),
    __environment__: environment(),
    code: secret(z.string().nullable()).describe(
      'Set after validation of a challenge that belongs to a sign-in: exchange it once for the tokens within 300 seconds; otherwise null',
    ),
    request_id: id().describe('Different at creation and at validation'),
    user_id: id(),
    sent_at: timestamp(),
    challenged_at: timestamp().nullable().describe('Time of its validation'),
    expired_at: timestamp().describe('End of the time in which it can be validated'),
    success: z.boolean(),
    recovery_code_used: z.boolean(),
  },
  {
    __type__: 'TotpChallenge',
    __domain__: 'awesome-company',
    __environment__: 'sandbox',
    code: null,
    request_id: '0190c8c4-5d7e-7f90-81c2-4d5e6f708192',
    user_id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
    sent_at: '2026-03-14T09:26:53.589Z',
    challenged_at: null,
    expired_at: '2026-03-14T09:36:53.589Z',
    success: false,
    recovery_code_used: false,
  },
)
export type TotpChallenge = z.output<typeof TotpChallenge>

/** A challenge with a correct code. */
export const PassedTotpChallenge = record(
  'PassedTotpChallenge',
  {
    ...TotpChallenge.shape,
    challenged_at: timestamp(),
    success: z.literal(true),
    renew_password: PasswordRenewal.nullable().describe(
      'Set as in a password challenge without a second factor: have the user set another password',
    ),
  },
  {
    ...exampleOf(TotpChallenge),
    code: 'q3Jc0mVx8n2Zr5tYb7uAe1oPi4Ls6Kd9Fg2Hj5Kl8Zx',
    request_id: '0190c8c4-6e8f-7a01-92d3-5e6f708192a3',
    challenged_at: '2026-03-14T09:27:41.012Z',
    success: true,
    renew_password: null,
  },
)
export type PassedTotpChallenge = z.output<typeof PassedTotpChallenge>

const expiry = () => integer({ min: 30, max: 900 }).describe('Seconds')
const method = () => z.enum(totpMethods)

export const TotpConnectionChanges = z.strictObject({
  active: flag().optional(),
  method: method()
    .optional()
    .describe('A change of method also resets expiry_in_seconds to its default for the method'),
  expiry_in_seconds: expiry().optional(),
})
export type TotpConnectionChanges = z.output<typeof TotpConnectionChanges>

export const NewTotpEnrollment = z.strictObject({
  force_enroll: flag()
    .default(false)
    .describe(
      'Begins another enrolment for a user who has one, also when all recovery codes are used; the old one stays valid until ' +
        'the new one is validated. Requires the scope write:users, and notifies the user by e-mail',
    ),
})
export type NewTotpEnrollment = z.output<typeof NewTotpEnrollment>

const code = () => secret(z.string().min(1).max(50))

export const TotpEnrollmentValidation = z.strictObject({
  code: code().describe('First code, from the app or the text message'),
  recovery_codes_acknowledged: flag()
    .default(false)
    .describe('The user has confirmed having stored the recovery codes'),
})
export type TotpEnrollmentValidation = z.output<typeof TotpEnrollmentValidation>

export const NewTotpChallenge = z.strictObject({
  password_request_id: reference()
    .optional()
    .describe(
      'request_id of the password challenge that answered totp_required; validation then completes that sign-in with a code',
    ),
  send_code: flag()
    .default(true)
    .describe('false: sends no message, for a user who enters a recovery code; ignored with the app'),
})
export type NewTotpChallenge = z.output<typeof NewTotpChallenge>

export const TotpChallengeValidation = z.strictObject({
  code: code().describe('A code from the app or the text message, or a recovery code'),
  request_id: reference()
    .optional()
    .describe('request_id of the challenge; default: the latest open one of the user'),
})
export type TotpChallengeValidation = z.output<typeof TotpChallengeValidation>

const tag = {
  name: 'TOTP',
  description: 'A second factor: one-time codes of a mobile app or of a text message, and recovery codes.',
}
const path = '/api/v2/org/:org_domain'
const readScope = 'read:totp'
const writeScope = 'write:totp'
const c = initContract()

export const totp = c.router(
  {
    getConnection: {
      method: 'GET',
      path: `${path}/totp-connection`,
      summary: 'Get the TOTP connection',
      pathParams: OrganizationPath,
      query: EnvironmentQuery,
      responses: reading({ 200: TotpConnection }, ...inOrganization, 'invalid_parameters'),
      metadata: access({ tag, scope: readScope, versioned: 'answers' }),
    },
    postConnection: {
      method: 'POST',
      path: `${path}/totp-connection`,
      summary: 'Change the TOTP connection; omitted members stay as they are, initially at their defaults',
      headers: idempotencyHeader,
      pathParams: OrganizationPath,
      body: TotpConnectionChanges,
      responses: creating({ 201: TotpConnection }, 'organization_not_found'),
      metadata: access({
        tag,
        scope: writeScope,
        emits: ['totp.connection.update.success'],
        idempotent: true,
        versioned: 'answers',
      }),
    },
    updateConnection: {
      method: 'PUT',
      path: `${path}/totp-connection`,
      summary: 'Change the TOTP connection; omitted members stay as they are',
      headers: ifMatchHeader,
      pathParams: OrganizationPath,
      body: TotpConnectionChanges,
      responses: changing({ 200: TotpConnection }, 'organization_not_found', 'precondition_failed'),
      metadata: access({
        tag,
        scope: writeScope,
        danger: 'reason',
        emits: ['totp.connection.update.success'],
        versioned: 'checks',
      }),
    },
    enroll: {
      method: 'POST',
      path: `${path}/totp-enrollment/:user_id`,
      summary: 'Begin the enrolment of a user',
      pathParams: UserPath,
      body: NewTotpEnrollment,
      responses: changing(
        { 201: TotpEnrollment },
        'organization_not_found',
        'user_not_found',
        'totp_inactive',
        'totp_enrollment_taken',
        'phone_number_missing',
        'phone_number_not_allowed',
      ),
      metadata: access({
        tag,
        scope: writeScope,
        asUser: 'refused',
        emits: ['totp.enrollment.create.success'],
        limited: 'sms',
      }),
    },
    validateEnrollment: {
      method: 'PUT',
      path: `${path}/totp-enrollment/validation/:user_id`,
      summary: 'Validate the enrolment of a user with their first code',
      pathParams: UserPath,
      body: TotpEnrollmentValidation,
      responses: changing(
        { 200: ValidatedTotpEnrollment },
        'organization_not_found',
        'user_not_found',
        'totp_enrollment_not_found',
        'totp_code_rejected',
      ),
      metadata: access({
        tag,
        scope: writeScope,
        asUser: 'refused',
        emits: ['totp.enrollment.validate.success'],
      }),
    },
    removeEnrollment: {
      method: 'DELETE',
      path: `${path}/totp-enrollment/:user_id`,
      summary: 'Remove the validated enrolment of a user; their sessions end, and they are told by e-mail',
      pathParams: UserPath,
      responses: changing(
        { 200: deletionOf(ValidatedTotpEnrollment) },
        'organization_not_found',
        'user_not_found',
        'totp_enrollment_not_found',
      ),
      metadata: access({
        tag,
        scope: writeScope,
        danger: 'proof',
        emits: ['totp.enrollment.delete.success'],
      }),
    },
    createChallenge: {
      method: 'POST',
      path: `${path}/totp-challenge/:user_id`,
      summary: 'Request a code from a user; with the method sms it is sent',
      pathParams: UserPath,
      body: NewTotpChallenge,
      responses: changing(
        { 201: TotpChallenge },
        'organization_not_found',
        'user_not_found',
        'user_inactive',
        'totp_inactive',
        'totp_not_enrolled',
        'phone_number_unverified',
        'phone_number_not_allowed',
      ),
      metadata: access({
        tag,
        scope: writeScope,
        asUser: 'refused',
        emits: ['totp.challenge.create.success'],
        limited: 'sms',
      }),
    },
    validateChallenge: {
      method: 'PUT',
      path: `${path}/totp-challenge/validation/:user_id`,
      summary: 'Verify the code of a user, which completes the sign-in that the challenge belongs to',
      pathParams: UserPath,
      body: TotpChallengeValidation,
      responses: changing(
        { 200: PassedTotpChallenge },
        'organization_not_found',
        'user_not_found',
        'user_inactive',
        'totp_inactive',
        'totp_not_enrolled',
        'totp_challenge_not_open',
        'totp_locked',
        'totp_code_rejected',
      ),
      metadata: access({
        tag,
        scope: writeScope,
        asUser: 'refused',
        emits: ['totp.challenge.validate.success'],
      }),
    },
  },
  { strictStatusCodes: true },
)

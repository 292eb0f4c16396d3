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
import { exampleOf, record } from '../core/record.js'

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
    method: z
      .enum(totpMethods)
      .describe('How users are enrolled; who is enrolled already keeps their method'),
    expiry_in_seconds: z
      .int()
      .describe(
        'How long a code is good for. With the app, codes of earlier periods of 30 seconds within it',
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
    enrolled_totp_at: timestamp().describe('When the enrolment began that this answer is about'),
    validated_enrollment_at: timestamp()
      .nullable()
      .describe('When it was validated; null before, and from then on codes are asked of the user'),
    enrollment_totp_nb: z.int().describe('How many enrolments of the user have been validated'),
    first_verification_code: secret(z.string().nullable()).describe(
      'With the method sms, the code that the user has been sent; at creation alone',
    ),
    recovery_codes: secret(z.string().nullable()).describe(
      'Five codes, one a line, each of which stands for one code of the user; at creation alone',
    ),
    uri: secret(z.string().nullable()).describe(
      'With the mobile app, the key URI to show as a QR code; at creation alone',
    ),
    last_recovery_acknowledgement_at: timestamp()
      .nullable()
      .describe('When the user confirmed that they have stored the recovery codes'),
    last_recovery_code_at: timestamp().nullable().describe('When a recovery code was used last'),
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
      'After the validation of a challenge that belongs to a sign-in: retrieves the tokens, once, within 300 seconds; else null',
    ),
    request_id: id().describe('Creation and validation have different ones'),
    user_id: id(),
    sent_at: timestamp(),
    challenged_at: timestamp().nullable().describe('When it was validated'),
    expired_at: timestamp().describe('Until when it can be validated'),
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
      'As a password challenge without a second factor answers it: have the user set another password',
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
  method: method().optional().describe('Another method has its own default of expiry_in_seconds'),
  expiry_in_seconds: expiry().optional(),
})
export type TotpConnectionChanges = z.output<typeof TotpConnectionChanges>

export const NewTotpEnrollment = z.strictObject({
  force_enroll: flag()
    .default(false)
    .describe(
      'Begins another enrolment for a user who has one, also when all recovery codes are used; the old one holds until ' +
        'the new one is validated. Needs the scope write:users, and the user is told by mail',
    ),
})
export type NewTotpEnrollment = z.output<typeof NewTotpEnrollment>

const code = () => secret(z.string().min(1).max(50))

export const TotpEnrollmentValidation = z.strictObject({
  code: code().describe('The first code of the app or of the text message'),
  recovery_codes_acknowledged: flag()
    .default(false)
    .describe('The user has confirmed that they have stored the recovery codes'),
})
export type TotpEnrollmentValidation = z.output<typeof TotpEnrollmentValidation>

export const NewTotpChallenge = z.strictObject({
  password_request_id: reference()
    .optional()
    .describe('request_id of the password challenge that answered totp_required: its sign-in ends in a code'),
  send_code: flag()
    .default(true)
    .describe(
      'false: no message is sent, for a user who answers with a recovery code; without meaning for the app',
    ),
})
export type NewTotpChallenge = z.output<typeof NewTotpChallenge>

export const TotpChallengeValidation = z.strictObject({
  code: code().describe('A code of the app, of the text message, or one of the recovery codes'),
  request_id: reference().optional().describe('Of the challenge; without it the newest open one of the user'),
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
      summary: 'Change the TOTP connection; what is not sent stays, which at the start is its default',
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
      summary: 'Change the TOTP connection; what is not sent stays',
      headers: ifMatchHeader,
      pathParams: OrganizationPath,
      body: TotpConnectionChanges,
      responses: changing({ 200: TotpConnection }, 'organization_not_found', 'precondition_failed'),
      metadata: access({
        tag,
        scope: writeScope,
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
      metadata: access({ tag, scope: writeScope, emits: ['totp.enrollment.create.success'], limited: 'sms' }),
    },
    validateEnrollment: {
      method: 'PUT',
      path: `${path}/totp-enrollment/validation/:user_id`,
      summary: 'Validate the enrolment of a user by their first code',
      pathParams: UserPath,
      body: TotpEnrollmentValidation,
      responses: changing(
        { 200: ValidatedTotpEnrollment },
        'organization_not_found',
        'user_not_found',
        'totp_enrollment_not_found',
        'totp_code_rejected',
      ),
      metadata: access({ tag, scope: writeScope, emits: ['totp.enrollment.validate.success'] }),
    },
    createChallenge: {
      method: 'POST',
      path: `${path}/totp-challenge/:user_id`,
      summary: 'Ask a user for a code; with the method sms it is sent',
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
      metadata: access({ tag, scope: writeScope, emits: ['totp.challenge.create.success'], limited: 'sms' }),
    },
    validateChallenge: {
      method: 'PUT',
      path: `${path}/totp-challenge/validation/:user_id`,
      summary: 'Check the code of a user; the sign-in that the challenge belongs to is then complete',
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
      metadata: access({ tag, scope: writeScope, emits: ['totp.challenge.validate.success'] }),
    },
  },
  { strictStatusCodes: true },
)

import { initContract } from '@ts-rest/core'
import { z } from 'zod/v4'
import { access } from '../core/access.js'
import { changing, creating, inOrganization, reading } from '../core/answers.js'
import {
  environment,
  EnvironmentQuery,
  id,
  idempotencyHeader,
  ifMatchHeader,
  OrganizationPath,
  secret,
  slug,
  timestamp,
} from '../core/fields.js'
import {
  NewPassword,
  NewPasswordChallenge,
  NewPasswordConnection,
  NewPasswordRequest,
  PasswordConnectionChanges,
} from './password-input.js'
import { record } from '../core/record.js'

export const PasswordConnection = record(
  'PasswordConnection',
  {
    __type__: z.literal('PasswordConnection'),
    __domain__: slug(),
    __environment__: environment(),
    id: id(),
    active: z.boolean(),
    plain_text_min_length: z.int().describe('Minimum length of a new password, in characters'),
    plain_text_max_length: z.int().describe('Maximum length of a new password, in characters'),
    pepper_rotation_period: z
      .int()
      .describe('Seconds after which the pepper, the key that encrypts the hashes, is replaced'),
    inserted_at: timestamp(),
    updated_at: timestamp(),
  },
  {
    __type__: 'PasswordConnection',
    __domain__: 'awesome-company',
    __environment__: 'sandbox',
    id: '0190c8c3-2a4b-7c6d-8e9f-1a2b3c4d5e6f',
    active: true,
    plain_text_min_length: 8,
    plain_text_max_length: 128,
    pepper_rotation_period: 86_400,
    inserted_at: '2026-03-14T09:26:53.589Z',
    updated_at: '2026-03-14T09:26:53.589Z',
  },
)
export type PasswordConnection = z.output<typeof PasswordConnection>

export const PasswordRequest = record(
  'PasswordRequest',
  {
    __type__: z.literal('PasswordRequest'),
    __domain__: slug(),
    __environment__: environment(),
    request_id: id().describe('Send it with a magic-link challenge, whose link then leads to a new password'),
    user_id: id().nullable().describe('null for keys without the scope read:users'),
    expired_at: timestamp().describe('End of the time in which the password can be set'),
  },
  {
    __type__: 'PasswordRequest',
    __domain__: 'awesome-company',
    __environment__: 'sandbox',
    request_id: '0190c8c3-3b5c-7d7e-8fa0-2b3c4d5e6f70',
    user_id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
    expired_at: '2026-03-14T10:26:53.589Z',
  },
)
export type PasswordRequest = z.output<typeof PasswordRequest>

export const PasswordRenewal = record(
  'PasswordRenewal',
  { password_code: secret(z.string()).describe('Authorizes setting a new password; valid for one hour') },
  { password_code: 'mR8xTq2LwZ0vYc5nPb7uKe1oSi4Hd6Fa9Gj3Qk8Xt0U' },
)
export type PasswordRenewal = z.output<typeof PasswordRenewal>

const challenge = {
  __type__: z.literal('PasswordChallenge'),
  __domain__: slug(),
  __environment__: environment(),
  request_id: id(),
}
const challengeExample = {
  __type__: 'PasswordChallenge',
  __domain__: 'awesome-company',
  __environment__: 'sandbox',
  request_id: '0190c8c3-4c6d-7e8f-90b1-3c4d5e6f7081',
} as const

/** The password is correct and nothing else is required. Only this form has a code. */
export const PassedPasswordChallenge = record(
  'PassedPasswordChallenge',
  {
    ...challenge,
    'valid?': z.literal(true),
    error: z.null(),
    code: secret(z.string()).describe('Authorization code, exchanged once for the tokens until expired_at'),
    expired_at: timestamp(),
    user_id: id(),
    password_id: z.int(),
    renew_password: PasswordRenewal.nullable().describe(
      'Set if the password no longer meets the rules or appears in a known breach: have the user set another',
    ),
  },
  {
    ...challengeExample,
    'valid?': true,
    error: null,
    code: 'q3Jc0mVx8n2Zr5tYb7uAe1oPi4Ls6Kd9Fg2Hj5Kl8Zx',
    expired_at: '2026-03-14T09:31:53.589Z',
    user_id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
    password_id: 4711,
    renew_password: null,
  },
)
export type PassedPasswordChallenge = z.output<typeof PassedPasswordChallenge>

/** The user is not signed in: the password is incorrect, or the second factor is required. */
export const RefusedPasswordChallenge = record(
  'RefusedPasswordChallenge',
  {
    ...challenge,
    'valid?': z.literal(false),
    error: z
      .enum(['invalid_credentials', 'totp_required', 'passkey_required'])
      .describe(
        'totp_required: the password is correct; create a TOTP challenge with request_id as its password_request_id. ' +
          'passkey_required: the password is correct, and the organization demands a second factor, which is a passkey of the user; create a passkey challenge with request_id as its password_request_id, or have them sign in on the sign-in pages. ' +
          'invalid_credentials: any other failure, and while an address is locked',
      ),
    expired_at: timestamp()
      .nullable()
      .describe(
        'With totp_required and passkey_required, end of the time in which the second factor must come',
      ),
    user_id: id().nullable().describe('Set only with totp_required and passkey_required'),
    password_id: z.null(),
    renew_password: z.null(),
  },
  {
    ...challengeExample,
    'valid?': false,
    error: 'invalid_credentials',
    expired_at: null,
    user_id: null,
    password_id: null,
    renew_password: null,
  },
)
export type RefusedPasswordChallenge = z.output<typeof RefusedPasswordChallenge>

/** The result of a password: `valid?` discriminates the two forms, of which one has a code. */
export type PasswordChallenge = PassedPasswordChallenge | RefusedPasswordChallenge

export const Password = record(
  'Password',
  {
    __type__: z.literal('Password'),
    __domain__: slug(),
    __environment__: environment(),
    id: z.int(),
    user_id: id(),
    code: secret(z.string().nullable()).describe(
      'Authorization code, exchanged once for the tokens within 300 seconds; null if the user has a second factor, or must enrol one, and signs in with both',
    ),
  },
  {
    __type__: 'Password',
    __domain__: 'awesome-company',
    __environment__: 'sandbox',
    id: 4711,
    user_id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
    code: 'q3Jc0mVx8n2Zr5tYb7uAe1oPi4Ls6Kd9Fg2Hj5Kl8Zx',
  },
)
export type Password = z.output<typeof Password>

const tag = {
  name: 'Password',
  description: 'Signing in with a password, having a first one, and a new one when it is forgotten.',
}
const connectionPath = '/api/v2/org/:org_domain/password-connection'
const readScope = 'read:passwords'
const writeScope = 'write:passwords'
const c = initContract()

export const password = c.router(
  {
    createConnection: {
      method: 'POST',
      path: connectionPath,
      summary: 'Enable passwords for the users of an organization',
      headers: idempotencyHeader,
      pathParams: OrganizationPath,
      body: NewPasswordConnection,
      responses: creating({ 201: PasswordConnection }, 'organization_not_found', 'password_connection_taken'),
      metadata: access({
        tag,
        scope: writeScope,
        emits: ['password.connection.create.success'],
        idempotent: true,
        versioned: 'answers',
      }),
    },
    getConnection: {
      method: 'GET',
      path: connectionPath,
      summary: 'Get the password connection',
      pathParams: OrganizationPath,
      query: EnvironmentQuery,
      responses: reading(
        { 200: PasswordConnection },
        ...inOrganization,
        'password_connection_not_found',
        'invalid_parameters',
      ),
      metadata: access({ tag, scope: readScope, versioned: 'answers' }),
    },
    updateConnection: {
      method: 'PUT',
      path: connectionPath,
      summary: 'Change the password connection',
      headers: ifMatchHeader,
      pathParams: OrganizationPath,
      body: PasswordConnectionChanges,
      responses: changing(
        { 200: PasswordConnection },
        'organization_not_found',
        'password_connection_not_found',
        'precondition_failed',
      ),
      metadata: access({
        tag,
        scope: writeScope,
        danger: 'reason',
        emits: ['password.connection.update.success'],
        versioned: 'checks',
      }),
    },
    createRequest: {
      method: 'POST',
      path: '/api/v2/password-request',
      summary:
        'Start setting a first or forgotten password; the link comes from a magic-link challenge, and you send it',
      body: NewPasswordRequest,
      responses: changing(
        { 201: PasswordRequest },
        'organization_not_found',
        'password_connection_not_found',
        'user_not_found',
        'application_not_found',
        'email_domain_not_allowed',
        'sso_required',
        'connection_inactive',
        'user_inactive',
        'seats_exhausted',
        'no_application',
      ),
      metadata: access({
        tag,
        scope: writeScope,
        asUser: {},
        reach: 'caller',
        emits: ['password.request.create.success'],
      }),
    },
    createChallenge: {
      method: 'POST',
      path: '/api/v2/password-challenge',
      summary: 'Check the password of a user who signs in',
      body: NewPasswordChallenge,
      responses: changing(
        { 201: z.discriminatedUnion('valid?', [PassedPasswordChallenge, RefusedPasswordChallenge]) },
        'organization_not_found',
        'password_connection_not_found',
        'user_not_found',
        'application_not_found',
        'email_domain_not_allowed',
        'sso_required',
        'connection_inactive',
        'user_inactive',
        'no_application',
        'totp_enrollment_required',
        'passkey_enrollment_required',
      ),
      metadata: access({
        tag,
        scope: writeScope,
        asUser: 'refused',
        reach: 'caller',
        emits: ['user.session.create.success', 'password.challenge.create.success'],
        limited: 'sign-in',
      }),
    },
    set: {
      method: 'POST',
      path: '/api/v2/password',
      summary: 'Set the password of a user with the code obtained through a password request',
      body: NewPassword,
      responses: changing(
        { 201: Password },
        'organization_not_found',
        'password_connection_not_found',
        'connection_inactive',
        'password_code_refused',
      ),
      metadata: access({
        tag,
        scope: writeScope,
        asUser: 'refused',
        reach: 'caller',
        emits: ['password.password.set.success', 'user.session.create.success'],
      }),
    },
  },
  { strictStatusCodes: true },
)

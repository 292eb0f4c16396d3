import { initContract } from '@ts-rest/core'
import { z } from 'zod/v4'
import { access } from '../core/access.js'
import { changing, inOrganization, reading } from '../core/answers.js'
import {
  environment,
  EnvironmentQuery,
  flag,
  id,
  ifMatchHeader,
  integer,
  OrganizationPath,
  PageQuery,
  pathId,
  personal,
  slug,
  text,
  timestamp,
  UserPath,
} from '../core/fields.js'
import { deletionOf, listOf, record } from '../core/record.js'
import {
  NewPasskeyChallenge,
  NewPasskeyRegistration,
  OpenPasskeyChallenge,
  PassedPasskeyChallenge,
  PasskeyChallengeAnswer,
  PasskeyRegistration,
  PasskeyRegistrationAnswer,
} from './passkey-ceremonies.js'
import { maxPasskeyName } from './passkey-credentials.js'
import { NewPasskeyRecovery, PasskeyRecovery } from './passkey-recovery.js'

/** Whether users have to have a passkey, or another second factor of the organization. */
export const passkeyRequirements = ['optional', 'required'] as const
export type PasskeyRequirement = (typeof passkeyRequirements)[number]

/** For how many days they may put it off. */
export const passkeyGraceDays = { min: 0, max: 90, default: 14 }

/** When users are offered a passkey that nothing demands. */
export const passkeyPrompts = ['account_page', 'after_account_change', 'after_sign_in'] as const
export type PasskeyPrompt = (typeof passkeyPrompts)[number]

export const PasskeyConnection = record(
  'PasskeyConnection',
  {
    __type__: z.literal('PasskeyConnection'),
    __domain__: slug(),
    __environment__: environment(),
    active: z.boolean().describe('Whether users may add passkeys and sign in with them'),
    first_factor: z
      .boolean()
      .describe(
        'Whether a passkey signs in by itself, as two factors: it is asked of new passkeys that they verify their user',
      ),
    synced: z
      .boolean()
      .describe(
        'false: passkeys that a provider copies to other devices are refused when they are added; those that are there stay',
      ),
    requirement: z
      .enum(passkeyRequirements)
      .describe(
        'required: whoever signs in by another method is asked for their passkey, and who has none adds one. A code of TOTP is as good where it is asked of the user, and who comes by SSO is not asked',
      ),
    grace_days: z
      .int()
      .describe(
        'For how many days users may put it off, from the switch or from their creation if that is later',
      ),
    prompt: z
      .enum(passkeyPrompts)
      .describe(
        'Where users who have none are offered a passkey that signs them in by itself (first_factor), in browsers that can make one: on the account page alone, also at the end of a sign-in that has made the user or set their password, or at the end of every sign-in',
      ),
    inserted_at: timestamp(),
    updated_at: timestamp(),
  },
  {
    __type__: 'PasskeyConnection',
    __domain__: 'awesome-company',
    __environment__: 'sandbox',
    active: true,
    first_factor: true,
    synced: true,
    requirement: 'optional',
    grace_days: 14,
    prompt: 'after_account_change',
    inserted_at: '2026-03-14T09:26:53.589Z',
    updated_at: '2026-03-14T09:26:53.589Z',
  },
)
export type PasskeyConnection = z.output<typeof PasskeyConnection>

/** A passkey without its public key. */
export const Passkey = record(
  'Passkey',
  {
    __type__: z.literal('Passkey'),
    __domain__: slug(),
    __environment__: environment(),
    id: id(),
    user_id: id(),
    name: personal(z.string()).describe('As its user calls it; at first the name of its provider'),
    credential_id: personal(z.string()).describe('As the authenticator calls it, in base64url'),
    aaguid: id()
      .nullable()
      .describe('The model of the authenticator, or the provider; null where it does not say'),
    provider_name: z.string().nullable().describe('The name of the provider, where it is known'),
    synced: z
      .boolean()
      .describe('Whether its provider may copy it to other devices; the same from its creation on'),
    backed_up: z.boolean().describe('Whether it was copied at its last use'),
    transports: z
      .array(z.string())
      .describe('How browsers reach the authenticator, such as internal, hybrid and usb'),
    rp_id: z.string().describe('The domain for which it was made'),
    sign_count: z.int().describe('Its uses, as the authenticator counts them; 0 where it does not'),
    last_used_at: timestamp().nullable(),
    disabled_at: timestamp().nullable().describe('When a copy of it was noticed: it is refused from then on'),
    inserted_at: timestamp(),
    updated_at: timestamp(),
  },
  {
    __type__: 'Passkey',
    __domain__: 'awesome-company',
    __environment__: 'sandbox',
    id: '0190c8f2-3b4c-7d5e-8f60-718293a4b5c6',
    user_id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
    name: 'iCloud Keychain',
    credential_id: 'k3v9q2mzx7b6t4w8hnydr5c2j7fpsgz8m3x6kvqtw4h9d2byn7',
    aaguid: 'fbfc3007-154e-4ecc-8c0b-6e020557d7bd',
    provider_name: 'iCloud Keychain',
    synced: true,
    backed_up: true,
    transports: ['internal', 'hybrid'],
    rp_id: 'auth.example.com',
    sign_count: 0,
    last_used_at: '2026-03-14T09:27:41.012Z',
    disabled_at: null,
    inserted_at: '2026-03-14T09:26:53.589Z',
    updated_at: '2026-03-14T09:26:53.589Z',
  },
)
export type Passkey = z.output<typeof Passkey>

export const PasskeyConnectionChanges = z.strictObject({
  active: flag().optional(),
  first_factor: flag().optional(),
  synced: flag().optional(),
  requirement: z
    .enum(passkeyRequirements)
    .optional()
    .describe('required has an effect while active is true, and needs a service whose address is a name'),
  grace_days: integer(passkeyGraceDays).optional(),
  prompt: z.enum(passkeyPrompts).optional(),
})
export type PasskeyConnectionChanges = z.output<typeof PasskeyConnectionChanges>

export const PasskeyChanges = z.strictObject({ name: personal(text(maxPasskeyName, 1)) })
export type PasskeyChanges = z.output<typeof PasskeyChanges>

const PasskeyPath = UserPath.extend({ passkey_id: pathId() })

const RegistrationPath = OrganizationPath.extend({ registration_id: pathId() })

const tag = {
  name: 'Passkeys',
  description:
    'Keys of users that their devices or password managers keep, in place of a password and a code.',
}
const path = '/api/v2/org/:org_domain'
const ofUser = `${path}/users/:user_id/passkeys`
const read = { tag, scope: 'read:passkeys' } as const
const write = { tag, scope: 'write:passkeys' } as const
const c = initContract()

export const passkeys = c.router(
  {
    getConnection: {
      method: 'GET',
      path: `${path}/passkey-connection`,
      summary: 'Get the passkey connection',
      pathParams: OrganizationPath,
      query: EnvironmentQuery,
      responses: reading({ 200: PasskeyConnection }, ...inOrganization, 'invalid_parameters'),
      metadata: access({ ...read, versioned: 'answers' }),
    },
    updateConnection: {
      method: 'PUT',
      path: `${path}/passkey-connection`,
      summary: 'Change the passkey connection; omitted members stay as they are',
      headers: ifMatchHeader,
      pathParams: OrganizationPath,
      body: PasskeyConnectionChanges,
      responses: changing({ 200: PasskeyConnection }, 'organization_not_found', 'precondition_failed'),
      metadata: access({
        ...write,
        danger: 'reason',
        emits: ['passkey.connection.update.success'],
        versioned: 'checks',
      }),
    },
    list: {
      method: 'GET',
      path: ofUser,
      summary: 'List the passkeys of a user, newest first',
      pathParams: UserPath,
      query: PageQuery,
      responses: reading({ 200: listOf(Passkey) }, ...inOrganization, 'user_not_found'),
      metadata: access(read),
    },
    openRecovery: {
      method: 'POST',
      path: `${path}/users/:user_id/passkey-recovery`,
      summary:
        'Let a user who has lost their passkeys add one by a link to their mailbox, for 24 hours; they are told by e-mail',
      pathParams: UserPath,
      body: NewPasskeyRecovery,
      responses: changing({ 201: PasskeyRecovery }, 'organization_not_found', 'user_not_found'),
      metadata: access({ ...write, danger: 'proof', emits: ['passkey.recovery.open.success'] }),
    },
    get: {
      method: 'GET',
      path: `${ofUser}/:passkey_id`,
      summary: 'Get a passkey of a user',
      pathParams: PasskeyPath,
      query: EnvironmentQuery,
      responses: reading({ 200: Passkey }, ...inOrganization, 'passkey_not_found', 'invalid_parameters'),
      metadata: access({ ...read, versioned: 'answers' }),
    },
    update: {
      method: 'PUT',
      path: `${ofUser}/:passkey_id`,
      summary: 'Rename a passkey of a user',
      headers: ifMatchHeader,
      pathParams: PasskeyPath,
      body: PasskeyChanges,
      responses: changing(
        { 200: Passkey },
        'organization_not_found',
        'passkey_not_found',
        'precondition_failed',
      ),
      metadata: access({ ...write, emits: ['passkey.passkey.update.success'], versioned: 'checks' }),
    },
    delete: {
      method: 'DELETE',
      path: `${ofUser}/:passkey_id`,
      summary:
        'Remove a passkey of a user, also their last way to sign in; their sessions end, and they are told by e-mail',
      headers: ifMatchHeader,
      pathParams: PasskeyPath,
      responses: changing(
        { 200: deletionOf(Passkey) },
        'organization_not_found',
        'passkey_not_found',
        'precondition_failed',
      ),
      metadata: access({
        ...write,
        danger: 'proof',
        emits: ['passkey.passkey.delete.success'],
        versioned: 'checks',
      }),
    },
    createRegistration: {
      method: 'POST',
      path: `${path}/passkey-registrations`,
      summary: 'Ask for a new passkey of a user, on a page of an application',
      pathParams: OrganizationPath,
      body: NewPasskeyRegistration,
      responses: changing(
        { 201: PasskeyRegistration },
        'organization_not_found',
        'user_not_found',
        'application_not_found',
        'user_inactive',
        'passkeys_inactive',
      ),
      metadata: access({ ...write, asUser: 'refused' }),
    },
    completeRegistration: {
      method: 'PUT',
      path: `${path}/passkey-registrations/:registration_id`,
      summary: 'Add the passkey that a browser has made for a registration, which is good for one answer',
      pathParams: RegistrationPath,
      body: PasskeyRegistrationAnswer,
      responses: changing(
        { 200: Passkey },
        'organization_not_found',
        'passkey_registration_not_found',
        'passkey_rejected',
        'user_inactive',
        'passkeys_inactive',
        'passkey_not_allowed',
        'passkey_taken',
        'passkeys_exhausted',
      ),
      metadata: access({
        ...write,
        asUser: 'refused',
        emits: ['passkey.passkey.create.success'],
        versioned: 'answers',
      }),
    },
    createChallenge: {
      method: 'POST',
      path: '/api/v2/passkey-challenge',
      summary:
        'Ask for a passkey on a page of an application, whosever it is, or that of a user as their second factor',
      body: NewPasskeyChallenge,
      responses: changing(
        { 201: OpenPasskeyChallenge },
        'organization_not_found',
        'application_not_found',
        'passkeys_inactive',
        'no_application',
      ),
      metadata: access({ ...write, asUser: 'refused', reach: 'caller' }),
    },
    validateChallenge: {
      method: 'PUT',
      path: '/api/v2/passkey-challenge/validation',
      summary:
        'Sign in the user of a passkey by what a browser has answered to a challenge, which is good for one answer',
      body: PasskeyChallengeAnswer,
      responses: changing({ 200: PassedPasskeyChallenge }, 'passkey_rejected'),
      metadata: access({
        ...write,
        asUser: 'refused',
        reach: 'caller',
        emits: ['user.session.create.success', 'passkey.challenge.validate.success'],
      }),
    },
  },
  { strictStatusCodes: true },
)

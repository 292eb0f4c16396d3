import { initContract } from '@ts-rest/core'
import { z } from 'zod/v4'
import { access } from '../core/access.js'
import { reading } from '../core/answers.js'
import { email, id, personal, slug, timestamp } from '../core/fields.js'
import { exampleOf, record } from '../core/record.js'

/** What can stand in the way of a sign-in, or has, in the order in which a sign-in meets it. */
export const findingCodes = [
  /** No application of the organization can receive a user. */
  'no_application',
  /** The last sign-in ended because its application, or the redirect URL of its request, is not allowed any more. */
  'redirect_not_allowed',
  /** Neither password nor link nor an identity provider is on, and the user has neither a passkey nor an account at a social provider. */
  'no_method',
  /** The list of the organization has not the domain of the address. */
  'email_domain_not_allowed',
  /** The connection that owns the domain of the address is switched off. */
  'sso_inactive',
  /** The same connection lacks metadata, or a client. */
  'sso_not_configured',
  /** The newest certificate of its metadata has ended; by itself this stops nobody. */
  'sso_certificate_ended',
  /** The last sign-in by the connection failed at a check. */
  'sso_attempt_failed',
  /** The policy of the connection does not let the address in. */
  'sso_policy',
  /** No user has the address, and nothing makes one. */
  'no_user',
  /** A user had the address and was deleted. */
  'user_deleted',
  /** No user has the address, and the next sign-in makes one, or leads to a page on which to ask. */
  'not_yet_user',
  /** A newcomer has no seat. */
  'no_seat',
  'user_inactive',
  /** Too many attempts at the password, or at challenges of single sign-on. */
  'locked',
  /** No password is set, where the pages ask for one. */
  'password_missing',
  /** The mail server has accepted the last mail. */
  'mail_sent',
  /** The outbox has kept the last mail. */
  'mail_kept',
  /** The mail server has not accepted the last mail. */
  'mail_failed',
  /** The address gets no mail until the limit ends. */
  'mail_limit',
  /** A second factor is demanded, and the user has none. */
  'second_factor_missing',
  /** The user has a second factor, which is asked for: a code, or a passkey. */
  'second_factor_enrolled',
  /** Too many wrong codes. */
  'second_factor_locked',
  /** The user lacks metadata that the organization requires; this stops nobody. */
  'required_metadata_missing',
  /** The last attempt was refused for a reason that is gone, or was the person's own, such as a wrong password or an old link. */
  'attempt_refused',
] as const
export type FindingCode = (typeof findingCodes)[number]

/** What mends a finding. */
export const findingActions = [
  'edit_application',
  'edit_sign_in_methods',
  'edit_allowed_domains',
  'edit_sso_connection',
  'edit_policy',
  'edit_passkeys',
  'create_user',
  'activate_user',
  'unlock',
  'send_link',
  'send_password_mail',
  'remove_second_factor',
  'edit_metadata',
] as const
export type FindingAction = (typeof findingActions)[number]

/** Where a finding is shown: in what is stored now, or in what has happened. */
export const findingSources = ['settings', 'user', 'limit', 'log_event', 'login_attempt', 'outbox'] as const
export type FindingSource = (typeof findingSources)[number]

const Proof = z.object({
  source: z.enum(findingSources),
  at: timestamp().nullable().describe('When it happened; null of what is so now'),
  id: z
    .string()
    .nullable()
    .describe('Of the login attempt or the message; of a log event the id of its request'),
})

export const Finding = record(
  'Finding',
  {
    __type__: z.literal('Finding'),
    code: z.enum(findingCodes),
    stops: z.boolean().describe('The person cannot sign in as long as this is so'),
    proof: Proof,
    action: z.enum(findingActions).nullable(),
    idp_id: z.string().nullable().describe('The SSO connection that it is about'),
    until: timestamp().nullable().describe('When it ends by itself, or from when on it stops'),
    count: z.int().nullable().describe('Attempts, messages or seats'),
    detail: personal(z.string().nullable()).describe(
      'What it is about: the failed check, the policy, the mail and the answer of the server, the reason of the log event, the allowed domains, or how the address becomes a user',
    ),
  },
  {
    __type__: 'Finding',
    code: 'locked',
    stops: true,
    proof: { source: 'limit', at: null, id: null },
    action: 'unlock',
    idp_id: null,
    until: '2026-03-14T09:41:53.589Z',
    count: 10,
    detail: null,
  },
)
export type Finding = z.output<typeof Finding>

export const Diagnosis = record(
  'Diagnosis',
  {
    __type__: z.literal('Diagnosis'),
    org_domain: slug(),
    org_name: z.string(),
    user_id: id().nullable().describe('Null where no user has the address'),
    verdict: z.enum(['can', 'cannot']),
    method: z
      .enum(['sso', 'password', 'magic_link', 'passkey', 'social'])
      .nullable()
      .describe('By what the pages sign the address in; null without a method'),
    last_signed_in_at: timestamp().nullable(),
    findings: z.array(Finding).describe('In the order in which a sign-in meets them'),
  },
  {
    __type__: 'Diagnosis',
    org_domain: 'awesome-company',
    org_name: 'Awesome Company',
    user_id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
    verdict: 'cannot',
    method: 'password',
    last_signed_in_at: '2026-03-13T08:00:00.000Z',
    findings: [exampleOf(Finding)],
  },
)
export type Diagnosis = z.output<typeof Diagnosis>

export const Diagnoses = record(
  'Diagnoses',
  {
    __type__: z.literal('Diagnoses'),
    email: personal(z.string()),
    data: z.array(Diagnosis),
    is_cut: z.boolean().describe('There are more than the 20 organizations that are looked at'),
  },
  {
    __type__: 'Diagnoses',
    email: 'ada@awesome.example',
    data: [exampleOf(Diagnosis)],
    is_cut: false,
  },
)
export type Diagnoses = z.output<typeof Diagnoses>

export const DiagnosisQuery = z.object({
  email: personal(email()),
  org_domain: slug()
    .optional()
    .describe('Only in this organization, also where nothing says that the address belongs there'),
})
export type DiagnosisQuery = z.output<typeof DiagnosisQuery>

const tag = {
  name: 'People',
  description: 'Who has an address, and why its owner cannot sign in.',
  notPromoted: 'persons stay in their environment',
}
const c = initContract()

export const people = c.router(
  {
    diagnose: {
      method: 'GET',
      path: '/console/v1/people/diagnosis',
      summary: 'Say why the owner of an address can or cannot sign in',
      query: DiagnosisQuery,
      responses: reading(
        { 200: Diagnoses },
        'invalid_parameters',
        'organization_not_found',
        'key_limited_to_organizations',
      ),
      metadata: access({ tag, scope: 'read:people', reach: 'account' }),
    },
  },
  { strictStatusCodes: true },
)

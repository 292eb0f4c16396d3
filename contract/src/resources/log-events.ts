import { initContract } from '@ts-rest/core'
import { z } from 'zod/v4'
import { access } from '../core/access.js'
import { inOrganization, reading } from '../core/answers.js'
import {
  environments,
  filter,
  filterText,
  id,
  OrganizationPath,
  PageQuery,
  personal,
  reference,
  slug,
  timestamp,
} from '../core/fields.js'
import { exampleOf, Pagination, record } from '../core/record.js'

/** The meaning of each code of log events. */
export const logEventCodes = {
  API_KEY_TOKEN_ISSUED: 'An API key got an access token.',
  API_KEY_TOKEN_REFUSED: 'Credentials with the client_id of an API key were refused.',
  END_USER_MAGIC_LINK_STARTED: 'A magic link was asked for.',
  END_USER_MAGIC_LINK_SUCCESS:
    'A user signed in by a magic link; with a reason, the user goes on with that instead.',
  END_USER_MAGIC_LINK_FAILED: 'A magic link was opened and signed nobody in.',
  END_USER_PASSWORD_SUCCESS: 'The password of a user who signs in was right.',
  END_USER_PASSWORD_FAILED: 'A password was refused.',
  PASSWORD_SET: 'A user has a new password.',
  END_USER_TOTP_STARTED: 'A user was asked for a code.',
  END_USER_TOTP_SUCCESS: 'The code of a user was right.',
  END_USER_TOTP_FAILED: 'A code of a user was refused.',
  TOTP_ENROLLED: 'The enrolment of a user was validated.',
  END_USER_RELAY_STARTED: 'A user was to be carried to a partner.',
  END_USER_RELAY_SUCCESS: 'A user who was carried by a relay signed in.',
  END_USER_RELAY_FAILED: 'The address of a relay was opened and signed nobody in.',
  SSO_END_USER_SAML_STARTED: 'A user was sent to the identity provider of an SSO connection.',
  SSO_END_USER_SAML_SUCCESS: 'A user signed in by an SSO connection.',
  SSO_END_USER_SAML_FAILED:
    'The response of an identity provider signed nobody in; the login trace has every check it went through. The reason rate_limited: no more responses of its network to this connection are taken for some minutes, and those leave no trace.',
  SSO_END_USER_OIDC_STARTED: 'A user was sent to the OpenID provider of an SSO connection.',
  SSO_END_USER_OIDC_SUCCESS: 'A user signed in by an SSO connection of OpenID Connect.',
  SSO_END_USER_OIDC_FAILED:
    'The answer of an OpenID provider signed nobody in; the login trace has every check it went through.',
  SCIM_REQUEST_FAILED:
    'A request of the provider of a directory was refused; the log of the directory has it.',
  SSO_CERTIFICATE_EXPIRES:
    'A signing certificate of an identity provider expires within 30 days, or has expired.',
  ADMIN_ONBOARDING_INVITED: 'An administrator was invited.',
  ADMIN_ONBOARDING_LOGIN: 'An administrator opened an invitation and typed the code that was mailed.',
  ADMIN_ONBOARDING_LOGIN_FAILED: 'The code of an administrator was refused.',
  ADMIN_ONBOARDING_PROVIDER_CHOSEN: 'An administrator chose the kind of the identity provider.',
  ADMIN_ONBOARDING_XML_PROVIDED:
    'An administrator provided the metadata of the identity provider, or the client of OpenID Connect.',
  ADMIN_ONBOARDING_TESTED: 'An administrator tested the connection; the reason has the check that failed.',
  ADMIN_ONBOARDING_DECLINED: 'An administrator is not in charge.',
  END_USER_SIGN_IN_STARTED: 'An application sent a user to the sign-in pages.',
  END_USER_SIGN_IN_SUCCESS: 'A user signed in on the sign-in pages.',
  END_USER_SIGN_IN_FAILED: 'A sign-in on the pages was done, and led nobody in.',
  END_USER_SIGNED_OUT: 'A user signed out, or was signed out of a session.',
  TOKEN_REFRESHED: 'A refresh token was exchanged for tokens.',
  TOKEN_REFRESH_FAILED: 'A refresh token was refused.',
  REFRESH_TOKEN_REUSED:
    'A refresh token came again after another took its place: somebody else may have it, and none of its family is good any more.',
  REFRESH_TOKEN_REVOKED: 'An application gave a refresh token back.',
  TOKEN_EXCHANGED: 'An authorization code was exchanged for tokens.',
  TOKEN_EXCHANGE_FAILED: 'An authorization code was refused.',
  WEBHOOK_DISABLED: 'A webhook was made inactive, because nothing was delivered to it for five days.',
  REQUIRED_METADATA_MISSING: 'A user signed in without metadata that the organization requires.',
} as const satisfies Record<string, string>
export type LogEventCode = keyof typeof logEventCodes

export const LogEvent = record(
  'LogEvent',
  {
    __type__: z.literal('Event'),
    id: z.int(),
    event_code: z.string(),
    client_id: id().nullable().describe('The application, or the API key'),
    database: z.enum(environments).nullable(),
    email: personal(z.string().nullable()),
    resource_owner_id: id().nullable().describe('The user'),
    saml_identity_provider_id: z.string().describe('idp_id of the SSO connection; empty without one'),
    tenant_domain: slug(),
    reason: z.string().nullable().describe('Why it failed, or what has to come yet'),
    request_id: z.string(),
    inserted_at: timestamp(),
  },
  {
    __type__: 'Event',
    id: 4711,
    event_code: 'END_USER_MAGIC_LINK_SUCCESS',
    client_id: '0190c8b0-3f4e-7d5c-b6a7-98f0e1d2c3b4',
    database: 'sandbox',
    email: 'ada@awesome.example',
    resource_owner_id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
    saml_identity_provider_id: '',
    tenant_domain: 'awesome-company',
    reason: null,
    request_id: '5b1d6a1e-7d0b-4f0f-8a52-0b7b7d7f2a11',
    inserted_at: '2026-03-14T09:26:53.589Z',
  },
)
export type LogEvent = z.output<typeof LogEvent>

export const LogEventList = record(
  'LogEventList',
  {
    __type__: z.literal('List'),
    data: z.array(LogEvent),
    paginate: Pagination,
    total_count: z.int(),
    next_cursor: z.string().nullable().describe('Value of after for the next page; null at the end'),
  },
  {
    __type__: 'List',
    data: [exampleOf(LogEvent)],
    paginate: exampleOf(Pagination),
    total_count: 1,
    next_cursor: null,
  },
)
export type LogEventList = z.output<typeof LogEventList>

export const LogEventQuery = PageQuery.extend({
  code: filter(z.enum(Object.keys(logEventCodes))).describe('Only log events of this code'),
  client_id: filter(reference()).describe('Only log events of this application or API key'),
  saml_identity_provider_id: filterText().describe('Only log events of this SSO connection'),
  s: z
    .string()
    .optional()
    .catch(undefined)
    .describe('inserted_at, code or id; `code desc` or - before it: descending. Newest first without it'),
})
export type LogEventQuery = z.output<typeof LogEventQuery>

const tag = { name: 'Log events', description: 'What happened at sign-in, for people who look into it.' }
const c = initContract()

export const logEvents = c.router(
  {
    list: {
      method: 'GET',
      path: '/api/v2/org/:org_domain/log-events',
      summary: 'List what happened at sign-in, newest first',
      pathParams: OrganizationPath,
      query: LogEventQuery,
      responses: reading({ 200: LogEventList }, ...inOrganization),
      metadata: access({ tag, scope: 'read:log_events' }),
    },
  },
  { strictStatusCodes: true },
)

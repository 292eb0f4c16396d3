import { initContract } from '@ts-rest/core'
import { z } from 'zod/v4'
import { access } from '../core/access.js'
import { inOrganization, reading } from '../core/answers.js'
import {
  email,
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
import { order } from '../core/order.js'
import { exampleOf, Pagination, record } from '../core/record.js'

/** The mails of the service, as the reason of MAIL_SENT and MAIL_FAILED names them. */
export const mailNames = [
  'sign_in_link',
  'password_link',
  'invitation',
  'join_requests',
  'join_decision',
  'password_set',
  'recovery_code_used',
  'totp_enrolled',
  'totp_enrollment_forced',
  'totp_enrollment_removed',
  'recovery_codes_renewed',
  'account_deleted',
  'deletion_request',
  'email_change_code',
  'email_changed',
  'email_change_tried',
  'email_change_reverted',
  'passkey_added',
  'passkey_removed',
  'passkey_disabled',
  'passkey_recovery_opened',
  'passkey_recovery_code_used',
  'identity_linked',
  'identity_unlinked',
  'impersonation',
  'admin_invitation',
  'admin_code',
  'address_code',
  'metadata_notice',
  'domain_notice',
] as const
export type MailName = (typeof mailNames)[number]

/**
 * Why a user was not signed in: the reasons of `END_USER_PASSWORD_FAILED`, `…_MAGIC_LINK_FAILED`, `…_TOTP_FAILED`, `…_PASSKEY_FAILED`,
 * `…_SOCIAL_FAILED` and `…_SIGN_IN_FAILED`.
 */
export const refusalReasons = [
  ...['user_not_found', 'user_inactive', 'email_domain_not_allowed', 'sso_required', 'seats_exhausted'],
  ...['join_not_allowed', 'may_ask', 'redirect_not_allowed', 'other_user_expected', 'session_ended'],
  ...['passkey_expected', 'second_factor_expected'],
  ...['consent_refused', 'address_locked', 'password_missing', 'password_wrong', 'changed_meanwhile'],
  ...['link_used', 'link_voided', 'link_expired', 'connection_inactive', 'password_request_closed'],
  ...['flow_over', 'other_browser', 'link_code_wrong', 'link_code_voided', 'totp_enrollment_required'],
  ...['locked', 'code_rejected', 'challenge_not_open', 'sign_in_over', 'enrollment_code_rejected'],
  ...['enrollment_voided', 'passkey_unknown', 'passkey_wrong', 'passkey_disabled', 'passkeys_inactive'],
  ...['passkey_of_other_organization', 'passkey_enrollment_required', 'provider_denied', 'not_fresh'],
] as const
export type RefusalReason = (typeof refusalReasons)[number]

/** The meaning of each code of log events. */
export const logEventCodes = {
  API_KEY_TOKEN_ISSUED: 'An access token was issued to an API key.',
  API_KEY_TOKEN_REFUSED: 'A token request with the client_id of an API key was refused.',
  DOMAIN_VERIFIED: 'A domain of an organization was proved; the reason is the domain.',
  DOMAIN_LAPSED:
    'The record of a proved domain is missing: the domain lapses in 14 days, or has lapsed; the reason is the domain.',
  END_USER_MAGIC_LINK_STARTED: 'A magic link was requested.',
  END_USER_MAGIC_LINK_SUCCESS:
    'A user signed in with a magic link; a reason names the step that has to follow instead.',
  END_USER_MAGIC_LINK_FAILED: 'A magic link was opened, and no user was signed in.',
  END_USER_MAGIC_LINK_NOT_SENT:
    'No link was mailed, because it would lead nowhere: the reason is user_not_found, where links create no user of the address, or user_inactive.',
  END_USER_PASSWORD_SUCCESS: 'The password of a user who is signing in was correct.',
  END_USER_PASSWORD_FAILED: 'A password was refused.',
  PASSWORD_SET: 'A user has a new password.',
  END_USER_TOTP_STARTED: 'A code was requested from a user.',
  END_USER_TOTP_SUCCESS: 'The code of a user was correct.',
  END_USER_TOTP_FAILED: 'A code of a user was refused.',
  TOTP_ENROLLED: 'The enrolment of a user was validated.',
  TOTP_REMOVED: 'The enrolment of a user was removed.',
  END_USER_PASSKEY_REGISTERED: 'A user added a passkey.',
  PASSKEY_RECOVERY_OPENED: 'A user who has lost their passkeys was let add one by their mailbox.',
  PASSKEY_RECOVERY_CODE_USED:
    'A user who is signing in used a recovery code in place of a passkey, to add another one.',
  END_USER_PASSKEY_SUCCESS: 'The passkey of a user who is signing in was right.',
  END_USER_PASSKEY_FAILED: 'A passkey, or a recovery code in its place, was refused.',
  END_USER_RELAY_STARTED: 'The handover of a user to a partner was requested.',
  END_USER_RELAY_SUCCESS: 'A user who was handed over by a relay signed in.',
  END_USER_RELAY_FAILED: 'The URL of a relay request was opened, and no user was signed in.',
  SSO_END_USER_SAML_STARTED: 'A user was redirected to the identity provider of an SSO connection.',
  SSO_END_USER_SAML_SUCCESS: 'A user signed in with an SSO connection.',
  SSO_END_USER_SAML_FAILED:
    'The response of an identity provider was refused; the login trace contains the result of each check. With the reason rate_limited, further responses from its network to this connection are refused for some minutes without a login trace.',
  SSO_END_USER_OIDC_STARTED: 'A user was redirected to the OpenID provider of an SSO connection.',
  SSO_END_USER_OIDC_SUCCESS: 'A user signed in with an OpenID Connect connection.',
  SSO_END_USER_OIDC_FAILED:
    'The answer of an OpenID provider was refused; the login trace contains the result of each check.',
  END_USER_SOCIAL_STARTED: 'A user was redirected to a social provider; the reason is its name.',
  END_USER_SOCIAL_SUCCESS:
    'A user signed in with a social provider; a reason names the step that has to follow.',
  END_USER_SOCIAL_FAILED:
    'A sign-in with a social provider was refused, or went to single sign-on; the reason is what was wrong with the answer, or why its user may not come in.',
  SCIM_REQUEST_FAILED:
    'A request of the provider of a directory was refused; the request log of the directory contains it.',
  ATTRIBUTE_NOT_MAPPED:
    'A value of a directory or identity provider did not fit the targets in attribute_mapping that the reason names, and was left out.',
  ROLE_MAPPING_UNMATCHED:
    'The directory has no group any more of a name in role_mapping: the last one was renamed or deleted; the reason is the name.',
  SSO_CERTIFICATE_EXPIRES:
    'A signing certificate of an identity provider expires within 30 days, or has expired.',
  ADMIN_ONBOARDING_INVITED: 'An administrator was invited.',
  ADMIN_ONBOARDING_LOGIN: 'An administrator opened an invitation and entered the code sent by e-mail.',
  ADMIN_ONBOARDING_LOGIN_FAILED: 'The code of an administrator was refused.',
  ADMIN_ONBOARDING_PROVIDER_CHOSEN: 'An administrator chose the type of the identity provider.',
  ADMIN_ONBOARDING_XML_PROVIDED:
    'An administrator provided the metadata of the identity provider, or the OpenID Connect client.',
  ADMIN_ONBOARDING_TESTED: 'An administrator tested the connection; the reason names the check that failed.',
  ADMIN_ONBOARDING_DECLINED: 'An administrator declined the invitation.',
  ACCOUNT_DATA_DOWNLOADED: 'A user downloaded what is stored of them, on the account page.',
  ACCOUNT_DELETED_BY_USER: 'A user deleted their own account, on the account page.',
  ACCOUNT_DELETION_REQUESTED: 'A user asked that their account be deleted, on the account page.',
  ACCOUNT_EMAIL_CHANGE_REQUESTED: 'A user asked to change their address, on the account page.',
  ACCOUNT_EMAIL_CHANGE_FAILED:
    'A code of a change of an address was refused, on the account page; email is the address that it was mailed to.',
  ACCOUNT_EMAIL_CHANGED: 'A user changed their address, on the account page; email is the one of before.',
  ACCOUNT_EMAIL_CHANGE_REVERTED:
    'The address of a user was put back by the link in the mail to it, and their sessions ended; email is the address that is back.',
  ACCOUNT_SIGN_IN_STARTED: 'A link to an address was asked for, in a sign-in that names no organization.',
  ACCOUNT_SIGN_IN_PROVED: 'The owner of an address proved it, and may choose an organization.',
  ACCOUNT_SIGN_IN_NOT_OFFERED: 'No link was mailed, because the address can enter no organization.',
  END_USER_SIGN_IN_STARTED: 'An application sent a user to the sign-in pages.',
  END_USER_SIGN_IN_SUCCESS: 'A user signed in on the sign-in pages, or by a discovery of the API.',
  END_USER_SIGN_IN_FAILED: 'A sign-in on the pages ended, and no user was signed in.',
  INITIATE_LOGIN_URI_MISSING:
    'A sign-in that began at the identity provider, or with an invitation, ended on a page: the application needs PKCE or client authentication, so it must begin sign-ins itself. Set its initiate_login_uri.',
  END_USER_SIGNED_OUT: 'A user signed out, or was signed out of a session.',
  END_USER_INVITATION_OPENED: 'The sign-in of an invitation was begun.',
  END_USER_INVITATION_ACCEPTED: 'The user of an invitation came in.',
  END_USER_INVITATION_REFUSED:
    'An invitation was opened, and nobody came in: no_method, where the organization has no sign-in method for the address, or the rule that has refused it.',
  END_USER_JOIN_REQUESTED:
    'Somebody with an address of a verified domain has asked to join the organization.',
  END_USER_IMPERSONATED: 'A member of staff signed in as a user; the reason is the id of the impersonation.',
  END_USER_IMPERSONATION_ENDED: 'An impersonation ended; the reason is its id.',
  BACKCHANNEL_LOGOUT_DELIVERED: 'An application received the logout token of an ended session.',
  BACKCHANNEL_LOGOUT_FAILED:
    'An application did not receive the logout token of an ended session: it refused it, which the reason quotes, or did not accept it in two and a half hours.',
  TOKEN_REFRESHED: 'A refresh token was exchanged for tokens.',
  TOKEN_REFRESH_FAILED: 'A refresh token was refused.',
  REFRESH_TOKEN_REUSED:
    'A refresh token was used again after its rotation: it may have been stolen, so its whole family is revoked.',
  REFRESH_TOKEN_REVOKED: 'An application revoked a refresh token.',
  ACCESS_TOKEN_REVOKED:
    'An application revoked an access token, and with it every token of the same authorization code.',
  TOKEN_EXCHANGED: 'An authorization code was exchanged for tokens.',
  TOKEN_EXCHANGE_FAILED: 'An authorization code was refused.',
  MAIL_SENT:
    'The mail server has accepted a mail; the reason names it. Mails that the outbox keeps are not sent.',
  MAIL_FAILED:
    'The mail server has not accepted a mail, which is tried again a few times; the reason names the mail and quotes the answer of the server.',
  SMS_SENT: 'The provider has accepted a text message. Those that the outbox keeps are not sent.',
  SMS_FAILED:
    'The provider has not accepted a text message, which is tried again a few times; the reason is what it has answered.',
  WEBHOOK_DISABLED: 'A webhook was deactivated, because nothing was delivered to it for five days.',
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
    reason: z.string().nullable().describe('Reason of the failure, or the step that has to follow'),
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

/** What lists of them can be ordered by. */
const logEventOrders = ['inserted_at', 'code', 'id'] as const

const moment = () => filter(z.iso.datetime({ offset: true }))

export const LogEventQuery = PageQuery.extend({
  code: filter(z.enum(Object.keys(logEventCodes))).describe('Only log events of this code'),
  client_id: filter(reference()).describe('Only log events of this application or API key'),
  saml_identity_provider_id: filterText().describe('Only log events of this SSO connection'),
  user_id: filter(reference()).describe('Only log events of this user'),
  email: personal(filter(email()).describe('Only log events of this address, in any case')),
  request_id: filterText().describe(
    'Only log events of the request with this id. All log events of the time are read for it: send since and until, too',
  ),
  since: moment().describe('Only log events from this time on'),
  until: moment().describe('Only log events before this time'),
  s: order(
    logEventOrders,
    'inserted_at, code or id; `code desc` or a prefix - for descending order. Default: newest first',
  ),
})
export type LogEventQuery = z.output<typeof LogEventQuery>

const tag = { name: 'Log events', description: 'What happened at sign-in, for people who look into it.' }
const c = initContract()

export const logEvents = c.router(
  {
    list: {
      method: 'GET',
      path: '/api/v2/org/:org_domain/log-events',
      summary: 'List log events of sign-ins, newest first',
      pathParams: OrganizationPath,
      query: LogEventQuery,
      responses: reading({ 200: LogEventList }, ...inOrganization),
      metadata: access({ tag, scope: 'read:log_events' }),
    },
    listOfAccount: {
      method: 'GET',
      path: '/api/v2/log-events',
      summary: 'List log events of the account and of all its organizations, newest first',
      query: LogEventQuery,
      responses: reading({ 200: LogEventList }, 'key_limited_to_organizations'),
      metadata: access({ tag, scope: 'read:log_events', reach: 'account' }),
    },
  },
  { strictStatusCodes: true },
)

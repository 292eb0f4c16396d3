import { z } from 'zod/v4'

/**
 * Every error code of the public JSON API: its HTTP status, what it means, and what the caller can do.
 * The one place that pairs a code with a status; the OAuth endpoints answer RFC 6749 section 5.2 instead.
 */
export const errorCodes = {
  malformed_request: {
    status: 400,
    message: 'The request cannot be read: its path or its body is not well formed.',
    remedy: 'Send valid JSON or a URL-encoded form, and percent-encode path segments.',
  },
  invalid_token: {
    status: 401,
    message: 'The access token is missing, expired, revoked, or not meant for this API.',
    remedy: 'Get a token with the client credentials of an API key at /api/v2/oauth/token.',
  },
  totp_code_rejected: {
    status: 401,
    message: 'The code is incorrect, or it has already been used.',
    remedy: 'Ask the user for the current code, or for one of the recovery codes.',
  },
  passkey_rejected: {
    status: 401,
    message: 'The passkey is not accepted: its answer is wrong or late, or its user may not sign in here.',
    remedy:
      'Ask for another challenge and show its options on the page; each is good for one answer. The log of the organization has the reason.',
  },
  https_required: {
    status: 403,
    message: 'The request did not arrive over HTTPS.',
    remedy: 'Use the https URL. Behind a proxy, list the proxy in TRUSTED_PROXIES.',
  },
  insufficient_scope: {
    status: 403,
    message: 'The API key does not have the scope that this operation requires.',
    remedy: 'Use a key with the scope named by the reference page of the operation.',
  },
  key_limited_to_organizations: {
    status: 403,
    message: 'The API key is limited to some organizations and cannot act on the whole account.',
    remedy: 'Use a key of the account that is not limited to organizations.',
  },
  plan_limit_reached: {
    status: 403,
    message: 'The plan of the account allows no more organizations.',
    remedy: 'Delete an organization, or move the account to a larger plan.',
  },
  email_domain_not_allowed: {
    status: 403,
    message: 'The organization does not allow sign-ins with addresses at this domain.',
    remedy: 'Add the domain to allowed_email_domains of the organization, or use another address.',
  },
  join_not_allowed: {
    status: 403,
    message: 'Nobody joins the organization by an address at this domain.',
    remedy: 'Verify the domain of the address for the organization, or invite the address.',
  },
  sso_required: {
    status: 403,
    message: 'Users with an address at this domain can only sign in with single sign-on.',
    remedy: 'Send the user to the identity provider, or add the address to sso_exempt_emails of the domain.',
  },
  seats_exhausted: {
    status: 403,
    message: 'The organization has no seat left, for an invitation beside those that are pending.',
    remedy: 'Raise seats_limit of the policy of the organization, delete a user, or revoke an invitation.',
  },
  impersonation_refused: {
    status: 403,
    message: 'The organization does not allow impersonation of its users.',
    remedy: 'Ask the organization for permission, then set impersonation to allowed on it.',
  },
  sandbox_only: {
    status: 403,
    message: 'This operation exists only in the sandbox.',
    remedy: 'Call it with a sandbox key.',
  },
  totp_inactive: {
    status: 403,
    message: 'The TOTP connection of the organization is switched off.',
    remedy: 'Set active to true on the TOTP connection.',
  },
  totp_enrollment_required: {
    status: 403,
    message: 'The policy of the organization demands two-step verification, and the user has not set it up.',
    remedy:
      'Enrol the user with POST /totp-enrollment/<user_id>, then check the password again; or have the user sign in on the sign-in pages, which enrol it.',
  },
  passkey_enrollment_required: {
    status: 403,
    message: 'The organization demands passkeys, and the user has none.',
    remedy:
      'Have the user sign in on the sign-in pages, which add one. Where TOTP is switched on, an enrolment of the user is enough, too.',
  },
  totp_not_enrolled: {
    status: 403,
    message: 'The user has no validated TOTP enrolment.',
    remedy: 'Enrol the user, then validate the enrolment with a first code.',
  },
  totp_challenge_not_open: {
    status: 403,
    message: 'The user has no open TOTP challenge.',
    remedy: 'Create a challenge; each can be validated once, until it expires.',
  },
  totp_locked: {
    status: 403,
    message: 'Too many incorrect codes: codes of this user are refused for a while.',
    remedy: 'Wait the number of seconds in Retry-After, then create a new challenge.',
  },
  phone_number_unverified: {
    status: 403,
    message: 'The phone number of the user is not verified, so no code is sent to it.',
    remedy: 'Enrol the user again with force_enroll; the validation verifies the number.',
  },
  phone_number_not_allowed: {
    status: 403,
    message: 'The service sends no text messages to the country of this phone number.',
    remedy: 'Use another number, or add the country to SMS_COUNTRIES.',
  },
  passkeys_inactive: {
    status: 403,
    message: 'Passkeys are switched off for the organization, or do not sign in by themselves.',
    remedy:
      'Set active of the passkey connection, and first_factor for a sign-in; an address that only single sign-on lets in has no passkeys.',
  },
  passkey_not_allowed: {
    status: 403,
    message:
      'The provider of this passkey copies it to other devices, which the organization does not allow.',
    remedy: 'Have the user take another authenticator, or set synced of the passkey connection.',
  },
  route_not_found: {
    status: 404,
    message: 'No operation has this path; API paths begin with /api/v2.',
    remedy: 'Compare the path with the reference.',
  },
  account_not_found: {
    status: 404,
    message: 'No account has this domain.',
    remedy: 'Check the domain of the account in the path: portico account list shows it.',
  },
  discovery_not_found: {
    status: 404,
    message: 'The discovery_code or discovery_token is unknown, used, ended or expired.',
    remedy:
      'Create a new discovery challenge. A code and a token work once, and end with the sessions of their user.',
  },
  organization_not_found: {
    status: 404,
    message: 'This key can see no organization with this domain.',
    remedy: 'Check the domain, and that the key belongs to the account that manages the organization.',
  },
  domain_not_found: {
    status: 404,
    message: 'The organization has no such domain in this environment.',
    remedy: 'Use an id from the list of domains of the organization; the name of a domain is not its id.',
  },
  user_not_found: {
    status: 404,
    message: 'No such user exists in this organization and environment.',
    remedy: 'Check the id or e-mail address, and that the key is one of the environment the user is in.',
  },
  session_not_found: {
    status: 404,
    message: 'The user has no open session with this id.',
    remedy: 'List the sessions of the user; an expired session has ended.',
  },
  impersonation_not_found: {
    status: 404,
    message: 'The user has no active impersonation with this id.',
    remedy: 'List the impersonations of the user: ended_at and expires_at show which have ended.',
  },
  application_not_found: {
    status: 404,
    message: 'This organization can use no application with this client_id in this environment.',
    remedy: 'Check the client_id, and that the key is one of the environment the application is in.',
  },
  application_secret_not_found: {
    status: 404,
    message: 'The application has no such secret.',
    remedy: 'List its secrets; a deleted one is gone.',
  },
  permission_not_found: {
    status: 404,
    message: 'No permission has this id in this account and environment.',
    remedy: 'Check the id, and that the key is one of the environment the permission is in.',
  },
  social_provider_not_found: {
    status: 404,
    message: 'No such social provider exists in this account and environment.',
    remedy: 'Check the id, and that the key is one of the environment the provider is in.',
  },
  role_not_found: {
    status: 404,
    message: 'No role has this id in this environment.',
    remedy: 'Check the id, and that the key is one of the environment the role is in.',
  },
  invitation_not_found: {
    status: 404,
    message: 'The organization has no such invitation in this environment.',
    remedy: 'Use an id from the list of invitations; those that have ended are kept for 90 days.',
  },
  join_request_not_found: {
    status: 404,
    message: 'The organization has no such join request in this environment.',
    remedy: 'Use an id from the list of join requests; those that have ended are kept for 90 days.',
  },
  meta_key_not_found: {
    status: 404,
    message: 'The organization declares no metadata key with this name.',
    remedy: 'Declare it first with POST /api/v2/org/:org_domain/token-customization/user-metakey.',
  },
  webhook_not_found: {
    status: 404,
    message: 'No such webhook exists in this account and environment.',
    remedy: 'Check the id, and that the key is one of the environment the webhook is in.',
  },
  delivery_not_found: {
    status: 404,
    message: 'The webhook has no such delivery.',
    remedy: 'List the deliveries of the webhook; they are kept as long as their events, 90 days.',
  },
  relay_not_found: {
    status: 404,
    message: 'No such relay exists in this account and environment.',
    remedy: 'Check the id, and that the key is one of the account and environment the relay is in.',
  },
  sso_connection_not_found: {
    status: 404,
    message: 'No SSO connection of this environment has this idp_id.',
    remedy: 'Check the idp_id, and that the key is one of the environment the connection is in.',
  },
  sso_metadata_not_found: {
    status: 404,
    message: 'The SSO connection has no such version of the metadata.',
    remedy: 'Use a version that metadata of the connection lists.',
  },
  sso_oidc_client_not_found: {
    status: 404,
    message: 'The SSO connection has no OpenID Connect client of this version.',
    remedy: 'Compare the version with oidc_clients of the connection.',
  },
  default_redirection_not_found: {
    status: 404,
    message: 'The SSO connection has no such default redirection.',
    remedy: 'Create one with POST on default-redirection.',
  },
  onboarding_not_found: {
    status: 404,
    message: 'The SSO connection has no onboarding.',
    remedy: 'Start one with POST on admin-onboarding.',
  },
  admin_not_found: {
    status: 404,
    message: 'The organization has no administrator with this address.',
    remedy: 'Compare the address with the list of administrators.',
  },
  directory_sync_not_found: {
    status: 404,
    message: 'The organization has no directory.',
    remedy: 'Create one with POST on directory-sync.',
  },
  password_connection_not_found: {
    status: 404,
    message: 'The organization has no password connection in this environment.',
    remedy: 'Create it first with POST /api/v2/org/:org_domain/password-connection.',
  },
  totp_enrollment_not_found: {
    status: 404,
    message:
      'The user has no such TOTP enrolment: none that waits for its first code, or none that was validated.',
    remedy:
      'To validate one, start an enrolment; five incorrect codes end it. Only a validated one can be removed.',
  },
  identity_not_found: {
    status: 404,
    message: 'The user has no identity with this id.',
    remedy: 'Read the user, whose identities have their ids; one without an id is of their directory.',
  },
  passkey_not_found: {
    status: 404,
    message: 'The user has no passkey with this id.',
    remedy: 'List the passkeys of the user; its id is that of the service, not the credential_id.',
  },
  passkey_registration_not_found: {
    status: 404,
    message: 'There is no such registration of a passkey: it is unknown, was answered, or has expired.',
    remedy: 'Start another one; each is good for one answer within five minutes.',
  },
  method_not_allowed: {
    status: 405,
    message: 'The path exists, but not with this method.',
    remedy: 'Use one of the methods that the Allow header lists.',
  },
  email_taken: {
    status: 409,
    message: 'Another user of this organization and environment has this e-mail address.',
    remedy: 'Update that user, or choose another address.',
  },
  invitation_taken: {
    status: 409,
    message: 'The organization has invited this address already.',
    remedy: 'Send the pending invitation again with POST on resend, or revoke it first.',
  },
  invitation_not_pending: {
    status: 409,
    message: 'The invitation was accepted or revoked, or has expired.',
    remedy: 'Invite the address again, unless its user is there by now.',
  },
  join_request_decided: {
    status: 409,
    message: 'The join request was approved or denied, has expired, or its address has a user by now.',
    remedy: 'Read the join request; its owner may ask again, and can be invited.',
  },
  already_member: {
    status: 409,
    message: 'A user of the organization has this address.',
    remedy: 'Find the user by the address; an inactive one is activated by changing them.',
  },
  domain_taken: {
    status: 409,
    message: 'The organization already has this domain in this environment.',
    remedy:
      'Find it in the list of domains of the organization. A domain that was not verified within 30 days can be added again.',
  },
  meta_key_in_use: {
    status: 409,
    message: 'An attribute mapping writes values of this metadata key.',
    remedy:
      'Take the key out of attribute_mapping of the directory or SSO connection that the message names.',
  },
  metadata_managed: {
    status: 409,
    message: 'The directory that keeps this user writes the value of this metadata key.',
    remedy: 'Change the value in the directory, or take the key out of its attribute_mapping.',
  },
  meta_key_taken: {
    status: 409,
    message: 'The organization already declares a metadata key with this name.',
    remedy: 'Use the existing key, or delete it first together with its values.',
  },
  permission_taken: {
    status: 409,
    message: 'The account has a permission of this name in this environment already.',
    remedy: 'Use that permission, or choose another name.',
  },
  permission_in_use: {
    status: 409,
    message: 'Roles have this permission.',
    remedy: 'Take it from the roles first, or send force.',
  },
  social_provider_taken: {
    status: 409,
    message: 'The account has a social provider of this name in this environment already.',
    remedy: 'Change that provider, or choose another name for a custom one.',
  },
  social_provider_in_use: {
    status: 409,
    message: 'Organizations use this social provider.',
    remedy: 'Take it from their social sign-in first, or send force.',
  },
  last_sign_in_method: {
    status: 409,
    message: 'The user has no other way to sign in.',
    remedy:
      'Have them set a password or add a passkey first, or send force: they can then sign in only once you give them another way.',
  },
  role_taken: {
    status: 409,
    message: 'The account, or an organization of it, has a role of this name in this environment already.',
    remedy: 'Use that role, or choose another name: a role of an organization has no name of the account’s.',
  },
  role_in_use: {
    status: 409,
    message: 'Users have this role, or rules of mappings or the policies of organizations name it.',
    remedy: 'Take it from them first, or send force.',
  },
  password_connection_taken: {
    status: 409,
    message: 'The organization already has a password connection in this environment.',
    remedy: 'Change it with PUT.',
  },
  onboarding_taken: {
    status: 409,
    message: 'The SSO connection already has an onboarding.',
    remedy: 'Change it with PUT, or start it again with reset-onboarding.',
  },
  secret_limit_reached: {
    status: 409,
    message: 'The application already has two secrets.',
    remedy: 'Delete the one that is no longer in use: last_used_at shows when each was last used.',
  },
  directory_sync_taken: {
    status: 409,
    message: 'The organization already has a directory.',
    remedy: 'Change it with PUT, or delete it first.',
  },
  totp_enrollment_taken: {
    status: 409,
    message: 'The user has a validated enrolment.',
    remedy: 'Send force_enroll to start another one.',
  },
  passkey_taken: {
    status: 409,
    message: 'The service has this passkey already.',
    remedy: 'Show the options of a new registration, which name the passkeys that the user has.',
  },
  phone_number_missing: {
    status: 409,
    message: 'The user has no phone number to send a code to.',
    remedy: 'Set phone_number on the user, or use the method totp_mobile_app.',
  },
  connection_inactive: {
    status: 409,
    message: 'This sign-in method is switched off for the organization.',
    remedy: 'Set active to true on the connection.',
  },
  sso_connection_not_configured: {
    status: 409,
    message: 'The SSO connection has neither metadata nor an OpenID Connect client of an identity provider.',
    remedy:
      'Send the metadata XML, or issuer, oidc_client_id and oidc_client_secret, with PUT, or have the administrator finish the onboarding.',
  },
  user_inactive: {
    status: 409,
    message: 'The user is inactive and cannot sign in.',
    remedy: 'Set active to true on the user.',
  },
  relay_inactive: {
    status: 409,
    message: 'The relay is switched off.',
    remedy: 'Set active to true on the relay.',
  },
  partner_not_open: {
    status: 409,
    message:
      'The partner cannot receive users: it limits e-mail domains, or no longer allows the redirect URL.',
    remedy:
      'Empty allowed_email_domains of the partner, and allow partner_redirect_uri in an application that the partner can use.',
  },
  production_is_up: {
    status: 409,
    message: 'The organization is in production, so a sandbox key cannot make this change.',
    remedy: 'Use a production key for this change.',
  },
  idempotency_in_flight: {
    status: 409,
    message: 'A request with this Idempotency-Key is still in progress.',
    remedy: 'Send the same request again after a moment.',
  },
  events_expired: {
    status: 410,
    message: 'Events after this position are no longer stored.',
    remedy: 'Compare your copies with the current records, then read the events without after.',
  },
  precondition_failed: {
    status: 412,
    message: 'The record has changed since the version named by If-Match.',
    remedy: 'Read it again, apply the change to the current version, and send its new ETag.',
  },
  body_too_large: {
    status: 413,
    message: 'The body is larger than this operation accepts.',
    remedy: 'Send at most 100 kB, or 512 kB where metadata of an identity provider are sent.',
  },
  media_type_unsupported: {
    status: 415,
    message: 'The body must be application/json or application/x-www-form-urlencoded, in UTF-8.',
    remedy: 'Name one of the two in Content-Type, and no Content-Encoding but gzip, deflate or br.',
  },
  invalid_parameters: {
    status: 422,
    message: 'Some parameters are missing or not valid; fields names each.',
    remedy: 'Correct the members listed in fields.',
  },
  access_token_refused: {
    status: 422,
    message: 'The access token does not belong to a signed-in user of this account and environment.',
    remedy: 'Send the access token of the current session; the message names the rule that it violates.',
  },
  sso_admin_email_missing: {
    status: 422,
    message: 'The invitation has no recipient.',
    remedy: 'Send sso_admin_email, or start an onboarding with one.',
  },
  password_code_refused: {
    status: 422,
    message: 'The password_code is unknown, used or expired, or belongs to another user.',
    remedy: 'A password_code is valid once, for one hour: create a new password request.',
  },
  idempotency_key_reused: {
    status: 422,
    message: 'This Idempotency-Key was used for another request in the last 24 hours.',
    remedy: 'Use a new key for a new request; repeat a request with exactly the same parameters.',
  },
  meta_keys_exhausted: {
    status: 422,
    message: 'The organization declares the maximum number of metadata keys.',
    remedy: 'Delete a key that is no longer used; 50 are allowed.',
  },
  invitations_exhausted: {
    status: 422,
    message: 'The organization has as many pending invitations as it can have.',
    remedy: 'Revoke invitations, or wait until some are accepted or expire.',
  },
  domains_exhausted: {
    status: 422,
    message: 'The organization has the maximum number of domains in this environment.',
    remedy: 'Delete a domain that is no longer used; 50 are allowed.',
  },
  permissions_exhausted: {
    status: 422,
    message: 'The account has 500 permissions in this environment.',
    remedy: 'Delete one that no product asks about.',
  },
  social_providers_exhausted: {
    status: 422,
    message: 'The account has 50 social providers in this environment.',
    remedy: 'Delete one that no organization uses.',
  },
  roles_exhausted: {
    status: 422,
    message: 'There is the maximum number of roles in this environment.',
    remedy: 'Delete one that nobody needs: an account has 200 for all organizations, and 50 for each.',
  },
  webhooks_exhausted: {
    status: 422,
    message: 'The account has the maximum number of webhooks in this environment.',
    remedy: 'Delete a webhook that is no longer used; 100 are allowed.',
  },
  passkeys_exhausted: {
    status: 422,
    message: 'The user has the maximum number of passkeys.',
    remedy: 'Delete one that is no longer used; 20 are allowed.',
  },
  metadata_required: {
    status: 422,
    message: 'A metadata value that every user of this organization must have is missing.',
    remedy: 'Send a value for each key that is declared required.',
  },
  initiate_login_uri_required: {
    status: 422,
    message: 'The application has no initiate_login_uri, at which others can start a sign-in.',
    remedy:
      'Set initiate_login_uri of the application; with the session layer of the SDK, it ends in /auth/sign-in.',
  },
  no_application: {
    status: 422,
    message: 'No application of this environment can receive the authorization code.',
    remedy: 'Register an application with an allowed redirect URL, or name one with application_id.',
  },
  rate_limited: {
    status: 429,
    message: 'Too many requests.',
    remedy: 'Wait the number of seconds in Retry-After, then continue at a lower rate.',
  },
  internal_error: {
    status: 500,
    message: 'The service failed to answer. The failure is logged under the request id.',
    remedy: 'Report the request id to the operator of the service.',
  },
  unavailable: {
    status: 503,
    message: 'The database cannot be reached or is too busy, or the service is shutting down.',
    remedy: 'Try again after the number of seconds in Retry-After.',
  },
} as const satisfies ErrorTable

/** The codes that only routes of the console answer. They are not public: neither documents nor SDK have them. */
export const consoleErrorCodes = {
  api_key_not_found: {
    status: 404,
    message: 'No such API key exists in this account and environment.',
    remedy: 'Choose a key from the list of API keys.',
  },
  staff_not_found: {
    status: 404,
    message: 'The account has no such member of staff.',
    remedy: 'Choose one from the list of staff.',
  },
  last_owner: {
    status: 409,
    message: 'The account would have no active owner left, who alone may change its staff.',
    remedy: 'Make somebody else an owner first.',
  },
  api_key_revoked: {
    status: 409,
    message: 'The API key is revoked.',
    remedy: 'Create another key: a revoked one stays revoked.',
  },
} as const satisfies ErrorTable

/** Every code that an ApiError can have. */
export const allErrorCodes = { ...errorCodes, ...consoleErrorCodes }

type ErrorTable = Record<string, { status: number; message: string; remedy: string }>

export type PublicErrorCode = keyof typeof errorCodes
export type ErrorCode = keyof typeof allErrorCodes

/** The codes of a given status. */
export type ErrorCodeOf<Status extends number> = {
  [Code in ErrorCode]: (typeof allErrorCodes)[Code]['status'] extends Status ? Code : never
}[ErrorCode]

export const FieldError = z
  .object({
    path: z
      .string()
      .describe('Path of the member, with dots between levels, for example profile.address.locality'),
    code: z.string().describe('Kind of the fault, for example too_long'),
    message: z.string().describe('The fault, and what would be valid'),
  })
  .meta({ id: 'FieldError' })

function errorBody<const Code extends ErrorCode>(codes: readonly Code[]) {
  return z.object({
    error: z.object({
      code: z.enum(codes),
      message: z.string(),
      docs_url: z.string(),
      request_id: z.string(),
      fields: z.array(FieldError).optional().describe('Only on 422: every invalid parameter'),
    }),
  })
}

export type ErrorBody<Code extends ErrorCode = ErrorCode> = z.output<ReturnType<typeof errorBody<Code>>>
export type FieldError = z.output<typeof FieldError>

type Failures<Code extends ErrorCode> = {
  [Status in (typeof allErrorCodes)[Code]['status']]: ReturnType<typeof errorBody<Code & ErrorCodeOf<Status>>>
}

/** The error codes of one route as ts-rest responses: one body per status, with its possible codes. */
export function failures<const Code extends ErrorCode>(codes: readonly Code[]): Failures<Code> {
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of new Set(codes)) {
    const { status } = allErrorCodes[code]
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  const bodies = [...byStatus].map(([status, sameStatus]) => [status, errorBody(sameStatus)])
  // The entries have exactly the statuses of the codes, which the compiler cannot infer.
  return Object.fromEntries(bodies) as Failures<Code>
}

/** The error codes that a body made by failures() can carry; none for any other body. */
export function errorCodesOf(body: unknown): ErrorCode[] {
  return codesIn(body).filter(isErrorCode)
}

/** Every code that an error body can carry, including OAuth errors and those of the emulator's control. */
export function codesIn(body: unknown): string[] {
  const error: unknown = body instanceof z.ZodObject ? body.shape['error'] : undefined
  const code: unknown = error instanceof z.ZodObject ? error.shape['code'] : undefined
  return code instanceof z.ZodEnum ? code.options.map(String) : []
}

function isErrorCode(code: string): code is ErrorCode {
  return code in allErrorCodes
}

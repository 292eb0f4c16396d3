import { initContract } from '@ts-rest/core'
import { z } from 'zod/v4'
import { access } from '../core/access.js'
import { changing, creating, reading } from '../core/answers.js'
import { attributeMapping } from './attribute-mapping.js'
import { codeRequest } from './code-request.js'
import {
  choices,
  domainName,
  email,
  EnvironmentQuery,
  filter,
  filterText,
  flag,
  idempotencyHeader,
  ifMatchHeader,
  integer,
  list,
  PageQuery,
  pathNumber,
  personal,
  reference,
  secret,
  slug,
  text,
  url,
} from '../core/fields.js'
import { listOf } from '../core/record.js'
import { ssoRoleMapping } from './role-mapping.js'
import {
  NewSsoAdminOnboarding,
  protocols,
  providerType,
  SsoAdminOnboarding,
  SsoAdminOnboardingChanges,
} from './sso-onboarding.js'
import {
  connectionStates,
  DefaultRedirection,
  idpInitiatedModes,
  otherDomainsRules,
  SsoConnection,
  SsoLoginTrace,
  SsoOauthChallenge,
  SsoSamlChallenge,
  userPolicies,
} from './sso-records.js'

const associations = ['default_redirection', 'enterprise_connection_onboarding'] as const
export type Association = (typeof associations)[number]

/** The associations that an answer contains as records instead of ids. */
function preloads() {
  return choices(associations).optional().describe('Associations to return as records instead of ids')
}

const environmentEcho = EnvironmentQuery.shape.environment
const PreloadQuery = EnvironmentQuery.extend({ preload_associations: preloads() })
export type PreloadQuery = z.output<typeof PreloadQuery>

const idpId = z
  .string()
  .transform((name) => (/^[a-z0-9_]{1,150}$/i.test(name) ? name : ''))
  .describe('idp_id of the connection')

export const ConnectionPath = z.object({ idp_id: idpId })

const oidcClient = {
  protocol: z
    .enum(protocols)
    .optional()
    .describe(
      'Default: oidc for provider_type custom_oidc, otherwise saml. Cannot change once metadata or a client is stored',
    ),
  issuer: url()
    .optional()
    .describe(
      'Issuer of the OpenID provider, exactly as in its discovery document; send it with oidc_client_id and oidc_client_secret',
    ),
  oidc_client_id: text(255, 1).optional(),
  oidc_client_secret: secret(text(1000, 1)).optional().describe('Stored encrypted and never returned'),
}

const settings = {
  ...oidcClient,
  provider_type: providerType().optional(),
  seats_limit: integer({ min: 0, max: 1_000_000 }).optional(),
  update_user_new_connection: flag().optional(),
  email_domains: list(domainName(), 100)
    .optional()
    .describe('Declares those that the organization does not have yet among its domains'),
  other_domains: z.enum(otherDomainsRules).nullish(),
  idp_initiated: z.enum(idpInitiatedModes).optional(),
  allow_sha1: flag().optional(),
  allow_cbc_unsigned_response: flag().optional(),
  attribute_mapping: attributeMapping(),
  role_mapping: ssoRoleMapping(),
}

export const NewSsoConnection = z.strictObject({
  organization_id: reference(),
  application_id: reference()
    .optional()
    .describe('Application whose default redirect URL becomes the default redirection'),
  sso_admin_email: personal(email())
    .optional()
    .describe('Address of the administrator who sets up the connection'),
  send_email: flag().optional().describe('Sends the invitation immediately; requires sso_admin_email'),
  user_security_type: z.enum(userPolicies).optional(),
  ...settings,
  environment: environmentEcho,
})
export type NewSsoConnection = z.output<typeof NewSsoConnection>

export const SsoConnectionChanges = z.strictObject({
  active: flag().optional(),
  default_redirection_id: reference()
    .optional()
    .describe('The current or an earlier default redirection of the connection'),
  metadata: text(512_000, 1)
    .optional()
    .describe('Metadata XML of the identity provider; becomes the current version'),
  user_security_type: z.enum(userPolicies).optional(),
  ...settings,
  preload_associations: preloads(),
  environment: environmentEcho,
})
export type SsoConnectionChanges = z.output<typeof SsoConnectionChanges>

export const SsoConnectionQuery = PageQuery.extend({
  preload_associations: preloads(),
  organization_id: filter(reference()).describe('Only connections of this organization'),
  state: filter(z.enum(connectionStates)).describe('Only connections in this state'),
  active: filter(flag()).describe('true: only active connections; false: only inactive ones'),
})
export type SsoConnectionQuery = z.output<typeof SsoConnectionQuery>

export const NewDefaultRedirection = z.strictObject({
  application_id: reference(),
  organization_id: reference().describe('The organization of the connection'),
  uri: url()
    .optional()
    .describe(
      'An allowed redirect URL of the application; if omitted, its default redirect URL, or else its first allowed one',
    ),
})
export type NewDefaultRedirection = z.output<typeof NewDefaultRedirection>

const SsoUserPolicy = z.strictObject({ user_security_type: z.enum(userPolicies) })

export const NewSsoSamlChallenge = z
  .strictObject({
    redirect_uri: url()
      .optional()
      .describe(
        'An allowed redirect URL of an application; any other is replaced by the default redirect URL',
      ),
    org_domain: slug().optional().describe('Required without user_email'),
    user_email: personal(email())
      .optional()
      .describe('Address of the user, whose domain selects the connection; required without org_domain'),
    idp_id: idpId.optional().describe('Selects the connection of an organization that has several'),
    ...codeRequest,
  })
  .meta({ examples: [{ org_domain: 'awesome-company' }] })
export type NewSsoSamlChallenge = z.output<typeof NewSsoSamlChallenge>

const NewSsoOauthChallenge = NewSsoSamlChallenge

const tag = {
  name: 'SSO connections',
  description:
    'Signing in by the identity provider of an organization (SAML 2.0 or OpenID Connect), and having its administrator set that up.',
}
const path = '/api/v2/sso-connections'
const onePath = '/api/v2/sso-connections/:idp_id'
const notFound = 'sso_connection_not_found'
const read = { tag, scope: 'read:sso_connections', reach: 'caller' } as const
const write = { tag, scope: 'write:sso_connections', reach: 'caller' } as const
const c = initContract()

export const ssoConnections = c.router(
  {
    create: {
      method: 'POST',
      path,
      summary: 'Create an SSO connection of an organization',
      headers: idempotencyHeader,
      body: NewSsoConnection,
      responses: creating(
        { 201: SsoConnection },
        'organization_not_found',
        'application_not_found',
        'sso_admin_email_missing',
      ),
      metadata: access({
        ...write,
        emits: ['sso.connection.create.success'],
        idempotent: true,
        versioned: 'answers',
      }),
    },
    list: {
      method: 'GET',
      path,
      summary: 'List SSO connections, newest first',
      query: SsoConnectionQuery,
      responses: reading({ 200: listOf(SsoConnection) }),
      metadata: access(read),
    },
    get: {
      method: 'GET',
      path: onePath,
      summary: 'Get an SSO connection',
      pathParams: ConnectionPath,
      query: PreloadQuery,
      responses: reading({ 200: SsoConnection }, 'malformed_request', notFound, 'invalid_parameters'),
      metadata: access({ ...read, versioned: 'answers' }),
    },
    update: {
      method: 'PUT',
      path: onePath,
      summary: 'Change an SSO connection, or store the metadata of its identity provider',
      headers: ifMatchHeader,
      pathParams: ConnectionPath,
      body: SsoConnectionChanges,
      responses: changing(
        { 200: SsoConnection },
        notFound,
        'default_redirection_not_found',
        'precondition_failed',
      ),
      metadata: access({
        ...write,
        // What activate, disable, useMetadata and setUserPolicy do, and which domains and roles it asserts.
        danger: 'proof',
        emits: ['sso.connection.update.success'],
        versioned: 'checks',
        takesFile: true,
      }),
    },
    createDefaultRedirection: {
      method: 'POST',
      path: `${onePath}/default-redirection`,
      summary: 'Set the redirect target of IdP-initiated sign-ins; earlier ones are kept',
      headers: idempotencyHeader,
      pathParams: ConnectionPath,
      body: NewDefaultRedirection,
      responses: creating({ 201: DefaultRedirection }, notFound, 'application_not_found'),
      metadata: access({
        ...write,
        emits: ['sso.connection.update.success', 'sso.default_redirection.create.success'],
        idempotent: true,
      }),
    },
    getDefaultRedirection: {
      method: 'GET',
      path: `${onePath}/default-redirection`,
      summary: 'Get the redirect target of IdP-initiated sign-ins',
      pathParams: ConnectionPath,
      query: EnvironmentQuery,
      responses: reading(
        { 200: DefaultRedirection },
        'malformed_request',
        notFound,
        'default_redirection_not_found',
        'invalid_parameters',
      ),
      metadata: access(read),
    },
    setUserPolicy: {
      method: 'PUT',
      path: `${onePath}/sso-user-policy`,
      summary: 'Set which users may sign in',
      headers: ifMatchHeader,
      pathParams: ConnectionPath,
      body: SsoUserPolicy,
      responses: changing({ 200: SsoConnection }, notFound, 'precondition_failed'),
      metadata: access({
        ...write,
        danger: 'proof',
        emits: ['sso.connection.update.success'],
        versioned: 'checks',
      }),
    },
    createOnboarding: {
      method: 'POST',
      path: `${onePath}/admin-onboarding`,
      summary: 'Begin the onboarding of the administrator who sets up the connection',
      headers: idempotencyHeader,
      pathParams: ConnectionPath,
      body: NewSsoAdminOnboarding,
      responses: creating({ 201: SsoAdminOnboarding }, notFound, 'onboarding_taken'),
      metadata: access({
        ...write,
        emits: ['sso.connection.update.success', 'sso.onboarding.create.success'],
        idempotent: true,
        versioned: 'answers',
      }),
    },
    updateOnboarding: {
      method: 'PUT',
      path: `${onePath}/admin-onboarding`,
      summary: 'Change the administrator or the provider of the onboarding',
      headers: ifMatchHeader,
      pathParams: ConnectionPath,
      body: SsoAdminOnboardingChanges,
      responses: changing(
        { 200: SsoAdminOnboarding },
        notFound,
        'onboarding_not_found',
        'precondition_failed',
      ),
      metadata: access({
        ...write,
        emits: ['sso.connection.update.success', 'sso.onboarding.update.success'],
        versioned: 'checks',
      }),
    },
    inviteAdmin: {
      method: 'POST',
      path: `${onePath}/invite-admin`,
      summary: 'E-mail the onboarding link to the administrator; earlier links become invalid',
      headers: idempotencyHeader,
      pathParams: ConnectionPath,
      body: c.noBody(),
      responses: creating({ 201: SsoAdminOnboarding }, notFound, 'sso_admin_email_missing'),
      metadata: access({
        ...write,
        emits: ['sso.onboarding.invite.success'],
        idempotent: true,
        limited: 'mail',
      }),
    },
    resetOnboarding: {
      method: 'PATCH',
      path: `${onePath}/reset-onboarding`,
      summary: 'Restart the onboarding; the current metadata stay in use, regardless of who uploaded them',
      headers: ifMatchHeader,
      pathParams: ConnectionPath,
      body: c.noBody(),
      responses: changing(
        { 200: SsoAdminOnboarding },
        notFound,
        'onboarding_not_found',
        'precondition_failed',
      ),
      metadata: access({
        ...write,
        danger: 'proof',
        emits: ['sso.connection.update.success', 'sso.onboarding.reset.success'],
        versioned: 'checks',
      }),
    },
    activate: {
      method: 'PATCH',
      path: `${onePath}/activate`,
      summary: 'Activate an SSO connection',
      headers: ifMatchHeader,
      pathParams: ConnectionPath,
      body: c.noBody(),
      responses: changing({ 200: SsoConnection }, notFound, 'precondition_failed'),
      metadata: access({
        ...write,
        danger: 'proof',
        emits: ['sso.connection.update.success'],
        versioned: 'checks',
      }),
    },
    disable: {
      method: 'PATCH',
      path: `${onePath}/disable`,
      summary: 'Disable an SSO connection; sign-ins with it are refused',
      headers: ifMatchHeader,
      pathParams: ConnectionPath,
      body: c.noBody(),
      responses: changing({ 200: SsoConnection }, notFound, 'precondition_failed'),
      metadata: access({
        ...write,
        danger: 'proof',
        emits: ['sso.connection.update.success'],
        versioned: 'checks',
      }),
    },
    useMetadata: {
      method: 'PATCH',
      path: `${onePath}/metadata/:version/use`,
      summary: 'Make a stored version of the metadata the current one',
      headers: ifMatchHeader,
      pathParams: ConnectionPath.extend({
        version: pathNumber(),
      }),
      body: c.noBody(),
      responses: changing({ 200: SsoConnection }, notFound, 'sso_metadata_not_found', 'precondition_failed'),
      metadata: access({
        ...write,
        danger: 'proof',
        emits: ['sso.connection.update.success'],
        versioned: 'checks',
      }),
    },
    useOidcClient: {
      method: 'PATCH',
      path: `${onePath}/oidc-clients/:version/use`,
      summary: 'Make a stored OpenID Connect client the current one',
      headers: ifMatchHeader,
      pathParams: ConnectionPath.extend({
        version: pathNumber(),
      }),
      body: c.noBody(),
      responses: changing(
        { 200: SsoConnection },
        notFound,
        'sso_oidc_client_not_found',
        'precondition_failed',
      ),
      metadata: access({
        ...write,
        danger: 'proof',
        emits: ['sso.connection.update.success'],
        versioned: 'checks',
      }),
    },
    listLoginTraces: {
      method: 'GET',
      path: `${onePath}/login-traces`,
      summary: 'List the login attempts of an SSO connection with the result of each check, newest first',
      pathParams: ConnectionPath,
      query: PageQuery.extend({
        outcome: filter(z.enum(['arrived', 'success', 'failed'])).describe(
          'Only login attempts with this outcome',
        ),
        request_id: filterText().describe('Only the login attempt whose page showed this reference'),
      }),
      responses: reading({ 200: listOf(SsoLoginTrace) }, 'malformed_request', notFound),
      metadata: access(read),
    },
    createSamlChallenge: {
      method: 'POST',
      path: '/api/v2/sso-saml-challenges',
      summary: 'Create the URL that starts the sign-in of a user with an SSO connection',
      body: NewSsoSamlChallenge,
      responses: changing(
        { 201: SsoSamlChallenge },
        'organization_not_found',
        notFound,
        'application_not_found',
        'connection_inactive',
        'sso_connection_not_configured',
        'no_application',
      ),
      metadata: access({
        ...write,
        asUser: 'refused',
        emits: ['sso.challenge.create.success'],
        limited: 'sign-in',
      }),
    },
    createOauthChallenge: {
      method: 'POST',
      path: '/api/v2/sso-oauth-challenges',
      summary: 'Create the URL that starts the sign-in of a user with an OpenID Connect connection',
      body: NewSsoOauthChallenge,
      responses: changing(
        { 201: SsoOauthChallenge },
        'organization_not_found',
        notFound,
        'application_not_found',
        'connection_inactive',
        'sso_connection_not_configured',
        'no_application',
      ),
      metadata: access({
        ...write,
        asUser: 'refused',
        emits: ['sso.oauth_challenge.create.success'],
        limited: 'sign-in',
      }),
    },
  },
  { strictStatusCodes: true },
)

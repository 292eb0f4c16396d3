import { initContract } from '@ts-rest/core'
import { z } from 'zod/v4'
import { access } from '../core/access.js'
import { changing, creating, inOrganization, reading } from '../core/answers.js'
import {
  environment,
  EnvironmentQuery,
  filterText,
  id,
  idempotencyHeader,
  ifMatchHeader,
  integer,
  list,
  OrganizationPath,
  PageQuery,
  pathId,
  slug,
  text,
  timestamp,
  url,
} from '../core/fields.js'
import { order } from '../core/order.js'
import { deletedOf, deletionOf, listOf, record } from '../core/record.js'
import { clientAuthenticationInput, clientAuthenticationMembers } from './client-authentication.js'
import { permissionPrefix } from './permissions.js'

const applicationTypes = [
  'android',
  'angular',
  'ios',
  'java_app',
  'java_spring',
  'mobile',
  'node',
  'node_express',
  'php',
  'php_laravel',
  'php_symfony',
  'python_flask',
  'react',
  'regular_web',
  'ruby',
  'ruby_on_rails',
  'spa',
  'vue',
  'web',
  'webflow',
] as const

const codeExchanges = ['open', 'pkce', 'api_key'] as const
export const signingAlgorithms = ['ES256', 'RS256'] as const

const applicationId = '0190c8b0-3f4e-7d5c-b6a7-98f0e1d2c3b4'

export const Application = record(
  'Application',
  {
    __type__: z.literal('Application'),
    __domain__: slug().describe('Domain of the organization it is restricted to, otherwise of the account'),
    __database__: environment(),
    __environment__: environment(),
    __managed_by__: slug(),
    __access__: z.string().describe('limited_to:<organization> or all_organizations_of:<account>'),
    id: id(),
    client_id: id().describe('The same as id'),
    name: z.string(),
    description: z.string().nullable(),
    application_type: z.enum(applicationTypes),
    allowed_redirect_urls: z
      .array(z.string())
      .describe('Permitted redirect URIs of authorization codes; compared exactly'),
    allowed_origins_cors: z.array(z.string()),
    allowed_logout_urls: z.array(z.string()),
    allowed_web_origins: z.array(z.string()),
    default_redirect_uri_after_login: z.string().nullable(),
    default_redirect_uri_after_logout: z.string().nullable(),
    default_web_origin: z.string().nullable(),
    default_origin_cors: z.string().nullable(),
    default_logout_url: z.string().nullable(),
    organization_domain_scope: slug()
      .nullable()
      .describe('null: usable by every organization of the account'),
    access_token_lifetime_in_seconds: z.int(),
    token_signing_alg: z.enum(signingAlgorithms),
    code_exchange: z
      .enum(codeExchanges)
      .describe('Proof required for the exchange of a code besides the code'),
    ...clientAuthenticationMembers,
    permission_prefixes: z
      .array(z.string())
      .nullable()
      .describe('Beginnings of the permissions that its tokens carry; null: of all'),
    initiate_login_uri: z
      .string()
      .nullable()
      .describe('Where the application begins a sign-in that others have asked for'),
    passkey_rp_id: z
      .string()
      .nullable()
      .describe(
        'Domain of the passkeys on its own pages, whose origins are allowed_web_origins; null: no passkeys there',
      ),
    backchannel_logout_uri: z
      .string()
      .nullable()
      .describe('Where logout tokens are posted when a session with the application ends'),
    backchannel_logout_session_required: z
      .boolean()
      .describe('Whether the application needs `sid` in logout tokens; they always have it'),
    inserted_at: timestamp(),
    updated_at: timestamp(),
  },
  {
    __type__: 'Application',
    __domain__: 'acme',
    __database__: 'sandbox',
    __environment__: 'sandbox',
    __managed_by__: 'acme',
    __access__: 'all_organizations_of:acme',
    id: applicationId,
    client_id: applicationId,
    name: 'Storefront',
    description: 'Where customers order',
    application_type: 'react',
    allowed_redirect_urls: ['https://store.example/callback'],
    allowed_origins_cors: ['https://store.example'],
    allowed_logout_urls: ['https://store.example/signed-out'],
    allowed_web_origins: ['https://store.example'],
    default_redirect_uri_after_login: 'https://store.example/callback',
    default_redirect_uri_after_logout: 'https://store.example/signed-out',
    default_web_origin: 'https://store.example',
    default_origin_cors: 'https://store.example',
    default_logout_url: 'https://store.example/signed-out',
    organization_domain_scope: null,
    access_token_lifetime_in_seconds: 3600,
    token_signing_alg: 'ES256',
    code_exchange: 'open',
    client_authentication: 'none',
    pkce: 'required',
    jwks: null,
    jwks_uri: null,
    permission_prefixes: null,
    initiate_login_uri: 'https://store.example/auth/sign-in',
    passkey_rp_id: 'store.example',
    backchannel_logout_uri: 'https://store.example/backchannel-logout',
    backchannel_logout_session_required: true,
    inserted_at: '2026-03-14T09:26:53.589Z',
    updated_at: '2026-03-14T09:26:53.589Z',
  },
)
export type Application = z.output<typeof Application>

export const DeletedApplication = deletedOf('Application', 'name', { id: applicationId, label: 'Storefront' })
export type DeletedApplication = z.output<typeof DeletedApplication>

const urls = list(url(), 100)

/** The URLs that an application may list depend on its type and environment; the server checks each. */
export const NewApplication = z.strictObject({
  name: text(100, 1),
  application_type: z.enum(applicationTypes),
  allowed_origins_cors: urls,
  allowed_redirect_urls: urls,
  allowed_logout_urls: urls,
  allowed_web_origins: urls.optional(),
  description: text(1000).nullish(),
  default_redirect_uri_after_login: url().nullish(),
  default_redirect_uri_after_logout: url().nullish(),
  default_web_origin: url().nullish(),
  default_origin_cors: url().nullish(),
  default_logout_url: url().nullish(),
  organization_domain_scope: slug()
    .nullish()
    .describe('Domain of the organization to which the application is restricted'),
  access_token_lifetime_in_seconds: integer({ min: 300, max: 86_400 }).optional(),
  token_signing_alg: z.enum(signingAlgorithms).optional(),
  code_exchange: z.enum(codeExchanges).optional(),
  ...clientAuthenticationInput,
  permission_prefixes: list(permissionPrefix(), 20)
    .nullish()
    .describe(
      'Beginnings of the permissions that its tokens carry, with the roles that have such a permission or none at all; null: all of them',
    ),
  initiate_login_uri: url()
    .nullish()
    .describe(
      'An https URL, or http on localhost in the sandbox, at which the application begins a sign-in of its own (OpenID Connect Core section 4)',
    ),
  passkey_rp_id: text(253, 1)
    .nullish()
    .describe(
      'RP ID of Web Authentication: the host of each of allowed_web_origins, or a parent domain of all of them; passkeys stay bound to it',
    ),
  backchannel_logout_uri: url()
    .nullish()
    .describe('An https address of a public host, without fragment; null: logout tokens are not sent'),
  backchannel_logout_session_required: z.boolean().optional(),
})
export type NewApplication = z.output<typeof NewApplication>

export const ApplicationChanges = NewApplication.partial()
export type ApplicationChanges = z.output<typeof ApplicationChanges>

/** What lists of them can be ordered by. */
export const applicationOrders = ['name', 'inserted_at', 'updated_at'] as const

export const ApplicationQuery = PageQuery.extend({
  sort: order(applicationOrders, 'name, inserted_at or updated_at; prefix with - for descending order'),
})
export type ApplicationQuery = z.output<typeof ApplicationQuery>

export const AccountApplicationQuery = ApplicationQuery.extend({
  filter: filterText().describe('Part of the name, case-insensitive'),
  organization_domain_scope: filterText().describe(
    'Only applications that are restricted to this organization',
  ),
})
export type AccountApplicationQuery = z.output<typeof AccountApplicationQuery>

const ApplicationList = listOf(Application)

const ApplicationPath = OrganizationPath.extend({ client_id: pathId() })

const tag = {
  name: 'Applications',
  description: 'What users sign in to: where codes may be sent, and what its tokens are like.',
}
const c = initContract()

export const applications = c.router(
  {
    create: {
      method: 'POST',
      path: '/api/v2/org/:org_domain/applications',
      summary: 'Register an application',
      headers: idempotencyHeader,
      pathParams: OrganizationPath,
      body: NewApplication,
      responses: creating({ 201: Application }, 'organization_not_found', 'key_limited_to_organizations'),
      metadata: access({
        tag,
        scope: 'write:applications',
        danger: 'proof',
        emits: ['application.application.create.success'],
        idempotent: true,
        versioned: 'answers',
      }),
    },
    list: {
      method: 'GET',
      path: '/api/v2/org/:org_domain/applications',
      summary: 'List the applications that the organization can use, newest first',
      pathParams: OrganizationPath,
      query: ApplicationQuery,
      responses: reading({ 200: ApplicationList }, ...inOrganization),
      metadata: access({ tag, scope: 'read:applications' }),
    },
    listOfAccount: {
      method: 'GET',
      path: '/api/v2/applications',
      summary:
        'List the applications of the account and of the organizations that the key may see, newest first',
      query: AccountApplicationQuery,
      responses: reading({ 200: ApplicationList }),
      metadata: access({ tag, scope: 'read:applications', reach: 'caller' }),
    },
    get: {
      method: 'GET',
      path: '/api/v2/org/:org_domain/applications/:client_id',
      summary: 'Get an application',
      pathParams: ApplicationPath,
      query: EnvironmentQuery,
      responses: reading(
        { 200: z.union([Application, DeletedApplication]) },
        ...inOrganization,
        'application_not_found',
        'invalid_parameters',
      ),
      metadata: access({ tag, scope: 'read:applications', versioned: 'answers' }),
    },
    update: {
      method: 'PUT',
      path: '/api/v2/org/:org_domain/applications/:client_id',
      summary: 'Change an application',
      headers: ifMatchHeader,
      pathParams: ApplicationPath,
      body: ApplicationChanges,
      responses: changing(
        { 200: Application },
        'organization_not_found',
        'application_not_found',
        'key_limited_to_organizations',
        'precondition_failed',
      ),
      metadata: access({
        tag,
        scope: 'write:applications',
        danger: 'proof',
        emits: ['application.application.update.success'],
        versioned: 'checks',
      }),
    },
    delete: {
      method: 'DELETE',
      path: '/api/v2/org/:org_domain/applications/:client_id',
      summary: 'Delete an application; its codes and sessions end immediately',
      headers: ifMatchHeader,
      pathParams: ApplicationPath,
      responses: changing(
        { 200: deletionOf(Application) },
        'organization_not_found',
        'application_not_found',
        'key_limited_to_organizations',
        'precondition_failed',
      ),
      metadata: access({
        tag,
        scope: 'write:applications',
        danger: 'proof',
        emits: ['application.application.delete.success'],
        versioned: 'checks',
      }),
    },
  },
  { strictStatusCodes: true },
)

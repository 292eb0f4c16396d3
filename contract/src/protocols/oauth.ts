import { initContract } from '@ts-rest/core'
import { z } from 'zod/v4'
import { open } from '../core/access.js'
import { failures } from '../core/errors.js'
import { AccountPath, environment, flag, id, OrganizationPath, secret, slug } from '../core/fields.js'
import { record } from '../core/record.js'
import { Act } from './act.js'

/** Answer of the client-credentials grant (RFC 6749 section 4.4.3). */
export const ApiToken = record(
  'ApiToken',
  {
    access_token: secret(z.string()).describe('A JWT; send it as Authorization: Bearer'),
    token_type: z.literal('Bearer'),
    expires_in: z.int().describe('Seconds'),
    scope: z.string().describe('Scopes of the key, separated by spaces'),
  },
  {
    access_token: 'eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJqdHQiOiJhcGlfa2V5In0.c2lnbmF0dXJl',
    token_type: 'Bearer',
    expires_in: 3600,
    scope: 'read:users write:users',
  },
)
export type ApiToken = z.output<typeof ApiToken>

/** Answer of the authorization-code grant and of a refresh (OpenID Connect Core sections 3.1.3.3 and 12.2). */
export const UserTokens = record(
  'UserTokens',
  {
    access_token: secret(z.string()),
    id_token: secret(z.string()),
    refresh_token: secret(z.string())
      .optional()
      .describe('With the scope offline_access; each refresh returns a new one, which replaces the one sent'),
    token_type: z.literal('Bearer'),
    expires_in: z.int().describe('Seconds'),
    scope: z.string().describe('Scopes granted to the access token'),
  },
  {
    access_token: 'eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJqdHQiOiJhY2Nlc3NfdG9rZW4ifQ.c2lnbmF0dXJl',
    id_token: 'eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9.eyJqdHQiOiJpZF90b2tlbiJ9.c2lnbmF0dXJl',
    refresh_token: 'h5Gt0rYV3wKq8uZx1LmN2c.M2bX9cV7nQ4wE6rT8yU1iO3pA5sD7fG9hJ0kL2zXcVb',
    token_type: 'Bearer',
    expires_in: 3600,
    scope: 'openid magic_link offline_access',
  },
)
export type UserTokens = z.output<typeof UserTokens>

export const oauthErrorCodes = [
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
  'temporarily_unavailable',
  'unsupported_token_type',
  'invalid_token',
  'insufficient_scope',
] as const

/** The status of each code. `temporarily_unavailable` is 429 for a rate limit, and 503 while the database is unavailable. */
export const oauthErrorStatuses: Readonly<Record<(typeof oauthErrorCodes)[number], number>> = {
  // The mock answers the first code of a status unless another is requested.
  invalid_grant: 400,
  invalid_request: 400,
  unauthorized_client: 400,
  unsupported_grant_type: 400,
  invalid_scope: 400,
  unsupported_token_type: 400,
  invalid_client: 401,
  invalid_token: 401,
  insufficient_scope: 403,
  temporarily_unavailable: 429,
}

/** RFC 6749 section 5.2; `unsupported_token_type` is RFC 7009's, the last two are RFC 6750's. */
export const OAuthError = record(
  'OAuthError',
  { error: z.enum(oauthErrorCodes), error_description: z.string() },
  { error: 'invalid_grant', error_description: 'The code is not one that can be exchanged.' },
)
export type OAuthError = z.output<typeof OAuthError>

// Unknown parameters are ignored (RFC 6749 section 3.1); the grant reports a missing one, not the schema.
// A known one that is repeated or not text is refused: ignoring it would skip the check it requests.
const parameter = z.string().optional()

const apiTokenParameters = z.object({
  grant_type: parameter.describe('client_credentials'),
  client_id: parameter,
  client_secret: secret(parameter),
  domain: parameter.describe('Domain of the account'),
  tenant_domain: parameter.describe('The same as domain'),
  audience: parameter.describe('The same as domain'),
  scope: parameter.describe('Subset of the scopes of the key'),
})

const ApiTokenRequest = apiTokenParameters.meta({
  examples: [
    {
      grant_type: 'client_credentials',
      client_id: '0190c8a1-5d6e-7f80-9a1b-2c3d4e5f6071',
      client_secret: 'keysandbox_…',
      domain: 'acme',
    },
  ],
})

/** RFC 7521 section 4.2. */
const assertionParameters = {
  client_assertion: secret(parameter).describe(
    'JWT of an application with private_key_jwt: iss and sub client_id, aud the issuer or its token endpoint, exp within five minutes, jti',
  ),
  client_assertion_type: parameter.describe('urn:ietf:params:oauth:client-assertion-type:jwt-bearer'),
}

export const TokenRequest = apiTokenParameters
  .extend({
    grant_type: parameter.describe('authorization_code, refresh_token, or client_credentials'),
    code: secret(parameter),
    code_verifier: secret(parameter),
    redirect_uri: parameter.describe('If sent, must be the one the code was sent to'),
    refresh_token: secret(parameter).describe('Requires client_id, of the application or of an API key'),
    scope: parameter.describe('Subset of the scopes of the API key or refresh token'),
    ...assertionParameters,
  })
  .meta({
    examples: [
      {
        grant_type: 'authorization_code',
        client_id: '0190c8b0-3f4e-7d5c-b6a7-98f0e1d2c3b4',
        code: 'q3Jc0mVx8n2Zr5tYb7uAe1oPi4Ls6Kd9',
        redirect_uri: 'https://store.example/callback',
      },
    ],
  })
export type TokenRequest = z.output<typeof TokenRequest>

const tokenOfClient = z.object({
  token: secret(parameter),
  token_type_hint: parameter.describe(
    'access_token or refresh_token; optional, because tokens are recognized without it',
  ),
  client_id: parameter,
  client_secret: secret(parameter),
})

/** RFC 7009 section 2.1. */
export const RevocationRequest = tokenOfClient
  .extend({
    client_id: parameter.describe(
      'client_id of the application, or of an API key together with client_secret',
    ),
    end_session: flag()
      .optional()
      .describe('Also ends the session that the refresh token came of, for all applications; default: false'),
    ...assertionParameters,
  })
  .meta({
    examples: [
      {
        token: 'h5Gt0rYV3wKq8uZx1LmN2c.M2bX9cV7nQ4wE6rT8yU1iO3pA5sD7fG9hJ0kL2zXcVb',
        client_id: '0190c8b0-3f4e-7d5c-b6a7-98f0e1d2c3b4',
      },
    ],
  })
export type RevocationRequest = z.output<typeof RevocationRequest>

/** Answer of a revocation, without members (RFC 7009 section 2.2). */
export const RevokedToken = record('RevokedToken', {}, {})
export type RevokedToken = z.output<typeof RevokedToken>

/** RFC 7662 section 2.1. */
export const IntrospectionRequest = tokenOfClient
  .extend({
    client_id: parameter.describe(
      'client_id of an API key, together with client_secret, if the Authorization header has none',
    ),
  })
  .meta({
    examples: [
      {
        token: 'h5Gt0rYV3wKq8uZx1LmN2c.M2bX9cV7nQ4wE6rT8yU1iO3pA5sD7fG9hJ0kL2zXcVb',
        token_type_hint: 'refresh_token',
        client_id: '0190c8a1-5d6e-7f80-9a1b-2c3d4e5f6071',
        client_secret: 'keysandbox_…',
      },
    ],
  })
export type IntrospectionRequest = z.output<typeof IntrospectionRequest>

/** The state of a token (RFC 7662 section 2.2); an inactive one has no member but `active`. */
export const Introspection = record(
  'Introspection',
  {
    active: z.boolean(),
    token_type: z.literal('Bearer').optional().describe('Only of an access token'),
    scope: z.string().optional().describe('Granted scopes, separated by spaces'),
    client_id: id().optional().describe('The application'),
    sub: id().optional().describe('The user'),
    aud: z.string().optional().describe('client_id of the application'),
    iss: z
      .string()
      .optional()
      .describe(
        'Issuer: {base_url}/t/<organization>; of a refresh token whose sign-in was begun there {base_url}/a/<account>',
      ),
    exp: z.int().optional().describe('Expiry, in seconds since 1970'),
    nbf: z.int().optional().describe('Not valid before, in seconds since 1970; only of an access token'),
    iat: z.int().optional().describe('Issued at, in seconds since 1970'),
    jti: id().optional().describe('Id of an access token'),
    sid: id().optional().describe('The session'),
    dbs: environment().optional().describe('Environment'),
    org: slug().optional().describe('Domain of the organization'),
    acr: z.string().optional().describe('Strength of the sign-in (RFC 9470 section 6.2)'),
    auth_time: z.int().optional().describe('Time of the user’s authentication, in seconds since 1970'),
    amr: z.array(z.string()).optional().describe('Methods of the user’s authentication (RFC 8176)'),
    act: Act.optional().describe('Who acts as the user: the same claim of access tokens'),
  },
  {
    active: true,
    scope: 'openid magic_link offline_access',
    client_id: '0190c8b0-3f4e-7d5c-b6a7-98f0e1d2c3b4',
    sub: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
    aud: '0190c8b0-3f4e-7d5c-b6a7-98f0e1d2c3b4',
    iss: 'https://auth.example/t/awesome-company',
    exp: 1_776_072_413,
    iat: 1_773_480_413,
    sid: '0190c8c2-8b9c-7dae-9f10-2b3c4d5e6f70',
    dbs: 'sandbox',
    org: 'awesome-company',
    acr: 'urn:portico:acr:1fa',
    auth_time: 1_773_480_399,
    amr: ['email'],
  },
)
export type Introspection = z.output<typeof Introspection>

const refusals = {
  400: OAuthError,
  401: OAuthError,
  ...failures(['https_required', 'body_too_large', 'media_type_unsupported']),
  429: OAuthError,
  503: OAuthError,
}

/** 403 can also be RFC 6750's insufficient_scope: the API key lacks the scope. */
const introspectionRefusals = {
  ...refusals,
  403: z.union([OAuthError, refusals[403]]),
}

const tag = {
  name: 'OAuth',
  description: 'The token endpoints.',
  notPromoted: 'the endpoints of the protocol keep no settings',
}
const c = initContract()

// What an endpoint takes, whoever's it is: the service's, an organization's or an account's.
const issuerToken = { method: 'POST', body: TokenRequest, metadata: open({ tag }) } as const
const revocation = { method: 'POST', body: RevocationRequest, metadata: open({ tag }) } as const
const introspection = { method: 'POST', body: IntrospectionRequest, metadata: open({ tag }) } as const

export const oauth = c.router(
  {
    apiToken: {
      method: 'POST',
      path: '/api/v2/oauth/token',
      summary: 'Get an API token with the client credentials of an API key',
      body: ApiTokenRequest,
      responses: { 200: ApiToken, ...refusals },
      metadata: open({ tag, role: 'api_token' }),
    },
    token: {
      method: 'POST',
      path: '/oauth/token',
      summary:
        'Exchange an authorization code or a refresh token for tokens of the user; also the client-credentials grant',
      body: TokenRequest,
      responses: { 200: z.union([UserTokens, ApiToken]), ...refusals },
      metadata: open({ tag }),
    },
    organizationToken: {
      ...issuerToken,
      path: '/t/:org_domain/oauth/token',
      summary: 'Token endpoint in the discovery document of an organization',
      pathParams: OrganizationPath,
      responses: { 200: UserTokens, ...refusals },
    },
    accountToken: {
      ...issuerToken,
      path: '/a/:account_domain/oauth/token',
      summary: 'Token endpoint in the discovery document of an account',
      pathParams: AccountPath,
      responses: { 200: UserTokens, ...refusals },
    },
    revoke: {
      ...revocation,
      path: '/oauth/revoke',
      summary: 'Revoke a refresh token or an access token together with its family',
      responses: { 200: RevokedToken, ...refusals },
    },
    organizationRevoke: {
      ...revocation,
      path: '/t/:org_domain/oauth/revoke',
      summary: 'Revocation endpoint in the discovery document of an organization',
      pathParams: OrganizationPath,
      responses: { 200: RevokedToken, ...refusals },
    },
    accountRevoke: {
      ...revocation,
      path: '/a/:account_domain/oauth/revoke',
      summary: 'Revocation endpoint in the discovery document of an account',
      pathParams: AccountPath,
      responses: { 200: RevokedToken, ...refusals },
    },
    introspect: {
      ...introspection,
      path: '/oauth/introspect',
      summary: 'Get the state of a token of a user; requires an API key with the scope read:sessions',
      responses: { 200: Introspection, ...introspectionRefusals },
    },
    organizationIntrospect: {
      ...introspection,
      path: '/t/:org_domain/oauth/introspect',
      summary: 'Introspection endpoint in the discovery document of an organization',
      pathParams: OrganizationPath,
      responses: { 200: Introspection, ...introspectionRefusals },
    },
    accountIntrospect: {
      ...introspection,
      path: '/a/:account_domain/oauth/introspect',
      summary: 'Introspection endpoint in the discovery document of an account',
      pathParams: AccountPath,
      responses: { 200: Introspection, ...introspectionRefusals },
    },
  },
  { strictStatusCodes: true },
)

import { initContract } from '@ts-rest/core'
import { z } from 'zod/v4'
import { open } from './access.js'
import { failures } from './errors.js'
import { OrganizationPath, secret } from './fields.js'
import { record } from './record.js'

/** Answer of the client-credentials grant (RFC 6749 section 4.4.3). */
export const ApiToken = record(
  'ApiToken',
  {
    access_token: secret(z.string()).describe('A JWT; send it as Authorization: Bearer'),
    token_type: z.literal('Bearer'),
    expires_in: z.int().describe('Seconds'),
    scope: z.string().describe('Scopes of the key, a space between'),
  },
  {
    access_token: 'eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJqdHQiOiJhcGlfa2V5In0.c2lnbmF0dXJl',
    token_type: 'Bearer',
    expires_in: 3600,
    scope: 'read:users write:users',
  },
)
export type ApiToken = z.output<typeof ApiToken>

/** Answer of the authorization-code grant (OpenID Connect Core section 3.1.3.3). */
export const UserTokens = record(
  'UserTokens',
  {
    access_token: secret(z.string()),
    id_token: secret(z.string()),
    refresh_token: secret(z.string()).optional().describe('With the scope offline_access'),
    token_type: z.literal('Bearer'),
    expires_in: z.int().describe('Seconds'),
    scope: z.string(),
  },
  {
    access_token: 'eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJqdHQiOiJhY2Nlc3NfdG9rZW4ifQ.c2lnbmF0dXJl',
    id_token: 'eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9.eyJqdHQiOiJpZF90b2tlbiJ9.c2lnbmF0dXJl',
    token_type: 'Bearer',
    expires_in: 3600,
    scope: 'openid magic_link',
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
] as const

/** RFC 6749 section 5.2. */
export const OAuthError = record(
  'OAuthError',
  { error: z.enum(oauthErrorCodes), error_description: z.string() },
  { error: 'invalid_grant', error_description: 'The code is not one that can be exchanged.' },
)
export type OAuthError = z.output<typeof OAuthError>

// Unknown parameters are ignored (RFC 6749 section 3.1); a missing one is told by the grant, not by the schema.
// A known one that is repeated, or is not text, is refused: dropping it would drop the check it asks for.
const parameter = z.string().optional()

const apiTokenParameters = z.object({
  grant_type: parameter.describe('client_credentials'),
  client_id: parameter,
  client_secret: secret(parameter),
  domain: parameter.describe('Domain of the account'),
  tenant_domain: parameter.describe('The same as domain'),
  audience: parameter.describe('The same as domain'),
  scope: parameter.describe('Fewer scopes than the key has'),
})

export const ApiTokenRequest = apiTokenParameters.meta({
  examples: [
    {
      grant_type: 'client_credentials',
      client_id: '0190c8a1-5d6e-7f80-9a1b-2c3d4e5f6071',
      client_secret: 'keysandbox_…',
      domain: 'acme',
    },
  ],
})

export const TokenRequest = apiTokenParameters
  .extend({
    grant_type: parameter.describe('authorization_code, or client_credentials'),
    code: secret(parameter),
    code_verifier: secret(parameter),
    redirect_uri: parameter.describe('Where given, the one the code was sent to'),
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

const refusals = {
  400: OAuthError,
  401: OAuthError,
  ...failures(['https_required', 'body_too_large', 'media_type_unsupported']),
  429: OAuthError,
  503: OAuthError,
}

const tag = 'OAuth'
const c = initContract()

export const oauth = c.router(
  {
    apiToken: {
      method: 'POST',
      path: '/api/v2/oauth/token',
      summary: 'Get an API token with the client credentials of an API key',
      body: ApiTokenRequest,
      responses: { 200: ApiToken, ...refusals },
      metadata: open({ tag }),
    },
    token: {
      method: 'POST',
      path: '/oauth/token',
      summary: 'Exchange an authorization code for tokens of the user; also the client-credentials grant',
      body: TokenRequest,
      responses: { 200: z.union([UserTokens, ApiToken]), ...refusals },
      metadata: open({ tag }),
    },
    organizationToken: {
      method: 'POST',
      path: '/t/:org_domain/oauth/token',
      summary: 'The token endpoint that the discovery document of an organization names',
      pathParams: OrganizationPath,
      body: TokenRequest,
      responses: { 200: UserTokens, ...refusals },
      metadata: open({ tag }),
    },
  },
  { strictStatusCodes: true },
)

import { initContract } from '@ts-rest/core'
import { z } from 'zod/v4'
import { open } from '../core/access.js'
import { failures } from '../core/errors.js'
import { AccountPath, id, OrganizationPath, personal, secret, slug } from '../core/fields.js'
import { record } from '../core/record.js'
import { standardClaimNames, type StandardClaim } from '../resources/profile.js'
import { OAuthError } from './oauth.js'

/** Provider metadata of an organization or account (OpenID Connect Discovery section 3), limited to what the service supports. */
export const ProviderMetadata = record(
  'ProviderMetadata',
  {
    issuer: z.string(),
    authorization_endpoint: z.string(),
    token_endpoint: z.string(),
    userinfo_endpoint: z.string(),
    jwks_uri: z.string(),
    revocation_endpoint: z.string(),
    introspection_endpoint: z.string(),
    end_session_endpoint: z.string(),
    response_types_supported: z.array(z.string()),
    response_modes_supported: z.array(z.string()),
    grant_types_supported: z.array(z.string()),
    subject_types_supported: z.array(z.string()),
    id_token_signing_alg_values_supported: z.array(z.string()),
    token_endpoint_auth_methods_supported: z.array(z.string()),
    token_endpoint_auth_signing_alg_values_supported: z.array(z.string()),
    revocation_endpoint_auth_methods_supported: z.array(z.string()),
    revocation_endpoint_auth_signing_alg_values_supported: z.array(z.string()),
    introspection_endpoint_auth_methods_supported: z
      .array(z.string())
      .describe('With the credentials of an API key that has the scope read:sessions'),
    code_challenge_methods_supported: z.array(z.string()),
    scopes_supported: z.array(z.string()),
    claims_supported: z.array(z.string()),
    acr_values_supported: z.array(z.string()),
    prompt_values_supported: z.array(z.string()),
    ui_locales_supported: z.array(z.string()),
    authorization_response_iss_parameter_supported: z.boolean().describe('RFC 9207'),
    backchannel_logout_supported: z.boolean(),
    backchannel_logout_session_supported: z.boolean().describe('Logout tokens have `sid`'),
    claims_parameter_supported: z.boolean(),
    request_parameter_supported: z.boolean(),
    request_uri_parameter_supported: z.boolean(),
  },
  {
    issuer: 'https://auth.example/t/awesome-company',
    authorization_endpoint: 'https://auth.example/t/awesome-company/authorize',
    token_endpoint: 'https://auth.example/t/awesome-company/oauth/token',
    userinfo_endpoint: 'https://auth.example/t/awesome-company/userinfo',
    jwks_uri: 'https://auth.example/t/awesome-company/.well-known/jwks.json',
    revocation_endpoint: 'https://auth.example/t/awesome-company/oauth/revoke',
    introspection_endpoint: 'https://auth.example/t/awesome-company/oauth/introspect',
    end_session_endpoint: 'https://auth.example/t/awesome-company/logout',
    response_types_supported: ['code'],
    response_modes_supported: ['query', 'form_post'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256', 'RS256'],
    token_endpoint_auth_methods_supported: [
      ...['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'],
    ],
    token_endpoint_auth_signing_alg_values_supported: ['ES256', 'RS256'],
    revocation_endpoint_auth_methods_supported: [
      ...['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'],
    ],
    revocation_endpoint_auth_signing_alg_values_supported: ['ES256', 'RS256'],
    introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    code_challenge_methods_supported: ['S256'],
    scopes_supported: ['openid', 'profile', 'email', 'offline_access'],
    claims_supported: ['sub', 'iss', 'aud', 'exp', 'iat'],
    acr_values_supported: ['urn:portico:acr:1fa', 'urn:portico:acr:mfa', 'phr'],
    prompt_values_supported: ['none', 'login', 'consent', 'select_account', 'create'],
    ui_locales_supported: ['en', 'fr'],
    authorization_response_iss_parameter_supported: true,
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
    claims_parameter_supported: true,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
  },
)
export type ProviderMetadata = z.output<typeof ProviderMetadata>

/** A public key (RFC 7517 section 4). */
export const JsonWebKey = z
  .object({
    kty: z.enum(['EC', 'RSA']),
    use: z.literal('sig'),
    alg: z.enum(['ES256', 'RS256']),
    kid: z.string(),
    crv: z.string().optional(),
    x: z.string().optional(),
    y: z.string().optional(),
    n: z.string().optional(),
    e: z.string().optional(),
  })
  .meta({ id: 'JsonWebKey' })
export type JsonWebKey = z.output<typeof JsonWebKey>

export const KeySet = record(
  'KeySet',
  { keys: z.array(JsonWebKey) },
  {
    keys: [
      {
        kty: 'EC',
        use: 'sig',
        alg: 'ES256',
        kid: 'mVq0Yk3cJ6z1s9R2t8B4e7Nf5a0Xw6DgHjKlPoUiYtR',
        crv: 'P-256',
        x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
        y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
      },
    ],
  },
)
export type KeySet = z.output<typeof KeySet>

// An entry for each of the names.
const profileClaims = Object.fromEntries(standardClaimNames.map((name) => [name, claim()])) as Record<
  StandardClaim,
  ReturnType<typeof claim>
>

/**
 * Claims about the user of an access token (OpenID Connect Core sections 5.1 and 5.3.2): `sub` always, the others by the
 * scopes of the token, where the user has a value.
 */
export const UserInfo = record(
  'UserInfo',
  {
    sub: id().describe('The user'),
    ...profileClaims,
    name: claim().describe('With the scope profile, like every member up to updated_at'),
    updated_at: z.int().optional().describe('Seconds since 1970'),
    email: claim().describe('With the scope email'),
    email_verified: z.boolean().optional(),
    phone_number: claim().describe('With the scope phone'),
    phone_number_verified: z.boolean().optional(),
    address: personal(
      z
        .object({
          formatted: z.string().optional(),
          street_address: z.string().optional(),
          locality: z.string().optional(),
          region: z.string().optional(),
          postal_code: z.string().optional(),
          country: z.string().optional(),
        })
        .optional(),
    ).describe('With the scope address'),
    organization: z
      .object({
        domain: slug(),
        name: z.string(),
        logo_url: z.string().nullable().describe('The icon, else the inline logo; null without either'),
      })
      .optional()
      .describe('With the scope organization: the organization of the token'),
    roles: z
      .array(z.string())
      .optional()
      .describe('Names of all roles that the application is told; absent without roles'),
  },
  {
    sub: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
    name: 'Ada Lovelace',
    given_name: 'Ada',
    family_name: 'Lovelace',
    locale: 'en-GB',
    updated_at: 1_773_480_413,
    email: 'ada@awesome.example',
    email_verified: true,
  },
)
export type UserInfo = z.output<typeof UserInfo>

function claim() {
  return personal(z.string().optional())
}

/** RFC 6750 section 2.2; other members are ignored. */
const UserInfoRequest = z
  .object({
    access_token: secret(z.string().optional()).describe('If the Authorization header has none'),
  })
  .meta({ examples: [{}] })

const tag = {
  name: 'OpenID Connect',
  description: 'What a verifier of tokens needs to know of an organization, or of an account as an issuer.',
  notPromoted: 'the endpoints of the protocol keep no settings',
}
const userInfoFailures = ['invalid_token', 'https_required', 'malformed_request', 'unavailable'] as const
const userInfoAnswers = {
  200: UserInfo,
  // Not answered: the token of a missing organization is refused like any other. Declared until a breaking version.
  ...failures([...userInfoFailures, 'organization_not_found']),
}
const accountUserInfoAnswers = { 200: UserInfo, ...failures(userInfoFailures) }
/** A token in two places, and a body that is no form of one; in the API's shape it would be malformed_request. */
const formFailures = {
  400: OAuthError,
  ...failures(['body_too_large', 'media_type_unsupported']),
  429: OAuthError,
}
const common = ['https_required', 'malformed_request', 'unavailable'] as const
const refusals = failures(['organization_not_found', ...common])
const accountRefusals = failures(['account_not_found', ...common])
const c = initContract()

/** An address of the provider metadata: all of an issuer answer the same document (RFC 8414 section 5). */
function metadataAt<const Path extends string>(path: Path, summary: string) {
  return {
    method: 'GET',
    path,
    summary,
    pathParams: OrganizationPath,
    responses: { 200: ProviderMetadata, ...refusals },
    metadata: open({ tag }),
  } as const
}

/** The same of an account. */
function accountMetadataAt<const Path extends string>(path: Path, summary: string) {
  return {
    ...metadataAt(path, summary),
    pathParams: AccountPath,
    responses: { 200: ProviderMetadata, ...accountRefusals },
  } as const
}

/** What UserInfo takes by POST, at any issuer. */
const postedUserInfo = {
  method: 'POST',
  summary: 'Get the same claims with POST, also with the access token in a form',
  contentType: 'application/x-www-form-urlencoded',
  body: UserInfoRequest,
  metadata: open({ tag }),
} as const

export const oidc = c.router(
  {
    discovery: metadataAt(
      '/t/:org_domain/.well-known/openid-configuration',
      'Provider metadata of the organization',
    ),
    discoveryAtRoot: metadataAt(
      '/.well-known/openid-configuration/t/:org_domain',
      'The same, at the address of RFC 8414 section 5',
    ),
    serverMetadata: metadataAt(
      '/t/:org_domain/.well-known/oauth-authorization-server',
      'The same, for OAuth clients that append the well-known path to the issuer',
    ),
    serverMetadataAtRoot: metadataAt(
      '/.well-known/oauth-authorization-server/t/:org_domain',
      'The same, at the address of RFC 8414 section 3.1',
    ),
    accountDiscovery: accountMetadataAt(
      '/a/:account_domain/.well-known/openid-configuration',
      'Provider metadata of the account, one issuer for all of its organizations',
    ),
    accountDiscoveryAtRoot: accountMetadataAt(
      '/.well-known/openid-configuration/a/:account_domain',
      'The same, at the address of RFC 8414 section 5',
    ),
    accountServerMetadata: accountMetadataAt(
      '/a/:account_domain/.well-known/oauth-authorization-server',
      'The same, for OAuth clients that append the well-known path to the issuer',
    ),
    accountServerMetadataAtRoot: accountMetadataAt(
      '/.well-known/oauth-authorization-server/a/:account_domain',
      'The same, at the address of RFC 8414 section 3.1',
    ),
    keySet: {
      method: 'GET',
      path: '/t/:org_domain/.well-known/jwks.json',
      summary: 'Public keys of the organization, of both environments',
      pathParams: OrganizationPath,
      responses: { 200: KeySet, ...refusals },
      metadata: open({ tag, role: 'key_set' }),
    },
    accountKeySet: {
      method: 'GET',
      path: '/a/:account_domain/.well-known/jwks.json',
      summary:
        'Public keys of the account as an issuer, of both environments; not those of its organizations',
      pathParams: AccountPath,
      responses: { 200: KeySet, ...accountRefusals },
      metadata: open({ tag, role: 'account_key_set' }),
    },
    userInfo: {
      method: 'GET',
      path: '/t/:org_domain/userinfo',
      summary: 'Get the claims about the user of the access token that is sent as the bearer token',
      pathParams: OrganizationPath,
      responses: userInfoAnswers,
      metadata: open({ tag }),
    },
    postUserInfo: {
      ...postedUserInfo,
      path: '/t/:org_domain/userinfo',
      pathParams: OrganizationPath,
      responses: { ...userInfoAnswers, ...formFailures },
    },
    accountUserInfo: {
      method: 'GET',
      path: '/a/:account_domain/userinfo',
      summary: 'Get the same claims, of a user of any organization of the account',
      pathParams: AccountPath,
      responses: accountUserInfoAnswers,
      metadata: open({ tag }),
    },
    postAccountUserInfo: {
      ...postedUserInfo,
      path: '/a/:account_domain/userinfo',
      pathParams: AccountPath,
      responses: { ...accountUserInfoAnswers, ...formFailures },
    },
  },
  { strictStatusCodes: true },
)

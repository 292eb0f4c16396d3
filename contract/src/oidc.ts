import { initContract } from '@ts-rest/core'
import { z } from 'zod/v4'
import { open } from './access.js'
import { failures } from './errors.js'
import { OrganizationPath } from './fields.js'
import { record } from './record.js'

/** Provider metadata of one organization (OpenID Connect Discovery section 3): exactly what works, nothing more. */
export const ProviderMetadata = record(
  'ProviderMetadata',
  {
    issuer: z.string(),
    jwks_uri: z.string(),
    token_endpoint: z.string(),
    response_types_supported: z.array(z.string()),
    grant_types_supported: z.array(z.string()),
    subject_types_supported: z.array(z.string()),
    id_token_signing_alg_values_supported: z.array(z.string()),
    token_endpoint_auth_methods_supported: z.array(z.string()),
    code_challenge_methods_supported: z.array(z.string()),
    scopes_supported: z.array(z.string()),
    claims_supported: z.array(z.string()),
  },
  {
    issuer: 'https://auth.example/t/awesome-company',
    jwks_uri: 'https://auth.example/t/awesome-company/.well-known/jwks.json',
    token_endpoint: 'https://auth.example/t/awesome-company/oauth/token',
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256', 'RS256'],
    token_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    scopes_supported: ['openid'],
    claims_supported: ['sub', 'iss', 'aud', 'exp', 'iat'],
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

const tag = 'OpenID Connect'
const refusals = failures(['organization_not_found', 'https_required', 'malformed_request', 'unavailable'])
const c = initContract()

export const oidc = c.router(
  {
    discovery: {
      method: 'GET',
      path: '/t/:org_domain/.well-known/openid-configuration',
      summary: 'Provider metadata of the organization',
      pathParams: OrganizationPath,
      responses: { 200: ProviderMetadata, ...refusals },
      metadata: open({ tag }),
    },
    keySet: {
      method: 'GET',
      path: '/t/:org_domain/.well-known/jwks.json',
      summary: 'Public keys of the organization, of both environments',
      pathParams: OrganizationPath,
      responses: { 200: KeySet, ...refusals },
      metadata: open({ tag }),
    },
  },
  { strictStatusCodes: true },
)

import { acrValues, responseModes } from '@portico/contract/authorize'
import { UserInfo, type ProviderMetadata } from '@portico/contract/oidc'
import { IdTokenClaims } from '@portico/contract/token-claims'
import type { Deps } from '../../delivery/deps.js'
import { toIssuer, type NamedIssuer } from '../../tokens/issuer.js'
import { supportedScopes } from '../../tokens/scopes.js'
import { languages } from '../../platform/languages.js'

/** Not advertised: claims for samples only, or that report missing data. */
const exceptional: ReadonlySet<string> = new Set(['authorization_id', 'meta_data_truncated', 'roles_omitted'])

/** How applications authenticate (OpenID Connect Core section 9). */
const clientAuthenticationMethods = [
  'none',
  'client_secret_basic',
  'client_secret_post',
  'private_key_jwt',
] as const

const prompts = ['none', 'login', 'consent', 'select_account', 'create']

const claims = [...Object.keys(IdTokenClaims.shape), ...Object.keys(UserInfo.shape)]

/** The provider metadata of an issuer (OpenID Connect Discovery section 3, RFC 8414, RFC 9207): only what works. */
export function toProviderMetadata({ config }: Pick<Deps, 'config'>, named: NamedIssuer): ProviderMetadata {
  const issuer = toIssuer(config.baseUrl, named)
  const hasPasskeys = config.passkeyRpId !== undefined
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    introspection_endpoint: `${issuer}/oauth/introspect`,
    end_session_endpoint: `${issuer}/logout`,
    response_types_supported: ['code'],
    response_modes_supported: [...responseModes],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256', 'RS256'],
    token_endpoint_auth_methods_supported: [...clientAuthenticationMethods],
    token_endpoint_auth_signing_alg_values_supported: ['ES256', 'RS256'],
    revocation_endpoint_auth_methods_supported: [...clientAuthenticationMethods],
    revocation_endpoint_auth_signing_alg_values_supported: ['ES256', 'RS256'],
    introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    code_challenge_methods_supported: ['S256'],
    scopes_supported: [...supportedScopes],
    claims_supported: [...new Set(claims)].filter((claim) => !exceptional.has(claim)),
    acr_values_supported: Object.values(acrValues).filter(
      (value) => value !== acrValues.phishingResistant || hasPasskeys,
    ),
    prompt_values_supported: [...prompts, ...(named.kind === 'account' ? ['select_organization'] : [])],
    ui_locales_supported: [...languages],
    authorization_response_iss_parameter_supported: true,
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
    claims_parameter_supported: true,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
  }
}

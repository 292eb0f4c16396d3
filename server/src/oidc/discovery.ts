import type { ProviderMetadata } from '@portico/contract/oidc'
import { IdTokenClaims } from '@portico/contract/token-claims'
import type { Deps } from '../deps.js'
import { issuerOf } from '../oauth/claims.js'
import { getIssuingOrganization } from './key-set.js'

/** No token of a sign-in has these: they are for samples, or say that something is missing. */
const exceptional: ReadonlySet<string> = new Set(['authorization_id', 'meta_data_truncated'])

/**
 * The provider metadata of an organization (OpenID Connect Discovery section 3): what works, and nothing else.
 *
 * @throws ApiError `organization_not_found`
 */
export async function getProviderMetadata(
  deps: Pick<Deps, 'config' | 'db'>,
  domain: string,
): Promise<ProviderMetadata> {
  await getIssuingOrganization(deps, domain)
  const issuer = issuerOf(deps.config.baseUrl, domain)
  return {
    issuer,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    token_endpoint: `${issuer}/oauth/token`,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256', 'RS256'],
    token_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    scopes_supported: ['openid', 'magic_link', 'relay'],
    claims_supported: Object.keys(IdTokenClaims.shape).filter((claim) => !exceptional.has(claim)),
  }
}

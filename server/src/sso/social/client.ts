import type { Deps } from '../../delivery/deps.js'
import type { OpenIdProvider } from '../../platform/openid/provider.js'
import type { OidcClient } from '../oidc/openid-client.js'
import type { ProviderClient } from './open-providers.js'
import { callbackOf, microsoftEndpointsOf } from './provider-types.js'
import { testEndpointsOf, testOutbound } from './test-provider.js'

/** Our client at a social provider, and the connections by which its endpoints are reached. */
export interface SocialClient {
  readonly client: OidcClient
  readonly outbound: Deps['outbound']
}

/**
 * Reads what a provider is like, and how it is reached.
 *
 * @throws ProviderFault when its discovery document cannot be read.
 */
export async function toSocialClient(
  deps: Pick<Deps, 'config' | 'keys' | 'now' | 'openIdProviders' | 'outbound'>,
  known: ProviderClient,
): Promise<SocialClient> {
  const { clientId, clientSecret, providerId } = known
  const redirectUri = callbackOf(deps.config.baseUrl, providerId)
  const provider = await findOpenIdProvider(deps, known)
  return {
    client: { provider, clientId, clientSecret, redirectUri },
    outbound: known.provider === 'test' ? testOutbound(deps, known) : deps.outbound,
  }
}

async function findOpenIdProvider(
  { openIdProviders }: Pick<Deps, 'openIdProviders'>,
  { provider, issuer, tenant }: ProviderClient,
): Promise<OpenIdProvider> {
  if (provider === 'microsoft') return { ...builtIn, issuer, ...microsoftEndpointsOf(tenant ?? '') }
  if (provider === 'test')
    return { ...builtIn, issuer, signingAlgorithms: ['ES256'], ...testEndpointsOf(issuer) }
  return openIdProviders.find(issuer)
}

/** What is the same of providers whose discovery document is not read. */
const builtIn = {
  userinfoEndpoint: null,
  signingAlgorithms: ['RS256'],
  isSecretPosted: true,
  isIssuerSent: false,
}

import type { SocialProviderType } from '@portico/contract/social-providers'
import type { Deps } from '../../delivery/deps.js'
import { microsoftEndpointsOf } from '../../platform/openid/microsoft.js'
import type { OpenIdProvider } from '../../platform/openid/provider.js'
import type { Dialect, OidcClient } from '../oidc/openid-client.js'
import { toAppleSecret } from './apple.js'
import type { ProviderClient } from './open-providers.js'
import { appleEndpoints, callbackOf, githubEndpoints } from './provider-types.js'
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
  const { clientId, providerId } = known
  const clientSecret = secretAt(known, deps.now())
  const redirectUri = callbackOf(deps.config.baseUrl, providerId)
  const provider = await findOpenIdProvider(deps, known)
  return {
    client: { provider, clientId, clientSecret, redirectUri, dialect: dialects[known.provider] },
    outbound: known.provider === 'test' ? testOutbound(deps, known) : deps.outbound,
  }
}

function secretAt({ provider, clientSecret, teamId, keyId, ...known }: ProviderClient, at: Date): string {
  if (provider !== 'apple') return clientSecret
  return toAppleSecret({ ...known, privateKey: clientSecret, teamId: teamId ?? '', keyId: keyId ?? '' }, at)
}

/** The providers that depart from OpenID Connect. */
const dialects: Readonly<Partial<Record<SocialProviderType, Dialect>>> = {
  // The user whom it names is read with the token (GitHub Docs, Scopes for OAuth apps).
  github: { scope: 'read:user user:email', isPlainOauth: true, takesPrompt: false },
  // Names and addresses come by form_post alone, and it has no prompt (Sign in with Apple, Requesting access).
  apple: {
    scope: 'openid email name',
    parameters: { response_mode: 'form_post' },
    isPlainOauth: false,
    takesPrompt: false,
  },
}

async function findOpenIdProvider(
  { openIdProviders }: Pick<Deps, 'openIdProviders'>,
  { provider, issuer, tenant }: ProviderClient,
): Promise<OpenIdProvider> {
  if (provider === 'microsoft') return { ...builtIn, issuer, ...microsoftEndpointsOf(tenant ?? '') }
  if (provider === 'github') return { ...builtIn, issuer, ...githubEndpoints }
  if (provider === 'apple') return { ...builtIn, issuer, ...appleEndpoints }
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

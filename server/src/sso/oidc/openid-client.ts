import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  clockSkew,
  clockTolerance,
  ClientSecretBasic,
  ClientSecretPost,
  Configuration,
  customFetch,
  enableNonRepudiationChecks,
  fetchUserInfo,
  ResponseBodyError,
  type CustomFetch,
} from 'openid-client'
import type { Deps } from '../../delivery/deps.js'
import { systemClock } from '../../platform/system-clock.js'
import type { Claims } from './claims.js'
import { clockSkewMs, findMisuse, type TokenFault } from './id-token.js'
import type { OpenIdProvider } from '../../platform/openid/provider.js'
import { outcomes, providerLimits } from '../../platform/openid/providers.js'

/** What we are to a provider. */
export interface OidcClient {
  readonly provider: OpenIdProvider
  readonly clientId: string
  readonly clientSecret: string
  readonly redirectUri: string
}

/** What takes a browser to a provider, beside who we are. */
interface AuthorizationParameters {
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: string
  /** The provider asks also who is signed in there, and says when. */
  readonly isForced: boolean
  readonly loginHint: string | null
}

/** A provider has not exchanged a code, or its ID token proves nothing. */
export class ExchangeFault extends Error {
  override readonly name = 'ExchangeFault'

  constructor(
    readonly fault: TokenFault,
    options?: ErrorOptions,
  ) {
    super(fault.received, options)
  }
}

/** The address at which a provider asks the user (OpenID Connect Core section 3.1.2.1, RFC 7636). */
export async function toAuthorizationUrl(
  deps: Pick<Deps, 'outbound' | 'now'>,
  client: OidcClient,
  { state, nonce, codeVerifier, isForced, loginHint }: AuthorizationParameters,
): Promise<string> {
  const url = buildAuthorizationUrl(configurationOf(deps, client).configuration, {
    redirect_uri: client.redirectUri,
    scope: 'openid email profile',
    state,
    nonce,
    code_challenge: await calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: 'S256',
    // With max_age the ID token has to say when (OpenID Connect Core section 3.1.2.1).
    ...(isForced && { prompt: 'login', max_age: '0' }),
    ...(loginHint !== null && { login_hint: loginHint }),
  })
  return url.href
}

/** What a provider has sent a browser back with, and what its request was made with. */
interface CodeToExchange {
  readonly code: string
  readonly state: string
  /** The parameter `iss`; null where there was none. */
  readonly issuer: string | null
  readonly nonce: string
  readonly codeVerifier: string
}

/**
 * Exchanges a code, and proves the ID token that it brings: by a key that the provider has at this moment, for our client
 * and nonce, now. The keys are asked for once the provider has taken the code: who makes codes up has us ask for no more.
 *
 * @throws ExchangeFault
 */
export async function exchangeCode(
  deps: Pick<Deps, 'outbound' | 'now'>,
  client: OidcClient,
  { code, state, issuer, nonce, codeVerifier }: CodeToExchange,
): Promise<Claims> {
  const { configuration, way } = configurationOf(deps, client)
  const answer = new URL(client.redirectUri)
  answer.search = new URLSearchParams({ code, state, ...(issuer !== null && { iss: issuer }) }).toString()
  try {
    const tokens = await authorizationCodeGrant(configuration, answer, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: codeVerifier,
      idTokenExpected: true,
    })
    const claims = tokens.claims()
    const { id_token: idToken } = tokens
    if (claims === undefined || idToken === undefined)
      throw new Error('the library has let an answer without an ID token pass')
    const misuse = findMisuse({ idToken, claims }, { clientId: client.clientId, at: deps.now() })
    if (misuse !== undefined) throw new ExchangeFault(misuse)
    return await withAddress(configuration, client, { claims, accessToken: tokens.access_token })
  } catch (error) {
    if (error instanceof ExchangeFault) throw error
    const received = [client.clientSecret, code, codeVerifier].reduce(
      (text, secret) => text.replaceAll(secret, '…'),
      receivedOf(error, way),
    )
    const check = way.hasToken ? 'oidc_id_token' : 'oidc_token'
    throw new ExchangeFault({ check, expected: null, received }, { cause: error })
  }
}

/** Some providers say what a user's address is at the UserInfo endpoint alone (OpenID Connect Core section 5.4). */
async function withAddress(
  configuration: Configuration,
  { provider }: OidcClient,
  { claims, accessToken }: { readonly claims: Claims; readonly accessToken: string },
): Promise<Claims> {
  if (claims['email'] !== undefined || provider.userinfoEndpoint === null) return claims
  const said = await fetchUserInfo(configuration, accessToken, claims.sub)
  // What the token says stands: it is signed. Of an address that it does not say, it does not say either whose that is.
  return {
    ...Object.fromEntries(Object.entries(said).filter(([name]) => !ofTheSignIn.has(name))),
    ...claims,
    ...Object.fromEntries(ofTheAddress.map((name) => [name, said[name]])),
  }
}

/** Claims of how and when a user has signed in. Their place is the token: what users write of themselves may be at the other. */
const ofTheSignIn = new Set(['amr', 'acr', 'auth_time', 'iat'])
/** Claims that belong together. */
const ofTheAddress = ['email', 'email_verified', 'xms_edov']

/** How far an exchange has come, which its fault does not say. */
interface Way {
  /** The token endpoint has answered 200. */
  hasToken: boolean
  /** Why a server of the provider was not heard; undefined where each was. */
  unheard: string | undefined
}

function configurationOf(
  { outbound, now }: Pick<Deps, 'outbound' | 'now'>,
  { provider, clientId, clientSecret }: OidcClient,
): { readonly configuration: Configuration; readonly way: Way } {
  const way: Way = { hasToken: false, unheard: undefined }
  const configuration = new Configuration(
    {
      issuer: provider.issuer,
      authorization_endpoint: provider.authorizationEndpoint,
      token_endpoint: provider.tokenEndpoint,
      jwks_uri: provider.jwksUri,
      ...(provider.userinfoEndpoint !== null && { userinfo_endpoint: provider.userinfoEndpoint }),
      id_token_signing_alg_values_supported: [...provider.signingAlgorithms],
      authorization_response_iss_parameter_supported: provider.isIssuerSent,
    },
    clientId,
    {
      // The library reads the clock of the machine.
      [clockSkew]: Math.round((now().getTime() - systemClock().getTime()) / 1000),
      [clockTolerance]: clockSkewMs / 1000,
    },
    provider.isSecretPosted ? ClientSecretPost(clientSecret) : ClientSecretBasic(clientSecret),
  )
  // Without this the library trusts TLS, and looks at no signature of a token that came from the token endpoint.
  enableNonRepudiationChecks(configuration)
  // Addresses of providers were read with an issuer of http alone, where the operator has opened such a network.
  if (provider.issuer.startsWith('http:')) allowInsecureRequests(configuration)
  configuration[customFetch] = fetchOutbound(outbound, provider.tokenEndpoint, way)
  return { configuration, way }
}

/** The library's requests by our guarded way out. */
function fetchOutbound(outbound: Deps['outbound'], tokenEndpoint: string, way: Way): CustomFetch {
  return async (url, { method, headers, body }) => {
    const request = { url, headers, ...providerLimits }
    const answer =
      method === 'POST'
        ? await outbound.post({ ...request, body: bodyOf(body) })
        : await outbound.get(request)
    if (answer.outcome !== 'answered' || !answer.isWhole) {
      way.unheard = answer.outcome === 'answered' ? 'an answer of more than 256 kB' : outcomes[answer.outcome]
      throw new Error(way.unheard)
    }
    if (url === tokenEndpoint && answer.status === 200) way.hasToken = true
    const { contentType } = answer.headers
    // A body may come with no other status (Fetch section 2.2.4), and no such answer is one that the library takes.
    const isReadable = answer.status >= 200 && ![204, 205, 304].includes(answer.status)
    return new Response(isReadable ? answer.body : null, {
      status: isReadable ? answer.status : 204,
      ...(contentType !== undefined && { headers: { 'content-type': contentType } }),
    })
  }
}

function bodyOf(body: unknown): string {
  if (body instanceof URLSearchParams || typeof body === 'string') return body.toString()
  throw new Error('the library posts a body of another kind than a form')
}

/** What an administrator can do something with. */
function receivedOf(error: unknown, { unheard }: Way): string {
  if (unheard !== undefined) return unheard
  if (error instanceof ResponseBodyError)
    return [error.error, error.error_description].filter((part) => part !== undefined).join(': ')
  if (!(error instanceof Error)) return 'an answer that cannot be read'
  return reasonOf(error) ?? error.message
}

/** What the library has found below its own words: which claim it was, and never the token. */
function reasonOf({ cause }: Error): string | undefined {
  return cause instanceof Error ? cause.message : undefined
}

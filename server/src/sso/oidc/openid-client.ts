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
  discovery,
  enableNonRepudiationChecks,
  fetchProtectedResource,
  fetchUserInfo,
  ResponseBodyError,
  type CustomFetch,
} from 'openid-client'
import type { Deps } from '../../delivery/deps.js'
import { systemClock } from '../../platform/system-clock.js'
import type { AnsweredClaims } from './claims.js'
import { clockSkewMs, findTokenFault, type TokenFault } from './id-token.js'
import { microsoftIssuerOf } from '../../platform/openid/microsoft.js'
import type { OpenIdProvider } from '../../platform/openid/provider.js'
import { outcomes, providerLimits } from '../../platform/openid/providers.js'

/** Our client at a provider. */
export interface OidcClient {
  readonly provider: OpenIdProvider
  readonly clientId: string
  readonly clientSecret: string
  readonly redirectUri: string
  /** How the provider departs from OpenID Connect; undefined: it does not. */
  readonly dialect?: Dialect | undefined
}

/** What is different at a provider. */
export interface Dialect {
  readonly scope: string
  /** Of its authorization requests, beside the others. */
  readonly parameters?: Readonly<Record<string, string>>
  /** It speaks OAuth 2.0 alone: it gives out no ID token, and errors of its token endpoint have the status 200. */
  readonly isPlainOauth: boolean
  /** Whether it can be asked to authenticate a user again. */
  readonly takesPrompt: boolean
}

/** The parameters of an authorization request beside those of the client. */
interface AuthorizationParameters {
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: string
  /** The provider authenticates a signed-in user again, or asks which of their accounts it is; null: as it likes. */
  readonly prompt: 'login' | 'select_account' | null
  readonly loginHint: string | null
}

/** A code was not exchanged, or its ID token is invalid. */
export class ExchangeFault extends Error {
  override readonly name = 'ExchangeFault'

  constructor(
    readonly fault: TokenFault,
    options?: ErrorOptions,
  ) {
    super(fault.received, options)
  }
}

/** The address of an authorization request (OpenID Connect Core section 3.1.2.1, RFC 7636). */
export async function toAuthorizationUrl(
  deps: Pick<Deps, 'outbound' | 'now'>,
  client: OidcClient,
  { state, nonce, codeVerifier, prompt, loginHint }: AuthorizationParameters,
): Promise<string> {
  const { scope, parameters, isPlainOauth, takesPrompt } = client.dialect ?? openId
  const url = buildAuthorizationUrl((await configurationOf(deps, client)).configuration, {
    redirect_uri: client.redirectUri,
    scope,
    state,
    ...(!isPlainOauth && { nonce }),
    code_challenge: await calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: 'S256',
    // max_age makes auth_time mandatory in the ID token (OpenID Connect Core section 3.1.2.1).
    ...(takesPrompt && prompt !== null && { prompt }),
    ...(takesPrompt && prompt === 'login' && { max_age: '0' }),
    ...(loginHint !== null && { login_hint: loginHint }),
    ...parameters,
  })
  return url.href
}

const openId: Dialect = { scope: 'openid email profile', isPlainOauth: false, takesPrompt: true }

/** The parameters of an answer, and the secrets of its request. */
interface CodeToExchange {
  readonly code: string
  readonly state: string
  /** The parameter `iss`; null without one. */
  readonly issuer: string | null
  readonly nonce: string
  readonly codeVerifier: string
}

/**
 * Exchanges a code, and validates its ID token: signed by a current key of the provider, for our client and nonce, at this
 * time. The keys are fetched after the code is accepted, so that invented codes cause no further request.
 *
 * @throws ExchangeFault
 */
export async function exchangeAtProvider(
  deps: Pick<Deps, 'outbound' | 'now'>,
  client: OidcClient,
  { code, state, issuer, nonce, codeVerifier }: CodeToExchange,
): Promise<AnsweredClaims> {
  const { configuration, progress } = await configurationOf(deps, client)
  const answer = answerUrlOf(client, { code, state, issuer })
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
      throw new Error('the library has accepted an answer without an ID token')
    const misuse = findTokenFault({ idToken, claims }, { clientId: client.clientId, at: deps.now() })
    if (misuse !== undefined) throw new ExchangeFault(misuse)
    return await withAddress(configuration, client, { claims, accessToken: tokens.access_token })
  } catch (error) {
    throw toFault(error, progress, [client.clientSecret, code, codeVerifier])
  }
}

/** An answer of an API of a provider. */
interface ApiAnswer {
  readonly status: number
  /** JSON; undefined where it is none. */
  readonly body: unknown
}

/**
 * Exchanges a code at a provider that speaks OAuth 2.0 and not OpenID Connect, and reads with the token whom it names.
 *
 * @param read Throws where the answers name nobody.
 * @throws ExchangeFault
 */
export async function readWithCode<Result>(
  deps: Pick<Deps, 'outbound' | 'now'>,
  client: OidcClient,
  { code, state, issuer, codeVerifier }: Omit<CodeToExchange, 'nonce'>,
  read: (get: (url: string) => Promise<ApiAnswer>) => Promise<Result>,
): Promise<Result> {
  const { configuration, progress } = await configurationOf(deps, client)
  try {
    const { access_token: token } = await authorizationCodeGrant(
      configuration,
      answerUrlOf(client, { code, state, issuer }),
      { expectedState: state, pkceCodeVerifier: codeVerifier },
    )
    return await read(async (url) => {
      const headers = new Headers({ accept: 'application/json' })
      const answer = await fetchProtectedResource(configuration, token, new URL(url), 'GET', null, headers)
      return { status: answer.status, body: await answer.json().catch(() => undefined) }
    })
  } catch (error) {
    throw toFault(error, progress, [client.clientSecret, code, codeVerifier])
  }
}

function answerUrlOf(
  { redirectUri }: OidcClient,
  { code, state, issuer }: Pick<CodeToExchange, 'code' | 'state' | 'issuer'>,
): URL {
  const answer = new URL(redirectUri)
  answer.search = new URLSearchParams({ code, state, ...(issuer !== null && { iss: issuer }) }).toString()
  return answer
}

/** @param secrets Are in no fault. */
function toFault(error: unknown, progress: Progress, secrets: readonly string[]): ExchangeFault {
  if (error instanceof ExchangeFault) return error
  const received = secrets.reduce((text, secret) => text.replaceAll(secret, '…'), receivedOf(error, progress))
  const check = progress.hasToken ? 'oidc_id_token' : 'oidc_token'
  return new ExchangeFault({ check, expected: null, received }, { cause: error })
}

/** Adds the address from the UserInfo endpoint, since some providers assert it only there (OpenID Connect Core section 5.4). */
async function withAddress(
  configuration: Configuration,
  { provider }: OidcClient,
  { claims, accessToken }: { readonly claims: AnsweredClaims; readonly accessToken: string },
): Promise<AnsweredClaims> {
  if (claims['email'] !== undefined || provider.userinfoEndpoint === null) return claims
  const said = await fetchUserInfo(configuration, accessToken, claims.sub)
  // Claims of the signed token take precedence, except about an address that the token does not assert.
  return {
    ...Object.fromEntries(Object.entries(said).filter(([name]) => !ofTheSignIn.has(name))),
    ...claims,
    ...Object.fromEntries(ofTheAddress.map((name) => [name, said[name]])),
  }
}

/** Claims about the authentication. Only the token is trusted for them: users may write UserInfo themselves. */
const ofTheSignIn = new Set(['amr', 'acr', 'auth_time', 'iat'])
/** Claims about the address, which come from one source. */
const ofTheAddress = ['email', 'email_verified', 'xms_edov']

/** The progress of an exchange, which the library's errors do not report. */
interface Progress {
  /** The token endpoint has answered 200. */
  hasToken: boolean
  /** Why a server of the provider did not answer; undefined where all did. */
  unanswered: string | undefined
}

async function configurationOf(
  { outbound, now }: Pick<Deps, 'outbound' | 'now'>,
  { provider, clientId, clientSecret, dialect }: OidcClient,
): Promise<{ readonly configuration: Configuration; readonly progress: Progress }> {
  const progress: Progress = { hasToken: false, unanswered: undefined }
  const server = {
    issuer: provider.issuer,
    authorization_endpoint: provider.authorizationEndpoint,
    token_endpoint: provider.tokenEndpoint,
    jwks_uri: provider.jwksUri,
    ...(provider.userinfoEndpoint !== null && { userinfo_endpoint: provider.userinfoEndpoint }),
    id_token_signing_alg_values_supported: [...provider.signingAlgorithms],
    authorization_response_iss_parameter_supported: provider.isIssuerSent,
  }
  const settings = {
    // The library reads the system clock.
    [clockSkew]: Math.round((now().getTime() - systemClock().getTime()) / 1000),
    [clockTolerance]: clockSkewMs / 1000,
  }
  const authentication = provider.isSecretPosted
    ? ClientSecretPost(clientSecret)
    : ClientSecretBasic(clientSecret)
  // Only by its discovery does the library compare the issuer of a token with a template and the token's own tenant.
  const configuration =
    provider.issuer === microsoftIssuerOf('common')
      ? await discovery(new URL(templateServer), clientId, settings, authentication, {
          [customFetch]: () => Promise.resolve(Response.json(server)),
        })
      : new Configuration(server, clientId, settings, authentication)
  // By default the library relies on TLS, and verifies no signature of an ID token from the token endpoint.
  enableNonRepudiationChecks(configuration)
  // Discovery accepts an issuer with http only where the operator has allowed its network.
  if (provider.issuer.startsWith('http:')) allowInsecureRequests(configuration)
  const hasErrorsWith200 = dialect?.isPlainOauth === true
  configuration[customFetch] = fetchOutbound(outbound, { ...provider, hasErrorsWith200 }, progress)
  return { configuration, progress }
}

/** Where the library takes a discovery document of Entra for that of every tenant. */
const templateServer = 'https://login.microsoftonline.com/common/v2.0'

/** Sends the library's requests through our guarded outbound connections. */
function fetchOutbound(
  outbound: Deps['outbound'],
  { tokenEndpoint, hasErrorsWith200 }: { readonly tokenEndpoint: string; readonly hasErrorsWith200: boolean },
  progress: Progress,
): CustomFetch {
  return async (url, { method, headers, body }) => {
    const request = { url, headers, ...providerLimits }
    const answer =
      method === 'POST'
        ? await outbound.post({ ...request, body: bodyOf(body) })
        : await outbound.get(request)
    if (answer.outcome !== 'answered' || !answer.isWhole) {
      progress.unanswered =
        answer.outcome === 'answered' ? 'an answer of more than 256 kB' : outcomes[answer.outcome]
      throw new Error(progress.unanswered)
    }
    // The library takes an error for one by its status (RFC 6749 section 5.2).
    const isError = hasErrorsWith200 && url === tokenEndpoint && isErrorBody(answer.body)
    const status = isError ? 400 : answer.status
    if (url === tokenEndpoint && status === 200) progress.hasToken = true
    const { contentType } = answer.headers
    // A Response has no body with other statuses (Fetch section 2.2.4), and the library accepts no answer with one of them.
    const isReadable = status >= 200 && ![204, 205, 304].includes(status)
    return new Response(isReadable ? answer.body : null, {
      status: isReadable ? status : 204,
      ...(contentType !== undefined && { headers: { 'content-type': contentType } }),
    })
  }
}

function isErrorBody(body: string): boolean {
  try {
    const parsed: unknown = JSON.parse(body)
    return typeof parsed === 'object' && parsed !== null && 'error' in parsed
  } catch (error) {
    if (error instanceof SyntaxError) return false
    throw error
  }
}

function bodyOf(body: unknown): string {
  if (body instanceof URLSearchParams || typeof body === 'string') return body.toString()
  throw new Error('the library sends a body that is not a form')
}

/** The part of an error that helps an administrator. */
function receivedOf(error: unknown, { unanswered }: Progress): string {
  if (unanswered !== undefined) return unanswered
  if (error instanceof ResponseBodyError)
    return [error.error, error.error_description].filter((part) => part !== undefined).join(': ')
  if (!(error instanceof Error)) return 'an answer that cannot be read'
  return reasonOf(error) ?? error.message
}

/** The library's underlying reason: the claim at fault, and never the token. */
function reasonOf({ cause }: Error): string | undefined {
  return cause instanceof Error ? cause.message : undefined
}

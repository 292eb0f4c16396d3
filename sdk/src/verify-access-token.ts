import { baseUrlOf } from './base-url.js'
import { base64urlOf } from './base64url.js'
import { issuerPath, keySetPath, type AccessTokenClaims, type IdTokenClaims } from './generated.js'
import { createKeySet, isSigningAlgorithm } from './key-set.js'
import {
  createLogoutTokenMemory,
  readLogoutClaims,
  type LoggedOut,
  type LogoutTokenMemory,
} from './logout-token.js'
import { parseToken, type SignedToken } from './signed-token.js'
import { TokenError } from './token-error.js'

/** Issuer, audience and environment of the accepted tokens. */
export interface VerifierOptions {
  /** Address of the service, as for createClient(). */
  readonly baseUrl: string
  /** Domain of the organization. */
  readonly domain: string
  /**
   * The client_id of each accepted application. Required, because an organization's sandbox and production, and all its
   * applications, share one issuer and one key set.
   */
  readonly audience: string | readonly string[]
  /** Required for the same reason: without it, production would accept tokens of sandbox users. */
  readonly environment: 'sandbox' | 'production'
  /** Milliseconds since 1970; the system's clock by default. */
  readonly now?: (() => number) | undefined
  /** Tolerated clock skew between issuer and verifier, in seconds; 30 by default, at most 300. */
  readonly clockToleranceSeconds?: number | undefined
  /** Replaces the global fetch. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** Seconds until the key set is fetched again; 900 by default. */
  readonly jwksMaxAgeSeconds?: number | undefined
  /** Remembers accepted logout tokens; by default a memory of this process. Share one where several processes verify. */
  readonly logoutTokens?: LogoutTokenMemory | undefined
}

/** Further checks of an ID token, each if given (OpenID Connect Core section 3.1.3.7). */
export interface IdTokenExpectations {
  /** The nonce of the authorization request. */
  readonly nonce?: string | undefined
  /** The access token issued with it: must match `at_hash`. */
  readonly accessToken?: string | undefined
  /** The code it was exchanged for: must match `c_hash`. */
  readonly code?: string | undefined
}

/** The claims of an organization's tokens, with any metadata or the keys that `portico types` wrote. */
export interface TokenClaims {
  /** Claims of access tokens. */
  accessToken: AccessTokenClaims<object>
  /** Claims of ID tokens. */
  idToken: IdTokenClaims<object>
}

/** The claims of an organization whose metadata keys are unknown to the compiler. */
export interface AnyTokenClaims extends TokenClaims {
  /** Claims of access tokens, with metadata of any name. */
  accessToken: AccessTokenClaims
  /** Claims of ID tokens, with metadata of any name. */
  idToken: IdTokenClaims
}

/** Verifies the tokens of one organization, and caches its keys. */
export interface Verifier<Claims extends TokenClaims = AnyTokenClaims> {
  /**
   * Verifies an access token (RFC 9068 section 4): shape, type, algorithm, key, signature, issuer, audience,
   * environment, use and times, in this order.
   *
   * @param token The token without `Bearer`; at most 16,384 characters.
   * @throws TokenError with the code of the first failed check. `keys_unavailable` is not a fault of the token: answer 503,
   *   and 401 for the other codes.
   * @example
   * ```ts
   * const claims = await verifier.verifyAccessToken(token)
   * console.log(claims.sub, claims.scp)
   * ```
   */
  verifyAccessToken(token: string): Promise<Claims['accessToken']>
  /**
   * Verifies an ID token in the same way, and against the given expectations.
   *
   * @throws TokenError with the code of the first failed check.
   * @example
   * ```ts
   * const claims = await verifier.verifyIdToken(idToken, { nonce, accessToken: token })
   * console.log(claims.sub, claims.email_verified)
   * ```
   */
  verifyIdToken(token: string, expected?: IdTokenExpectations): Promise<Claims['idToken']>
  /**
   * Verifies a logout token, which the service posts as `logout_token` to an application's `backchannel_logout_uri`: as
   * an access token, and that it tells of a logout, has no nonce, and comes for the first time.
   *
   * @returns The user and the session that has ended.
   * @throws TokenError with the code of the first failed check. Answer 400, and 503 to `keys_unavailable`.
   * @example
   * ```ts
   * const { sub, sid } = await verifier.verifyLogoutToken(logoutToken)
   * console.log(`session ${sid} of ${sub} has ended`)
   * ```
   */
  verifyLogoutToken(token: string): Promise<LoggedOut>
}

/**
 * Makes a verifier of the tokens of one organization. It caches the organization's keys: make one and share it.
 *
 * With the type that `portico types --organization awesome-company` writes, `createVerifier<Claims>(…)`, the compiler
 * knows the organization's metadata keys.
 *
 * @throws TypeError when an option is missing or invalid.
 * @example
 * ```ts
 * const verifier = createVerifier({
 *   baseUrl: 'https://auth.example',
 *   domain: 'awesome-company',
 *   audience: '0190c8b0-3f4e-7d5c-b6a7-98f0e1d2c3b4',
 *   environment: 'production',
 * })
 * ```
 */
export function createVerifier<Claims extends TokenClaims = AnyTokenClaims>(
  options: VerifierOptions,
): Verifier<Claims> {
  const { domain, environment, now = Date.now, clockToleranceSeconds = 30, jwksMaxAgeSeconds = 900 } = options
  const logoutTokens = options.logoutTokens ?? createLogoutTokenMemory(now)
  const audiences = [options.audience].flat()
  checkOptions(options, audiences)
  const placeOf = (path: string) => baseUrlOf(options.baseUrl) + path.replace(/:\w+/, () => domain)
  const issuer = placeOf(issuerPath)
  const keyWithId = createKeySet({
    url: placeOf(keySetPath),
    fetch: options.fetch,
    now,
    maxAgeSeconds: jwksMaxAgeSeconds,
  })

  return {
    async verifyAccessToken(token) {
      const claims = await verify<Claims['accessToken']>(token, 'at+jwt', 'access_token')
      if (!Array.isArray(claims.scp)) throw malformedClaims()
      return claims
    },
    async verifyIdToken(token, expected = {}) {
      const claims = await verify<Claims['idToken']>(token, 'jwt', 'id_token')
      await checkExpectations(claims, expected)
      return claims
    },
    async verifyLogoutToken(token) {
      const claims = await verify<SignedToken['claims']>(token, 'logout+jwt', undefined)
      const { sub, sid, jti } = readLogoutClaims(claims)
      const expiresAt = (Number(claims['exp']) + clockToleranceSeconds) * 1000
      if (!(await logoutTokens.remember(jti, expiresAt)))
        throw new TokenError('token_replayed', 'the token was accepted before')
      return { sub, sid }
    },
  }

  /** @param use The expected `jtt`; undefined where the type of the header is the only mark. */
  async function verify<Verified>(token: string, type: string, use: string | undefined): Promise<Verified> {
    const parsed = parseToken(token)
    checkType(parsed, type)
    await checkSignature(parsed)
    const { claims } = parsed
    if (claims['iss'] !== issuer) throw new TokenError('issuer_mismatch', 'the token is of another issuer')
    if (![claims['aud']].flat().some((audience) => audiences.some((allowed) => allowed === audience)))
      throw new TokenError('audience_mismatch', 'the token is for another application')
    if (claims['dbs'] !== environment)
      throw new TokenError('environment_mismatch', 'the token is of the other environment')
    if (claims['jtt'] !== use) throw new TokenError('use_mismatch', 'the token is of another kind')
    checkTimes(claims)
    if (typeof claims['sub'] !== 'string') throw malformedClaims()
    // The issuer signed the claims and defines their types; those that decide are checked above.
    return claims as Verified
  }

  async function checkSignature({ header, signature, signedBytes }: SignedToken): Promise<void> {
    const { alg, kid } = header
    if (!isSigningAlgorithm(alg)) throw new TokenError('algorithm_rejected', 'the algorithm is not accepted')
    const key = typeof kid === 'string' ? await keyWithId(kid) : undefined
    if (!key) throw new TokenError('key_unknown', 'the organization has no such key')
    if (key.alg !== alg) throw new TokenError('algorithm_rejected', 'the key is of another algorithm')
    if (!(await key.verify(signature, signedBytes)))
      throw new TokenError('signature_invalid', 'the signature does not fit the token')
  }

  function checkTimes({ exp, nbf, iat }: SignedToken['claims']): void {
    const seconds = now() / 1000
    const starts = [iat, nbf ?? iat]
    if (![exp, ...starts].every(Number.isFinite)) throw malformedClaims()
    if (Number(exp) <= seconds - clockToleranceSeconds)
      throw new TokenError('token_expired', 'the token has expired')
    if (Math.max(...starts.map(Number)) > seconds + clockToleranceSeconds)
      throw new TokenError('token_not_yet_valid', 'the token is not valid yet')
  }
}

/**
 * Verifies one access token. Fetches the key set each time: to verify several tokens, use createVerifier().
 *
 * @throws TokenError with the code of the first failed check; TypeError when an option is missing or invalid.
 * @example
 * ```ts
 * const claims = await verifyAccessToken(token, {
 *   baseUrl: 'https://auth.example',
 *   domain: 'awesome-company',
 *   audience: '0190c8b0-3f4e-7d5c-b6a7-98f0e1d2c3b4',
 *   environment: 'production',
 * })
 * console.log(claims.sub)
 * ```
 */
export async function verifyAccessToken<Claims extends TokenClaims = AnyTokenClaims>(
  token: string,
  options: VerifierOptions,
): Promise<Claims['accessToken']> {
  return createVerifier<Claims>(options).verifyAccessToken(token)
}

/** Without these checks, an untyped caller with an unset variable would accept any audience or environment. */
function checkOptions(
  { domain, environment, clockToleranceSeconds = 0 }: VerifierOptions,
  audiences: unknown[],
): void {
  if (!/^[a-z0-9-]+$/.test(domain)) throw new TypeError('domain must be the domain of an organization')
  if (
    audiences.length === 0 ||
    !audiences.every((audience) => typeof audience === 'string' && audience !== '')
  )
    throw new TypeError('audience must name the client_id of at least one application')
  if (!['sandbox', 'production'].includes(environment))
    throw new TypeError('environment must be sandbox or production')
  if (!(clockToleranceSeconds >= 0 && clockToleranceSeconds <= 300))
    throw new TypeError('clockToleranceSeconds must be from 0 to 300')
}

/** Media types are case-insensitive, and `application/` is optional (RFC 7515 section 4.1.9). */
function checkType({ header }: SignedToken, type: string): void {
  const { typ } = header
  if (typeof typ !== 'string' || typ.toLowerCase().replace(/^application\//, '') !== type)
    throw new TokenError('type_rejected', `the token is not of type ${type}`)
}

async function checkExpectations(
  claims: IdTokenClaims<object>,
  expected: IdTokenExpectations,
): Promise<void> {
  const { nonce, accessToken, code } = expected
  if (nonce !== undefined && claims.nonce !== nonce)
    throw new TokenError('nonce_mismatch', 'the ID token is of another sign-in')
  if (accessToken !== undefined && claims.at_hash !== (await halfHashOf(accessToken)))
    throw new TokenError('access_token_mismatch', 'the ID token came with another access token')
  if (code !== undefined && claims.c_hash !== (await halfHashOf(code)))
    throw new TokenError('code_mismatch', 'the ID token came for another code')
}

/** OpenID Connect Core section 3.1.3.6; SHA-256 for both algorithms. */
async function halfHashOf(text: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return base64urlOf(new Uint8Array(hash, 0, 16))
}

function malformedClaims(): TokenError {
  return new TokenError('claims_malformed', 'a claim of the token is missing or not of its type')
}

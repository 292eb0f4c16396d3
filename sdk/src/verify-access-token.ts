import { baseUrlOf } from './base-url.js'
import { base64urlOf } from './base64url.js'
import type { AccessTokenClaims, IdTokenClaims } from './generated.js'
import {
  createLogoutTokenMemory,
  readLogoutClaims,
  type LoggedOut,
  type LogoutTokenMemory,
} from './logout-token.js'
import type { SignedToken } from './signed-token.js'
import { TokenError } from './token-error.js'
import { sourceOfAccount, sourceOfOrganization } from './token-source.js'
import { createClaimsVerifier, malformedClaims } from './verified-claims.js'

/** Issuer, audience and environment of the accepted tokens. */
export type VerifierOptions = OrganizationVerifierOptions | AccountVerifierOptions

/** Of a verifier of the tokens of one organization. */
export interface OrganizationVerifierOptions extends CommonVerifierOptions {
  /** Domain of the organization. */
  readonly domain: string
  /** Only in place of `domain`. */
  readonly account?: undefined
  /** Only with `account`. */
  readonly maxOrganizations?: undefined
}

/** Of a verifier of the tokens of every organization of an account. */
export interface AccountVerifierOptions extends CommonVerifierOptions {
  /** Domain of the account. */
  readonly account: string
  /** Only in place of `account`. */
  readonly domain?: undefined
  /** The most organizations whose keys are held, 1 to 50,000; 2,000 by default. Those used last stay. */
  readonly maxOrganizations?: number | undefined
}

interface CommonVerifierOptions {
  /** Address of the service, as for createClient(). */
  readonly baseUrl: string
  /**
   * The client_id of each accepted application. Required, because an organization's sandbox and production, and all its
   * applications, share one issuer and one key set; and because an application is of one account, and so are its tokens.
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
  /** The one issuer that is accepted, of those of the verifier: the one at which the sign-in began. */
  readonly issuer?: string | undefined
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

/** Verifies tokens of users, and caches the keys. */
export interface Verifier<Claims extends TokenClaims = AnyTokenClaims> {
  /**
   * Verifies an access token (RFC 9068 section 4): shape, type, algorithm, key, signature, issuer, audience,
   * environment, use and times, in this order. A verifier of an account checks key and signature last, and that `org` and
   * `tnt` are the organization of the issuer.
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

/** Verifies the tokens of every organization of an account. */
export interface AccountVerifier<Claims extends TokenClaims = AnyTokenClaims> extends Verifier<Claims> {
  /**
   * Reads the keys of organizations before their first tokens come, at the start of a program.
   *
   * @param domains At most `maxOrganizations`.
   * @returns The domains of those whose keys cannot be read, or that do not exist; they are tried again with a token.
   * @throws TypeError for text that is no domain, and for too many.
   * @example
   * ```ts
   * const failed = await verifier.preload(['awesome-company', 'other-company'])
   * console.log(failed.length)
   * ```
   */
  preload(domains: readonly string[]): Promise<string[]>
}

/**
 * Makes a verifier of the tokens of every organization of an account. It caches the keys of the organizations: make one and
 * share it. `claims.org` says whose user it is, and is proved to be the organization whose key has signed the token.
 *
 * With `domain` in place of `account`, of one organization alone. With the type that `portico types --organization
 * awesome-company` writes, `createVerifier<Claims>(…)`, the compiler knows the organization's metadata keys.
 *
 * @throws TypeError when an option is missing or invalid.
 * @example
 * ```ts
 * const verifier = createVerifier({
 *   baseUrl: 'https://auth.example',
 *   account: 'acme',
 *   audience: '0190c8b0-3f4e-7d5c-b6a7-98f0e1d2c3b4',
 *   environment: 'production',
 * })
 * ```
 */
export function createVerifier<Claims extends TokenClaims = AnyTokenClaims>(
  options: AccountVerifierOptions,
): AccountVerifier<Claims>
/**
 * Makes a verifier of the tokens of one organization.
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
): Verifier<Claims>
export function createVerifier<Claims extends TokenClaims = AnyTokenClaims>(
  options: VerifierOptions,
): Verifier<Claims> | AccountVerifier<Claims> {
  const { environment, now = Date.now, clockToleranceSeconds = 30, jwksMaxAgeSeconds = 900 } = options
  const logoutTokens = options.logoutTokens ?? createLogoutTokenMemory(now)
  const audiences = [options.audience].flat()
  checkOptions(options, audiences)
  const rules = { audiences, environment, now, clockToleranceSeconds }
  const place = {
    baseUrl: baseUrlOf(options.baseUrl),
    fetch: options.fetch,
    now,
    maxAgeSeconds: jwksMaxAgeSeconds,
  }
  if (options.account === undefined) {
    const source = sourceOfOrganization(place, options.domain)
    return verifierOf(createClaimsVerifier({ ...rules, source }))
  }
  const source = sourceOfAccount(place, options.account, options.maxOrganizations)
  return { ...verifierOf(createClaimsVerifier({ ...rules, source })), preload: source.preload }

  function verifierOf(verify: ReturnType<typeof createClaimsVerifier>): Verifier<Claims> {
    return {
      async verifyAccessToken(token) {
        const claims = await verify<Claims['accessToken']>(token, { type: 'at+jwt', use: 'access_token' })
        if (!Array.isArray(claims.scp)) throw malformedClaims()
        return claims
      },
      async verifyIdToken(token, expected = {}) {
        const { issuer } = expected
        const claims = await verify<Claims['idToken']>(token, { type: 'jwt', use: 'id_token', issuer })
        await checkExpectations(claims, expected)
        return claims
      },
      async verifyLogoutToken(token) {
        const claims = await verify<SignedToken['claims']>(token, { type: 'logout+jwt', use: undefined })
        const { sub, sid, jti } = readLogoutClaims(claims)
        const expiresAt = (Number(claims['exp']) + clockToleranceSeconds) * 1000
        if (!(await logoutTokens.remember(jti, expiresAt)))
          throw new TokenError('token_replayed', 'the token was accepted before')
        return { sub, sid }
      },
    }
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
  { domain, account, environment, clockToleranceSeconds = 0 }: VerifierOptions,
  audiences: unknown[],
): void {
  if ((domain === undefined) === (account === undefined))
    throw new TypeError('either account or domain must be given')
  if (domain !== undefined && !/^[a-z0-9-]+$/.test(domain))
    throw new TypeError('domain must be the domain of an organization')
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

/** @throws TokenError with the code of the first expectation that a claim does not meet. */
export async function checkExpectations(
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

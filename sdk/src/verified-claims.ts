import { isSigningAlgorithm, type SigningAlgorithm } from './key-set.js'
import { parseToken, type SignedToken } from './signed-token.js'
import { TokenError } from './token-error.js'
import type { KeyWithId, TokenSource } from './token-source.js'

interface ClaimsRules {
  readonly source: TokenSource
  readonly audiences: readonly string[]
  readonly environment: string
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly clockToleranceSeconds: number
}

/** What a token must be. */
interface Expected {
  /** The type of its header. */
  readonly type: string
  /** Its `jtt`; undefined where the type is the only mark. */
  readonly use: string | undefined
  /** Its issuer; undefined: each that is accepted. */
  readonly issuer?: string | undefined
}

/**
 * Makes the function that answers the claims of a token, verified.
 *
 * The function throws TokenError with the code of the first failed check.
 */
export function createClaimsVerifier(rules: ClaimsRules) {
  const { source, audiences, environment, now, clockToleranceSeconds } = rules

  return async function verify<Verified>(token: string, expected: Expected): Promise<Verified> {
    const parsed = parseToken(token)
    checkType(parsed, expected.type)
    // Where the claims choose the keys, everything is checked before a key is asked for.
    if (source.keyWithId !== undefined) await checkSignature(parsed, source.keyWithId)
    else algorithmOf(parsed)
    const keyWithId = checkClaims(parsed.claims, expected)
    if (source.keyWithId === undefined) await checkSignature(parsed, keyWithId)
    // The issuer signed the claims and defines their types; those that decide are checked above.
    return parsed.claims as Verified
  }

  /** @returns The keys of the issuer. */
  function checkClaims(claims: SignedToken['claims'], { use, issuer }: Expected): KeyWithId {
    const { iss, aud, dbs, jtt, sub } = claims
    const keyWithId = source.keysOf(iss)
    if (keyWithId === undefined || (issuer !== undefined && iss !== issuer))
      throw new TokenError('issuer_mismatch', 'the token is of another issuer')
    if (![aud].flat().some((audience) => audiences.some((allowed) => allowed === audience)))
      throw new TokenError('audience_mismatch', 'the token is for another application')
    if (dbs !== environment)
      throw new TokenError('environment_mismatch', 'the token is of the other environment')
    if (jtt !== use) throw new TokenError('use_mismatch', 'the token is of another kind')
    // A logout token names its organization by the issuer alone.
    if (use !== undefined) source.checkOrganization(claims)
    checkTimes(claims)
    if (typeof sub !== 'string') throw malformedClaims()
    return keyWithId
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

/** The refusal of claims of other types than the issuer's. */
export function malformedClaims(): TokenError {
  return new TokenError('claims_malformed', 'a claim of the token is missing or not of its type')
}

/** Media types are case-insensitive, and `application/` is optional (RFC 7515 section 4.1.9). */
function checkType({ header }: SignedToken, type: string): void {
  const { typ } = header
  if (typeof typ !== 'string' || typ.toLowerCase().replace(/^application\//, '') !== type)
    throw new TokenError('type_rejected', `the token is not of type ${type}`)
}

async function checkSignature(token: SignedToken, keyWithId: KeyWithId): Promise<void> {
  const { header, signature, signedBytes } = token
  const alg = algorithmOf(token)
  const key = typeof header['kid'] === 'string' ? await keyWithId(header['kid']) : undefined
  if (!key) throw new TokenError('key_unknown', 'the organization has no such key')
  if (key.alg !== alg) throw new TokenError('algorithm_rejected', 'the key is of another algorithm')
  if (!(await key.verify(signature, signedBytes)))
    throw new TokenError('signature_invalid', 'the signature does not fit the token')
}

function algorithmOf({ header }: SignedToken): SigningAlgorithm {
  const { alg } = header
  if (!isSigningAlgorithm(alg)) throw new TokenError('algorithm_rejected', 'the algorithm is not accepted')
  return alg
}

import { decodeJwt, findTimeFault, isJwtSignatureValid, type JwtClaims } from '../platform/crypto/jwt.js'
import type { Deps } from '../delivery/deps.js'
import { ApiError } from '../platform/errors.js'
import { findUserTokenKey } from './signing-keys/published-keys.js'
import type { Caller } from '../platform/tenant.js'
import { issuerOf } from './claims.js'

/** The content of a verified access token of a user. */
export interface VerifiedUserToken {
  readonly organizationId: string
  readonly organizationDomain: string
  readonly userId: string
  readonly sessionId: string
  /** client_id of the application that the token is for. */
  readonly clientId: string
  /** Its family; null for a token from before the claim `fid` existed. */
  readonly familyId: string | null
  /** All claims of the token. */
  readonly claims: JwtClaims
}

/**
 * Verifies an access token of a user of the caller's account and environment (RFC 9068 section 4). The statement that acts
 * on it checks the present state of its user and session.
 *
 * @param leftSeconds The lifetime that must remain.
 * @throws ApiError `access_token_refused`; the message names the rule, and never repeats the token.
 */
export async function verifyUserToken(
  deps: Pick<Deps, 'config' | 'db' | 'now'>,
  caller: Pick<Caller, 'accountId' | 'environment'>,
  token: string,
  leftSeconds: number,
): Promise<VerifiedUserToken> {
  const decoded = decodeJwt(token)
  if (decoded?.header.typ !== 'at+jwt') throw refusedToken('It is not an access token.')
  const key = await findUserTokenKey(deps, caller, decoded.header.kid ?? '')
  if (key === undefined || !isJwtSignatureValid(decoded, key.algorithm, key.publicKey))
    throw refusedToken('No organization of this account and environment has signed it.')

  const { iss, jtt, dbs, sub, sid, cid, fid } = decoded.claims
  if (iss !== issuerOf(deps.config.baseUrl, key.organizationDomain))
    throw refusedToken('Its iss is not the organization whose key has signed it.')
  if (dbs !== caller.environment) throw refusedToken('It is of the other environment.')
  if (jtt !== 'access_token') throw refusedToken('It is not an access token.')
  const fault = findTimeFault(decoded.claims, {
    nowSeconds: deps.now().getTime() / 1000 + leftSeconds,
    leewaySeconds: 0,
  })
  if (fault !== undefined) throw refusedToken(`It must be valid for ${leftSeconds} seconds more.`)
  if (typeof sub !== 'string' || typeof sid !== 'string' || typeof cid !== 'string')
    throw refusedToken('It names no session: have the user sign in again.')
  return {
    organizationId: key.organizationId,
    organizationDomain: key.organizationDomain,
    userId: sub,
    sessionId: sid,
    clientId: cid,
    familyId: typeof fid === 'string' ? fid : null,
    claims: decoded.claims,
  }
}

/** The same for a token that may be refused without a reason: undefined when it is. */
export async function readUserToken(
  deps: Pick<Deps, 'config' | 'db' | 'now'>,
  caller: Pick<Caller, 'accountId' | 'environment'>,
  token: string,
): Promise<VerifiedUserToken | undefined> {
  try {
    return await verifyUserToken(deps, caller, token, 0)
  } catch (error) {
    if (error instanceof ApiError && error.code === 'access_token_refused') return undefined
    throw error
  }
}

/** The refusal of an access token by one of the rules. */
export function refusedToken(rule: string): ApiError {
  return new ApiError('access_token_refused', { message: `The access token is refused. ${rule}` })
}

import type { KeyObject } from 'node:crypto'
import type { Environment } from '@portico/contract/fields'
import { nilId } from '@portico/contract/fields'
import {
  decodeJwt,
  findTimeFault,
  isJwtSignatureValid,
  toPublicKey,
  type Algorithm,
  type PublicJwk,
} from '../../platform/crypto/jwt.js'
import type { Deps } from '../../delivery/deps.js'
import type { Caller } from '../../platform/tenant.js'
import { scopesOfKey } from './api-keys.js'

export const apiTokenLifetimeSeconds = 3600

/** A revoked key's tokens are refused within 5 s: this plus the time of a request. */
const stateMaxAgeMs = 4_000
/** Signing keys are looked up again after this time, so that a removed one stops verifying. */
const signingKeyMaxAgeMs = 60_000
const cacheLimit = 10_000
/** How far ahead the clock of the issuing process may be. The expiry is compared exactly. */
const clockSkewSeconds = 30

/** The kid of every key made here (RFC 7638). */
const thumbprint = /^[\w-]{43}$/

export type Bearer = Omit<Caller, 'cause'>

interface VerifiedToken {
  readonly kid: string
  readonly apiKeyId: string
  readonly expiresAtSeconds: number
  readonly scopes: ReadonlySet<string>
}

interface SigningKey {
  readonly accountId: string
  readonly environment: string
  readonly algorithm: Algorithm
  readonly publicKey: KeyObject
}

/** The audience of API tokens: this API and nothing else. */
export function apiAudience(baseUrl: string): string {
  return `${baseUrl}/api/v2`
}

/**
 * Makes the function that finds the API key of a bearer token; undefined for any token that is not one of this API, has
 * expired, or whose key is revoked. A verified token is cached until it expires.
 */
export function createApiTokenReader({ config, db, now }: Pick<Deps, 'config' | 'db' | 'now'>) {
  const tokens = new Map<string, VerifiedToken>()
  const signingKeys = expiringCache(signingKeyMaxAgeMs, findSigningKey)
  const bearers = expiringCache(stateMaxAgeMs, findBearer)

  return async function readApiToken(token: string): Promise<Bearer | undefined> {
    const at = now().getTime()
    const verified = tokens.get(token) ?? (await verify(token, at))
    if (verified === undefined) return undefined
    if (at >= verified.expiresAtSeconds * 1000) {
      tokens.delete(token)
      return undefined
    }
    if (!tokens.has(token)) remember(tokens, token, verified)

    const [signingKey, key] = await Promise.all([
      signingKeys(verified.kid, at),
      bearers(verified.apiKeyId, at),
    ])
    if (
      signingKey === undefined ||
      key === undefined ||
      (key.expiresAt !== null && at >= key.expiresAt.getTime())
    )
      return undefined
    const { expiresAt: _, ...bearer } = key
    return { ...bearer, scopes: bearer.scopes.filter((scope) => verified.scopes.has(scope)) }
  }

  async function verify(token: string, at: number): Promise<VerifiedToken | undefined> {
    const decoded = decodeJwt(token)
    if (decoded?.header.typ !== 'at+jwt') return undefined
    const { kid = '' } = decoded.header
    const key = thumbprint.test(kid) ? await signingKeys(kid, at) : undefined
    if (key === undefined || !isJwtSignatureValid(decoded, key.algorithm, key.publicKey)) return undefined

    const { iss, aud, jtt, dbs, account_id, sub, iat, exp, scope } = decoded.claims
    const isForThisApi = iss === config.baseUrl && aud === apiAudience(config.baseUrl) && jtt === 'api_key'
    const isOfItsKey = dbs === key.environment && account_id === key.accountId
    const fault = findTimeFault(decoded.claims, { nowSeconds: at / 1000, leewaySeconds: clockSkewSeconds })
    if (!isForThisApi || !isOfItsKey || fault !== undefined) return undefined
    if (typeof sub !== 'string' || typeof exp !== 'number' || typeof scope !== 'string') return undefined
    if (typeof iat !== 'number' || exp - iat > apiTokenLifetimeSeconds) return undefined
    return { kid, apiKeyId: sub, expiresAtSeconds: exp, scopes: new Set(scope.split(' ')) }
  }

  async function findSigningKey(kid: string): Promise<SigningKey | undefined> {
    // eslint-disable-next-line portico/tenant -- the signing key of a token, which must name its account
    const row = await db
      .selectFrom('signing_keys')
      .where('kid', '=', kid)
      .where('organization_id', '=', nilId)
      .where(({ or, and, eb }) =>
        or([
          eb('state', '=', 'active'),
          and([eb('state', '=', 'retired'), eb('retired_at', '>', lastUseOfRetired())]),
        ]),
      )
      .select(['account_id', 'environment', 'algorithm', 'public_jwk'])
      .executeTakeFirst()
    if (row === undefined) return undefined
    return {
      accountId: row.account_id,
      environment: row.environment,
      // The table's check constraint allows nothing else.
      algorithm: row.algorithm as Algorithm,
      publicKey: toPublicKey(row.public_jwk as unknown as PublicJwk),
    }
  }

  /** Tokens of a key that retired before this time have all expired. */
  function lastUseOfRetired(): Date {
    return new Date(now().getTime() - (apiTokenLifetimeSeconds + clockSkewSeconds) * 1000)
  }

  async function findBearer(apiKeyId: string): Promise<(Bearer & { expiresAt: Date | null }) | undefined> {
    // eslint-disable-next-line portico/tenant -- the key of a token, whose signature has been verified
    const row = await db
      .selectFrom('api_keys')
      .innerJoin('accounts', 'accounts.id', 'api_keys.account_id')
      .where('api_keys.id', '=', apiKeyId)
      .where('revoked_at', 'is', null)
      .select(['account_id', 'accounts.domain', 'environment', 'scopes', 'organization_ids', 'expires_at'])
      .executeTakeFirst()
    if (row === undefined) return undefined
    return {
      accountId: row.account_id,
      accountDomain: row.domain,
      // The table's check constraint allows nothing else.
      environment: row.environment as Environment,
      id: apiKeyId,
      scopes: scopesOfKey(row),
      organizationIds: row.organization_ids,
      expiresAt: row.expires_at,
    }
  }
}

/** Caches results for a while, and shares one look-up among concurrent callers. */
function expiringCache<Value>(maxAgeMs: number, find: (key: string) => Promise<Value | undefined>) {
  const entries = new Map<string, { at: number; value: Promise<Value | undefined> }>()
  return (key: string, at: number): Promise<Value | undefined> => {
    const known = entries.get(key)
    if (known !== undefined && at - known.at < maxAgeMs && at >= known.at) return known.value
    const value = find(key)
    remember(entries, key, { at, value })
    // Failures and absences are not cached: a stranger could fill the cache with either.
    value.then(
      (found) => found === undefined && entries.delete(key),
      () => entries.delete(key),
    )
    return value
  }
}

function remember<Value>(entries: Map<string, Value>, key: string, value: Value): void {
  if (entries.size >= cacheLimit) entries.clear()
  entries.set(key, value)
}

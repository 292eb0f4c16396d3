import { exchange, isObject, jsonOf } from './exchange.js'
import { TokenError } from './token-error.js'

const algorithms = {
  ES256: { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  RS256: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
} as const

export type SigningAlgorithm = keyof typeof algorithms

/** A public key of an issuer. */
export interface VerificationKey {
  readonly alg: SigningAlgorithm
  readonly verify: (signature: Uint8Array<ArrayBuffer>, data: Uint8Array<ArrayBuffer>) => Promise<boolean>
}

export interface KeySetOptions {
  readonly url: string
  readonly fetch: typeof globalThis.fetch | undefined
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly maxAgeSeconds: number
}

interface FetchedKeys {
  readonly keys: ReadonlyMap<string, VerificationKey>
  readonly fetchedAt: number
}

/** The minimum interval of requests caused by unknown keys or failures; shorter while no keys are cached. */
const pauseMs = 30_000
const pauseWithoutKeysMs = 1_000
/** How long expired keys stay in use while refreshing fails (stale-if-error, RFC 5861 section 4). */
const staleMs = 24 * 60 * 60 * 1000
const timeoutMs = 5_000
const maxBytes = 256 * 1024

/** There are no keys at the address: the service has no such issuer. */
export class KeySetMissing extends Error {
  override readonly name = 'KeySetMissing'
}

export function isSigningAlgorithm(value: unknown): value is SigningAlgorithm {
  return value === 'ES256' || value === 'RS256'
}

/** Caches the key set at a URL, and returns a lookup by key id; undefined for an unknown key. */
export function createKeySet(options: KeySetOptions): (kid: string) => Promise<VerificationKey | undefined> {
  const { now, maxAgeSeconds } = options
  let cached: FetchedKeys | undefined
  let lastAttemptAt = -Infinity
  let refresh: Promise<void> | undefined

  return async (kid) => {
    if (!cached?.keys.has(kid) || ageMs() >= maxAgeSeconds * 1000) await refreshOnce()
    return cached?.keys.get(kid)
  }

  /** One request at a time, with a pause between: the unauthenticated sender of a token chooses its kid. */
  async function refreshOnce(): Promise<void> {
    if (!refresh && now() - lastAttemptAt >= (cached ? pauseMs : pauseWithoutKeysMs)) {
      lastAttemptAt = now()
      refresh = fetchKeys(options)
        .then((keys) => {
          cached = { keys, fetchedAt: now() }
        })
        .finally(() => {
          refresh = undefined
        })
    }
    let cause: unknown
    try {
      await refresh
    } catch (error) {
      cause = error
    }
    if (ageMs() >= maxAgeSeconds * 1000 + staleMs)
      throw new TokenError('keys_unavailable', 'the key set of the organization cannot be read', { cause })
  }

  function ageMs(): number {
    return cached ? now() - cached.fetchedAt : Infinity
  }
}

async function fetchKeys({ url, fetch }: KeySetOptions): Promise<ReadonlyMap<string, VerificationKey>> {
  const answer = await exchange(
    url,
    { headers: { accept: 'application/json' } },
    { fetch, timeoutMs, maxBytes },
  )
  if (answer.status === 404) throw new KeySetMissing('the service has no key set at this address')
  const listed = answer.status === 200 ? jsonOf(answer)?.['keys'] : undefined
  if (!Array.isArray(listed)) throw new Error(`the key set answers ${answer.status} without keys`)
  const keys = await Promise.all(listed.map(toEntry))
  return new Map(keys.filter((entry) => entry !== undefined))
}

/** Imports a key; keys of other uses and algorithms are ignored (RFC 7517 section 5). */
async function toEntry(jwk: unknown): Promise<[string, VerificationKey] | undefined> {
  if (!isObject(jwk)) return undefined
  const { kid, alg, use } = jwk
  if (typeof kid !== 'string' || !isSigningAlgorithm(alg) || use !== 'sig') return undefined
  const algorithm = algorithms[alg]
  const publicPart = Object.fromEntries(
    ['kty', 'crv', 'x', 'y', 'n', 'e'].map((member) => [member, jwk[member]]),
  )
  try {
    const key = await crypto.subtle.importKey('jwk', publicPart, algorithm, false, ['verify'])
    return [kid, { alg, verify: (signature, data) => crypto.subtle.verify(algorithm, key, signature, data) }]
  } catch {
    return undefined
  }
}

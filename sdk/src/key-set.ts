import { exchange, isObject, jsonOf } from './exchange.js'
import { TokenError } from './token-error.js'

const algorithms = {
  ES256: { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  RS256: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
} as const

export type SigningAlgorithm = keyof typeof algorithms

/** A public key of an organization. */
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

/** No more often than this does an unknown key, or a failure, lead to another request; sooner while there are no keys. */
const pauseMs = 30_000
const pauseWithoutKeysMs = 1_000
/** How long keys outlive their age when newer ones cannot be had (stale-if-error, RFC 5861 section 4). */
const staleMs = 24 * 60 * 60 * 1000
const timeoutMs = 5_000
const maxBytes = 256 * 1024

export function isSigningAlgorithm(value: unknown): value is SigningAlgorithm {
  return value === 'ES256' || value === 'RS256'
}

/** Keeps the key set at a URL and finds keys in it by their id; undefined when there is no such key. */
export function createKeySet(options: KeySetOptions): (kid: string) => Promise<VerificationKey | undefined> {
  const { now, maxAgeSeconds } = options
  let held: FetchedKeys | undefined
  let lastAttemptAt = -Infinity
  let refresh: Promise<void> | undefined

  return async (kid) => {
    if (!held?.keys.has(kid) || ageMs() >= maxAgeSeconds * 1000) await refreshOnce()
    return held?.keys.get(kid)
  }

  /** One request at a time, and a pause after each, whoever asks: kids are chosen by whoever sends a token. */
  async function refreshOnce(): Promise<void> {
    if (!refresh && now() - lastAttemptAt >= (held ? pauseMs : pauseWithoutKeysMs)) {
      lastAttemptAt = now()
      refresh = fetchKeys(options)
        .then((keys) => {
          held = { keys, fetchedAt: now() }
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
    return held ? now() - held.fetchedAt : Infinity
  }
}

async function fetchKeys({ url, fetch }: KeySetOptions): Promise<ReadonlyMap<string, VerificationKey>> {
  const answer = await exchange(
    url,
    { headers: { accept: 'application/json' } },
    { fetch, timeoutMs, maxBytes },
  )
  const listed = answer.status === 200 ? jsonOf(answer)?.['keys'] : undefined
  if (!Array.isArray(listed)) throw new Error(`the key set answers ${answer.status} without keys`)
  const keys = await Promise.all(listed.map(toEntry))
  return new Map(keys.filter((entry) => entry !== undefined))
}

/** Keys of other uses and algorithms are passed over, as RFC 7517 section 5 asks. */
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

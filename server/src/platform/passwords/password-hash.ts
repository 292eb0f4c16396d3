import { availableParallelism } from 'node:os'
import { Argon2id } from 'oslo/password'
import { ApiError } from '../errors.js'
import type { Metrics } from '../observability/metrics.js'
import { isForeignHash, verifyForeignHash } from './foreign-hash.js'

/** The cost of an Argon2id hash, in one lane. */
export interface PasswordCost {
  /** KiB, 8 or more. */
  readonly memorySize: number
  /** Passes, 1 or more. */
  readonly iterations: number
}

/** The least that OWASP's Password Storage Cheat Sheet asks for: 19 MiB, two passes, one lane. */
const recommendedCost: PasswordCost = { memorySize: 19_456, iterations: 2 }

/** Bound of the queue: more waiting hashes would outlast their clients. */
const maxWaiting = 100

/** Makes and verifies password hashes, a bounded number at once: each takes 19 MiB and some milliseconds of a core. */
export interface PasswordHasher {
  /** Whether a hash was made with another algorithm or other parameters than new ones. */
  isOutdated(hash: string): boolean
  /**
   * Admits work that needs hashes, or refuses it before anything is counted or done. One organization gets at most half
   * of the room, so that a flood there leaves the others theirs.
   *
   * @param domain Of the organization.
   * @throws ApiError `rate_limited` when there is no room.
   */
  admit<Result>(domain: string, work: (hashes: PasswordHashes) => Promise<Result>): Promise<Result>
}

export interface PasswordHashes {
  hash(plainText: string): Promise<string>
  /**
   * Exactly one verification, with or without a hash, so that the time reveals nothing. Beside an imported one a hash of ours
   * is computed: a faster one takes the time of ours, and a slower one its own, until it is replaced.
   *
   * @param hash As it is stored, ours or imported.
   * @param plainText As it was typed.
   * @returns False without a hash.
   */
  verify(hash: string | undefined, plainText: string): Promise<boolean>
}

export function openPasswordHasher(metrics: Metrics, cost: PasswordCost = recommendedCost): PasswordHasher {
  const argon2 = new Argon2id({ ...cost, parallelism: 1, tagLength: 32 })
  const currentForm = `$argon2id$v=19$m=${cost.memorySize},t=${cost.iterations},p=1$`
  /** The hash of no known password, as costly as every other. */
  const dummyHash = `${currentForm}${'A'.repeat(22)}$${'A'.repeat(43)}`
  const atOnce = 2 * availableParallelism()
  const inTurns = bounded(atOnce)
  const room = atOnce + maxWaiting
  const inside = new Map<string, number>()
  let total = 0

  const hashes: PasswordHashes = {
    hash: (plainText) =>
      inTurns(() => {
        metrics.passwordHashes.inc({ work: 'hash' })
        return argon2.hash(plainText)
      }),
    async verify(hash = dummyHash, plainText) {
      const isRight = await inTurns(async () => {
        metrics.passwordHashes.inc({ work: 'verify' })
        if (!isForeignHash(hash)) return argon2.verify(hash, plainText)
        const verified = [verifyForeignHash(hash, plainText), argon2.verify(dummyHash, plainText)] as const
        return (await Promise.all(verified))[0]
      })
      return isRight && hash !== dummyHash
    },
  }

  const hits = metrics.rateLimitHits.labels({ limit: 'password-hash' })
  hits.inc(0)
  return {
    isOutdated: (hash) => !hash.startsWith(currentForm),
    async admit(domain, work) {
      const theirs = inside.get(domain) ?? 0
      if (total >= room || theirs >= room / 2) {
        hits.inc()
        throw new ApiError('rate_limited', { retryAfterSeconds: 1 })
      }
      total += 1
      inside.set(domain, theirs + 1)
      try {
        return await work(hashes)
      } finally {
        total -= 1
        const left = (inside.get(domain) ?? 1) - 1
        if (left === 0) inside.delete(domain)
        else inside.set(domain, left)
      }
    },
  }
}

/** Limits the work that runs at once; the rest waits. */
function bounded(limit: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running >= limit) await new Promise<void>((resolve) => waiting.push(resolve))
    else running += 1
    try {
      return await work()
    } finally {
      // The place goes to the longest waiting work, or becomes free.
      const next = waiting.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }
}

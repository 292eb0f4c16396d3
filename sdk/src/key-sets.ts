import { createKeySet, KeySetMissing, type KeySetOptions, type VerificationKey } from './key-set.js'
import { TokenError } from './token-error.js'

type KeySet = ReturnType<typeof createKeySet>

interface KeySetsOptions extends Omit<KeySetOptions, 'url'> {
  /** The address of an organization's keys. */
  readonly urlOf: (domain: string) => string
  /** The most organizations whose keys are held. */
  readonly maxOrganizations: number
}

/** The keys of many organizations, by their domains. */
interface KeySets {
  /**
   * A key of an organization; undefined for an unknown key id.
   *
   * @throws TokenError `issuer_unknown`, `keys_unavailable`
   */
  keyOf(domain: string, kid: string): Promise<VerificationKey | undefined>
  /** Reads the keys of organizations; returns the domains of those whose keys cannot be read. */
  preload(domains: readonly string[]): Promise<string[]>
}

/** Why the keys of an organization are not asked for again yet. */
interface Refusal {
  readonly isMissing: boolean
  /** Milliseconds since 1970. */
  readonly until: number
}

/** How long it is believed that an organization does not exist, and that its keys cannot be read. */
const missingMs = 60_000
const failedMs = 1_000
const maxRefusals = 10_000
const preloadsAtOnce = 10

/**
 * Caches the key sets of organizations, those that were used last. Senders of tokens choose the organization before anything is
 * verified, so that made-up ones neither push others out nor cause more than a few requests.
 */
export function createKeySets({ urlOf, maxOrganizations, ...options }: KeySetsOptions): KeySets {
  const { now } = options
  // Both have the oldest entry first.
  const held = new Map<string, KeySet>()
  const refusals = new Map<string, Refusal>()
  const opening = new Map<string, KeySet>()
  const takeFromBucket = createBucket(now)

  return {
    keyOf: (domain, kid) => find(domain, kid, takeFromBucket),

    async preload(domains) {
      const failed: string[] = []
      // One iterator for all, so that each domain is read once.
      const waiting = new Set(domains).values()
      async function work(): Promise<void> {
        for (const domain of waiting) {
          try {
            await find(domain, '', () => true)
          } catch (error) {
            if (!(error instanceof TokenError)) throw error
            failed.push(domain)
          }
        }
      }
      await Promise.all(Array.from({ length: preloadsAtOnce }, work))
      return failed
    },
  }

  async function find(
    domain: string,
    kid: string,
    mayAsk: () => boolean,
  ): Promise<VerificationKey | undefined> {
    const keySet = held.get(domain) ?? open(domain, mayAsk)
    try {
      const key = await keySet(kid)
      hold(domain, keySet)
      return key
    } catch (error) {
      const refusal = refuse(domain, error)
      throw refusal.isMissing ? toError(refusal) : error
    }
  }

  /** The key set of an organization that is not held: one for all who wait for it. */
  function open(domain: string, mayAsk: () => boolean): KeySet {
    const shared = opening.get(domain)
    if (shared !== undefined) return shared
    const refusal = refusals.get(domain)
    if (refusal !== undefined && now() < refusal.until) throw toError(refusal)
    if (!mayAsk()) throw new TokenError('keys_unavailable', 'too many organizations are new at once')
    const keySet = createKeySet({ ...options, url: urlOf(domain) })
    opening.set(domain, keySet)
    return keySet
  }

  function hold(domain: string, keySet: KeySet): void {
    opening.delete(domain)
    putLast(held, domain, keySet, maxOrganizations)
  }

  function refuse(domain: string, error: unknown): Refusal {
    opening.delete(domain)
    held.delete(domain)
    const isMissing = error instanceof TokenError && error.cause instanceof KeySetMissing
    const refusal = { isMissing, until: now() + (isMissing ? missingMs : failedMs) }
    putLast(refusals, domain, refusal, maxRefusals)
    return refusal
  }
}

function toError({ isMissing }: Refusal): TokenError {
  return isMissing
    ? new TokenError('issuer_unknown', 'the service has no such organization')
    : new TokenError('keys_unavailable', 'the key set of the organization cannot be read')
}

/** Adds the newest entry, and removes the oldest one where there are too many. */
function putLast<Value>(entries: Map<string, Value>, name: string, value: Value, most: number): void {
  entries.delete(name)
  entries.set(name, value)
  if (entries.size <= most) return
  const [oldest = name] = entries.keys()
  entries.delete(oldest)
}

const bucketSize = 20
const bucketPerSecond = 2

/** Grants the requests for organizations that are not held: a few at once, and then so many a second, for all together. */
function createBucket(now: () => number): () => boolean {
  let level = bucketSize
  let filledAt = now()
  return () => {
    const at = now()
    const seconds = Math.max(0, at - filledAt) / 1000
    level = Math.min(bucketSize, level + seconds * bucketPerSecond)
    filledAt = at
    if (level < 1) return false
    level -= 1
    return true
  }
}

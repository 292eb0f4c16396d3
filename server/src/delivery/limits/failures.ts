import type { PlatformDeps } from '../../platform/deps/deps.js'
import type { Counter, Count, Policy } from './counter.js'

/** Failures of clients that are nobody yet, by the network they come from. */
export interface FailureLimit {
  /** Refuses a network that has failed too often; asks nobody but this process, so that a success costs nothing. */
  check(network: string): void
  /**
   * Counts a failure, for all processes.
   *
   * @returns Whether it is the last one that is let pass, of which there is one in a window.
   */
  count(network: string): Promise<boolean>
}

/** Networks that are remembered; more are forgotten together, and counted on in the database. */
const memory = 10_000

/**
 * A limit of failures alone. A process learns of the count, and with it that no more are let pass, by a failure of its
 * own.
 *
 * @param refuse Throws with the count that is too many.
 */
export function limitFailures(
  { now, metrics }: Pick<PlatformDeps, 'now' | 'metrics'>,
  counter: Pick<Counter, 'add'>,
  { name, limit }: Pick<Policy, 'name' | 'limit'>,
  { keyOf, refuse }: { keyOf: (network: string) => string; refuse: (counted: Count) => never },
): FailureLimit {
  const closed = new Map<string, { readonly count: number; readonly untilMs: number }>()
  return {
    check(network) {
      const known = closed.get(network)
      if (known === undefined) return
      const leftMs = known.untilMs - now().getTime()
      if (leftMs > 0) {
        metrics.rateLimitHits.inc({ limit: name })
        refuse({ count: known.count, resetSeconds: Math.ceil(leftMs / 1000) })
      }
      closed.delete(network)
    },
    async count(network) {
      const counted = await counter.add(keyOf(network))
      if (counted.count < limit) return false
      if (closed.size >= memory) closed.clear()
      const untilMs = now().getTime() + counted.resetSeconds * 1000
      // What is refused from now on is one more than may be.
      closed.set(network, { count: limit + 1, untilMs })
      if (counted.count > limit) refuse(counted)
      return true
    },
  }
}

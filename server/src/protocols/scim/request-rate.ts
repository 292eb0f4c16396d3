import type { LimitState } from '../../platform/errors.js'
import type { Deps } from '../../delivery/deps.js'

const windowMs = 1000

/** The state of a directory's limit in the current second. */
export interface RequestRate extends LimitState {
  readonly isExceeded: boolean
  /** Whether this is the first refused request of its second. */
  readonly isFirstExcess: boolean
}

/** Counts the requests of each directory in this process by the second. */
export function requestRates({ config, now, metrics }: Pick<Deps, 'config' | 'now' | 'metrics'>) {
  const limit = config.scimRatePerSecond
  let windowStart = 0
  let counts = new Map<string, number>()
  const hits = metrics.rateLimitHits.labels({ limit: 'scim' })
  hits.inc(0)

  return (directoryId: string): RequestRate => {
    const at = now().getTime()
    if (at - windowStart >= windowMs || at < windowStart) {
      windowStart = at
      counts = new Map()
    }
    const count = (counts.get(directoryId) ?? 0) + 1
    counts.set(directoryId, count)
    if (count > limit) hits.inc()
    return {
      name: 'scim',
      limit,
      windowSeconds: windowMs / 1000,
      remaining: Math.max(limit - count, 0),
      resetSeconds: Math.ceil((windowStart + windowMs - at) / 1000),
      isExceeded: count > limit,
      isFirstExcess: count === limit + 1,
    }
  }
}

import type { Deps } from '../deps.js'
import { ScimError } from './scim-error.js'

/** The requests of one directory that are here now. */
interface Lane {
  running: number
  readonly waiting: (() => void)[]
}

/**
 * Runs the requests of each directory so that they hold at most a quarter of the connections to the database: a filter
 * may take as long as a statement may, and what one provider asks must not keep the others waiting.
 *
 * @returns A function that runs work of a directory in its turn, and throws ScimError 429 where too many wait.
 */
export function openLanes({ config }: Pick<Deps, 'config'>) {
  const width = Math.max(1, Math.floor(config.database.poolSize / 4))
  const maxWaiting = config.scimRatePerSecond
  const lanes = new Map<string, Lane>()

  return async function inLane<Result>(directoryId: string, work: () => Promise<Result>): Promise<Result> {
    const lane = lanes.get(directoryId) ?? { running: 0, waiting: [] }
    lanes.set(directoryId, lane)
    if (lane.running < width) lane.running++
    else if (lane.waiting.length < maxWaiting) await new Promise<void>((go) => lane.waiting.push(go))
    else
      throw new ScimError(
        { status: 429, retryAfterSeconds: 1 },
        'Too many requests wait for the end of others: wait, and send it again.',
      )
    try {
      return await work()
    } finally {
      const next = lane.waiting.shift()
      // Whoever is next takes the place that is free.
      if (next !== undefined) next()
      else if (--lane.running === 0) lanes.delete(directoryId)
    }
  }
}

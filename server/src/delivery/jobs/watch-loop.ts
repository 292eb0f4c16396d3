import type { Deps } from '../deps.js'

/** In ms: ten looks, or three whose statements the database does not answer. */
const stalledAfterMs = 15_000

interface LoopWatch {
  /** Reports a successful look for work. */
  looked(): void
  isStalled(): boolean
  stop(): void
}

/**
 * Watches a loop that looks for work every second: exports the time of its last look as a metric, and logs and counts
 * gaps of 15 s.
 */
export function watchLoop(
  loop: 'jobs' | 'deliveries',
  { log, metrics, now }: Pick<Deps, 'log' | 'metrics' | 'now'>,
): LoopWatch {
  let lookedAt = performance.now()
  let isReported = false
  const looked = () => {
    if (isReported) log.info({ loop }, 'the loop looks for work again')
    isReported = false
    lookedAt = performance.now()
    metrics.loopLastLook.set({ loop }, now().getTime() / 1000)
  }
  const isStalled = () => performance.now() - lookedAt > stalledAfterMs
  const watching = setInterval(() => {
    if (isReported || !isStalled()) return
    isReported = true
    metrics.loopStalls.inc({ loop })
    log.error({ loop, seconds: stalledAfterMs / 1000 }, 'the loop has not looked for work for long')
  }, stalledAfterMs / 5)
  watching.unref()
  metrics.loopStalls.inc({ loop }, 0)
  looked()
  return { looked, isStalled, stop: () => clearInterval(watching) }
}

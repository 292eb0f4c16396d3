import type { Deps } from '../deps.js'

/** In ms: ten looks, or three whose statements the database does not answer. */
const stalledAfterMs = 15_000

interface LoopWatch {
  /** Says that the loop has looked for work, and could. */
  looked(): void
  isStalled(): boolean
  stop(): void
}

/**
 * Watches a loop that looks for work every second: tells the time of its last look in the metrics, and logs and counts
 * when there was none for 15 s.
 */
export function watchLoop(
  loop: 'jobs' | 'deliveries',
  { log, metrics, now }: Pick<Deps, 'log' | 'metrics' | 'now'>,
): LoopWatch {
  let lookedAt = performance.now()
  let isTold = false
  const looked = () => {
    if (isTold) log.info({ loop }, 'the loop looks for work again')
    isTold = false
    lookedAt = performance.now()
    metrics.loopLastLook.set({ loop }, now().getTime() / 1000)
  }
  const isStalled = () => performance.now() - lookedAt > stalledAfterMs
  const watching = setInterval(() => {
    if (isTold || !isStalled()) return
    isTold = true
    metrics.loopStalls.inc({ loop })
    log.error({ loop, seconds: stalledAfterMs / 1000 }, 'the loop has not looked for work for long')
  }, stalledAfterMs / 5)
  watching.unref()
  metrics.loopStalls.inc({ loop }, 0)
  looked()
  return { looked, isStalled, stop: () => clearInterval(watching) }
}

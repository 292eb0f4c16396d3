import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { flushLog } from '../platform/observability/log.js'

/** One thing to close. The name completes "what was still open: ...". */
export interface ClosingStep {
  readonly name: string
  readonly close: () => Promise<unknown>
  /** In ms. The next step begins after it, whether or not this one has ended. */
  readonly atMost?: number
}

/**
 * Closes one thing after the other. Returns in time even when a step hangs or fails, and then logs what is still open.
 *
 * @param within In ms, for all steps together.
 */
export async function closeInOrder(
  steps: readonly ClosingStep[],
  { within, log }: { readonly within: number; readonly log: Logger },
): Promise<void> {
  const open = new Set(steps.map(({ name }) => name))
  const all = (async () => {
    for (const { name, close, atMost = within } of steps) {
      const closed = close().then(
        () => open.delete(name),
        (error: unknown) => log.error({ err: error, step: name }, 'an error while closing'),
      )
      await settledWithin(atMost, closed)
    }
  })()
  await settledWithin(within, all)
  if (open.size === 0) return
  log.error({ open: [...open] }, 'the process ends with something still open')
  await settledWithin(1_000, flushLog(log))
}

/** Waits for work, but not longer than this. */
async function settledWithin(ms: number, work: Promise<unknown>): Promise<void> {
  const deadline = new AbortController()
  await Promise.race([work, sleep(ms, undefined, { signal: deadline.signal })])
  deadline.abort()
}

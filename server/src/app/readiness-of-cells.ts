import { setTimeout as sleep } from 'node:timers/promises'
import { readinessOf } from './http/health.js'
import type { Cells } from './open-cells.js'

/** A process that can serve some accounts is ready: those of another database get 503 from any process. */
export async function readinessOfCells(
  cells: Cells<{ whyNotReady(): Promise<string | undefined> }>,
  isDraining: boolean,
): Promise<{ readonly status: string; readonly reason?: string; readonly cells?: object }> {
  if (isDraining) return readinessOf('the service is stopping')
  const reasons = await Promise.all(
    cells.all.map(async ({ name = '', running }) => {
      const reason =
        running === undefined ? 'its database could not be opened yet' : await promptly(running.whyNotReady())
      return [name, readinessOf(reason)] as const
    }),
  )
  const isUp = reasons.some(([, { status }]) => status === 'up')
  return { status: isUp ? 'up' : 'down', cells: Object.fromEntries(reasons) }
}

/** How long a database among several may take to answer, in ms: a probe of Kubernetes waits for one second. */
const promptMs = 700

/** Has a database that is silent make no process look as if it were down. */
async function promptly(look: Promise<string | undefined>): Promise<string | undefined> {
  const timer = new AbortController()
  try {
    const late = sleep(promptMs, 'the database does not answer', { signal: timer.signal })
    return await Promise.race([look, late])
  } finally {
    timer.abort()
  }
}

import type { Deps } from '../delivery/deps.js'
import { jobHandlers } from './job-handlers.js'
import type { Loop } from '../delivery/jobs/loop.js'
import { startWorker } from '../delivery/jobs/run.js'
import { startSender } from '../delivery/webhooks/sender.js'

/** Starts the job worker and the webhook sender, in the API's process or in one of their own. */
export function startBackground(deps: Deps): Loop {
  const worker = startWorker(deps, jobHandlers)
  const sender = startSender(deps)
  return {
    async stop() {
      await Promise.all([worker.stop(), sender.stop()])
    },
    isStalled: () => worker.isStalled() || sender.isStalled(),
    async runDue() {
      for (let ended = 0; ;) {
        const endedNow = (await worker.runDue()) + (await sender.runDue())
        if (endedNow === 0) return ended
        ended += endedNow
      }
    },
  }
}

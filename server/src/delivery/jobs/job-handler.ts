import type { Deps } from '../deps.js'

/** What a job does, and when it is tried again. */
export interface JobHandler<Payload> {
  /** May run more than once for one job, also at the same time: after a process died, or lost the database. */
  run(deps: Deps, payload: Payload): Promise<unknown>
  /** The waits before a second attempt, a third and so on, ±10 %. After the last one the job is kept and not run. */
  readonly retryAfterSeconds: readonly number[]
  /** The job is always there, runs once per interval over all processes, and never runs out of attempts. */
  readonly everySeconds?: number
}

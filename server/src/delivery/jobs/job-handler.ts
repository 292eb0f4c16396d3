import type { Deps } from '../deps.js'

/** The place of an attempt in the retry schedule. */
export interface JobAttempt {
  readonly isLast: boolean
}

/** Runs the jobs of one name, with their retry schedule. */
export interface JobHandler<Payload> {
  /** May run more than once for one job, even concurrently: after a process died or lost the database. */
  run(deps: Deps, payload: Payload, attempt: JobAttempt): Promise<unknown>
  /** The waits before the second attempt, the third and so on, ±10 %. After the last attempt the job is kept, not run. */
  readonly retryAfterSeconds: readonly number[]
  /** Makes the job recurring: it runs once per interval across all processes, and never runs out of attempts. */
  readonly everySeconds?: number
}

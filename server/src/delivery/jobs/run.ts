import { promptDb } from '../../platform/db/connect.js'
import type { Deps } from '../deps.js'
import { bringBackFromAhead } from './clock-ahead.js'
import { onEnqueued } from './enqueue.js'
import { inBatches } from './in-batches.js'
import { inTurn } from '../../platform/in-turn.js'
import type { JobHandler } from './job-handler.js'
import { openLoop, type Loop } from './loop.js'
import { claimJobs, deleteJobs, extendLeases, insertJob, returnJob, type ClaimedJob } from './queue.js'

/** What is done, by the names of jobs. */
export type JobHandlers = Readonly<Record<string, JobHandler<never>>>

export interface WorkerOptions {
  /** How many jobs run at once. */
  readonly concurrency?: number
  /** After this long another process runs the jobs of one that died. A job that takes longer extends its lease. */
  readonly leaseMs?: number
  /** How often to look for jobs that other processes added and for those that have come due. */
  readonly pollMs?: number
}

/** A newer process adds jobs that this one does not know while an update is under way. */
const unknownJobDelayMs = 60_000
/** How often it looks for what a clock has written that was ahead. */
const bringBackEveryMs = 10_000

/**
 * Runs jobs until it is stopped: each at least once, under a lease, and again on its handler's schedule when it fails.
 * Any number of processes may do so on one database.
 */
export function startWorker(deps: Deps, jobHandlers: JobHandlers, options: WorkerOptions = {}): Loop {
  const { concurrency = 20, leaseMs = 30_000, pollMs = 1000 } = options
  const { log } = deps
  const db = promptDb(deps.db)
  const handlers = new Map(Object.entries(jobHandlers))
  const runJob = jobRunner(deps, handlers)
  const running = new Map<string, ClaimedJob>()
  const loop = openLoop(deps, {
    name: 'jobs',
    pollMs,
    messages: {
      failing: 'the worker cannot reach its jobs, and keeps trying',
      unfinished: 'jobs were left unfinished and will run again',
    },
  })

  async function startDue(): Promise<number> {
    const limit = concurrency - running.size
    if (limit === 0 || loop.isStopping()) return 0
    const at = deps.now()
    const jobs = await claimJobs(db, {
      at,
      leaseUntil: after(at, leaseMs),
      limit,
      except: [...running.keys()],
    })
    for (const job of jobs) {
      running.set(job.id, job)
      void loop.run(() => run(job))
    }
    return jobs.length
  }

  async function run(job: ClaimedJob): Promise<boolean> {
    try {
      await runJob(job)
    } catch (error) {
      // Its lease stays, and when that has run out the job runs again.
      log.error({ job: job.name, job_id: job.id, err: error }, 'how a job ended cannot be stored')
    }
    const wasFull = running.size >= concurrency
    running.delete(job.id)
    return wasFull
  }

  // Two claims at a time would fill the same room twice.
  const startDueInTurn = inTurn(startDue)

  let isScheduled = false
  async function look(): Promise<number> {
    if (!isScheduled) await scheduleRecurring({ db, now: deps.now }, handlers)
    isScheduled = true
    await bringBackInTime()
    return startDueInTurn()
  }

  let broughtBackAt = -Infinity
  async function bringBackInTime(): Promise<void> {
    if (performance.now() - broughtBackAt < bringBackEveryMs) return
    await bringBackFromAhead(db, deps.now())
    broughtBackAt = performance.now()
  }

  const extending = setInterval(() => {
    if (running.size === 0) return
    extendLeases(db, [...running.values()], after(deps.now(), leaseMs)).catch((error: unknown) =>
      log.warn({ err: error }, 'the leases of running jobs cannot be extended'),
    )
  }, leaseMs / 3)

  const stopListening = onEnqueued(db, loop.lookSoon)
  const started = loop.start({ look, startDue: startDueInTurn, stopListening })
  return {
    ...started,
    async stop() {
      await started.stop()
      clearInterval(extending)
    },
  }
}

/** Makes the function that runs one claimed job and stores what became of it. */
function jobRunner(deps: Deps, handlers: ReadonlyMap<string, JobHandler<never>>) {
  const { log, metrics } = deps
  const db = promptDb(deps.db)
  const deleteTogether = inBatches((jobs: ClaimedJob[]) => deleteJobs(db, jobs))

  return async function runJob(job: ClaimedJob): Promise<void> {
    const handler = handlers.get(job.name)
    const about = { job: job.name, job_id: job.id, attempt: job.attempt }
    if (handler === undefined) {
      log.warn(about, 'no such job is known here; it is left to a process that knows it')
      metrics.jobs.inc({ name: 'unknown', outcome: 'returned' })
      const at = deps.now()
      const runAt = after(at, unknownJobDelayMs)
      await returnJob(db, job, { at, runAt, attempt: job.attempt - 1, lastError: null })
      return
    }
    try {
      // Only a process that died in it leaves a job with more attempts than it may have.
      if (handler.everySeconds === undefined && job.attempt > handler.retryAfterSeconds.length + 1)
        throw new Error('its process ended during the last attempt')
      // Payloads are stored under the name that types them, by enqueue() alone.
      await handler.run(deps, job.payload as never)
    } catch (error) {
      const next = afterFailure(handler, job.attempt)
      if (next === undefined) log.error({ ...about, err: error }, 'a job failed for the last time')
      else log.warn({ ...about, err: error }, 'a job failed and will be tried again')
      metrics.jobs.inc({ name: job.name, outcome: next === undefined ? 'dead' : 'failed' })
      const at = deps.now()
      await returnJob(db, job, {
        at,
        runAt: next === undefined ? 'infinity' : after(at, next.waitSeconds * 1000),
        attempt: next?.attempt ?? job.attempt,
        lastError: describeError(error),
      })
      return
    }
    metrics.jobs.inc({ name: job.name, outcome: 'done' })
    if (handler.everySeconds === undefined) {
      await deleteTogether(job)
    } else {
      const at = deps.now()
      const runAt = after(at, handler.everySeconds * 1000)
      await returnJob(db, job, { at, runAt, attempt: 0, lastError: null })
    }
  }
}

/** When a job that failed runs again, and how many attempts count until then; undefined after the last one. */
function afterFailure(
  { retryAfterSeconds, everySeconds }: JobHandler<never>,
  attempt: number,
): { waitSeconds: number; attempt: number } | undefined {
  const waitSeconds = retryAfterSeconds[attempt - 1]
  // Jobs that failed together should not all come back together.
  if (waitSeconds !== undefined) return { waitSeconds: waitSeconds * (0.9 + Math.random() * 0.2), attempt }
  return everySeconds === undefined ? undefined : { waitSeconds: everySeconds, attempt: 0 }
}

/** One row per recurring job, which every process finds there and which is never deleted, only put off. */
async function scheduleRecurring(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  handlers: ReadonlyMap<string, JobHandler<never>>,
): Promise<void> {
  const at = now()
  for (const [name, { everySeconds }] of handlers) {
    if (everySeconds === undefined) continue
    const runAt = after(at, everySeconds * 1000)
    await insertJob(db, { name, key: 'recurring', payload: {}, accountId: null, runAt, insertedAt: at })
  }
}

function after(at: Date, ms: number): Date {
  return new Date(at.getTime() + ms)
}

/** What is stored of an error: no stack, and no credentials or tokens of the addresses in its message. */
function describeError(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return text
    .replace(/\/\/[^\s/@]*@/g, '//')
    .replace(/(:\/\/[^\s?#]*)[?#]\S*/g, '$1')
    .replaceAll('\0', '')
    .slice(0, 500)
}

import { EventEmitter, once } from 'node:events'
import { promptDb } from '../../platform/db/connect.js'
import type { Deps } from '../deps.js'
import { bringBackFromAhead } from './clock-ahead.js'
import { onEnqueued } from './enqueue.js'
import { inBatches } from './in-batches.js'
import { inTurn } from '../../platform/in-turn.js'
import type { JobHandler } from './job-handler.js'
import { claimJobs, deleteJobs, extendLeases, insertJob, returnJob, type ClaimedJob } from './queue.js'
import { restBetweenLooks } from './rest-between-looks.js'
import { watchLoop } from './watch-loop.js'

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

export interface Worker {
  /** Takes no more jobs, and waits for those that run as long as the configuration allows. */
  stop(): Promise<void>
  /**
   * Runs everything that is due, and everything that this makes due, and waits for what runs already.
   *
   * @returns How many jobs ended meanwhile, well or not.
   */
  runDue(): Promise<number>
  /** Whether it could not look for work for 15 s. */
  isStalled(): boolean
}

/** A newer process adds jobs that this one does not know while an update is under way. */
const unknownJobDelayMs = 60_000
/** How often it looks for what a clock has written that was ahead. */
const bringBackEveryMs = 10_000

/**
 * Runs jobs until it is stopped: each at least once, under a lease, and again on its handler's schedule when it fails.
 * Any number of processes may do so on one database.
 */
export function startWorker(deps: Deps, jobHandlers: JobHandlers, options: WorkerOptions = {}): Worker {
  const { concurrency = 20, leaseMs = 30_000, pollMs = 1000 } = options
  const { log } = deps
  const db = promptDb(deps.db)
  const handlers = new Map(Object.entries(jobHandlers))
  const runJob = jobRunner(deps, handlers)
  const running = new Map<string, ClaimedJob>()
  /** Emits `change` when a job has ended, and when the worker is to stop. */
  const signals = new EventEmitter().setMaxListeners(0)
  let ended = 0
  let isStopping = false

  async function startDue(): Promise<number> {
    const limit = concurrency - running.size
    if (limit === 0 || isStopping) return 0
    const at = deps.now()
    const jobs = await claimJobs(db, {
      at,
      leaseUntil: after(at, leaseMs),
      limit,
      except: [...running.keys()],
    })
    for (const job of jobs) {
      running.set(job.id, job)
      void run(job)
    }
    return jobs.length
  }

  async function run(job: ClaimedJob): Promise<void> {
    try {
      await runJob(job)
    } catch (error) {
      // Its lease stays, and when that has run out the job runs again.
      log.error({ job: job.name, job_id: job.id, err: error }, 'how a job ended cannot be stored')
    }
    if (running.size >= concurrency) rest.lookNow()
    running.delete(job.id)
    ended += 1
    signals.emit('change')
  }

  // Two claims at a time would fill the same room twice.
  const startDueInTurn = inTurn(startDue)

  const rest = restBetweenLooks(pollMs)
  const stopListening = onEnqueued(db, rest.lookSoon)
  const watch = watchLoop('jobs', deps)

  async function work(): Promise<void> {
    let isScheduled = false
    let isFailing = false
    while (!isStopping) {
      try {
        if (!isScheduled) await scheduleRecurring({ db, now: deps.now }, handlers)
        isScheduled = true
        await bringBackInTime()
        const started = await startDueInTurn()
        isFailing = false
        watch.looked()
        if (started === 0) await rest.pause()
      } catch (error) {
        if (!isFailing) log.error({ err: error }, 'the worker cannot reach its jobs, and keeps trying')
        isFailing = true
        if (!isStopping) await rest.pause()
      }
    }
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

  const working = work()
  let stopped: Promise<void> | undefined
  async function stop(): Promise<void> {
    isStopping = true
    stopListening()
    rest.end()
    watch.stop()
    signals.emit('change')
    await working

    let isOverdue = false
    const deadline = setTimeout(() => {
      isOverdue = true
      signals.emit('change')
    }, deps.config.drainMs)
    while (running.size > 0 && !isOverdue) await once(signals, 'change')
    clearTimeout(deadline)
    clearInterval(extending)
    if (running.size > 0) log.warn({ jobs: running.size }, 'jobs were left unfinished and will run again')
  }

  return {
    stop: () => (stopped ??= stop()),
    isStalled: watch.isStalled,
    async runDue() {
      const endedBefore = ended
      for (;;) {
        const started = await startDueInTurn()
        if (started === 0 && running.size === 0) return ended - endedBefore
        if (started === 0 || running.size >= concurrency) await once(signals, 'change')
      }
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
      const runAt = after(deps.now(), unknownJobDelayMs)
      await returnJob(db, job, { runAt, attempt: job.attempt - 1, lastError: null })
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
      await returnJob(db, job, {
        runAt: next === undefined ? 'infinity' : after(deps.now(), next.waitSeconds * 1000),
        attempt: next?.attempt ?? job.attempt,
        lastError: describeError(error),
      })
      return
    }
    metrics.jobs.inc({ name: job.name, outcome: 'done' })
    if (handler.everySeconds === undefined) {
      await deleteTogether(job)
    } else {
      const runAt = after(deps.now(), handler.everySeconds * 1000)
      await returnJob(db, job, { runAt, attempt: 0, lastError: null })
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

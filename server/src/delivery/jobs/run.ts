import pg from 'pg'
import { promptDb } from '../../platform/db/connect.js'
import type { Deps } from '../deps.js'
import { rescheduleAheadOfClock } from './clock-ahead.js'
import { onEnqueued } from './enqueue.js'
import { inBatches } from './in-batches.js'
import { inTurn } from '../../platform/in-turn.js'
import type { JobHandler } from './job-handler.js'
import { openLoop, type Loop } from './loop.js'
import {
  claimJobs,
  deleteJobs,
  extendLeases,
  insertJob,
  returnJob,
  type ClaimedJob,
  type JobRoom,
} from './queue.js'

/** Handlers by the name of their job. */
export type JobHandlers = Readonly<Record<string, JobHandler<never>>>

export interface WorkerOptions {
  /** How many jobs run at once. */
  readonly concurrency?: number
  /** How many jobs run at once of one lane, of all lanes of an account, and of all lanes, beside those without a lane. */
  readonly perLane?: number
  readonly perAccount?: number
  readonly inLanes?: number
  /** Another process runs the jobs of a dead one after this time. A longer job extends its lease. */
  readonly leaseMs?: number
  /** How often to look for jobs that other processes added or that have become due. */
  readonly pollMs?: number
}

/** During an update a newer process adds jobs that this one does not know. */
const unknownJobDelayMs = 60_000
/** How often to look for rows that were written by a clock ahead. */
const bringBackEveryMs = 10_000

/**
 * Runs jobs until it is stopped: each at least once, under a lease, with retries on its handler's schedule.
 * Any number of processes may share one database.
 */
export function startWorker(deps: Deps, jobHandlers: JobHandlers, options: WorkerOptions = {}): Loop {
  const { concurrency = 20, perLane = 8, perAccount = 40, inLanes = 100 } = options
  const { leaseMs = 30_000, pollMs = 1000 } = options
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
    const room = roomBeside(running)
    if ((room.limit === 0 && room.laneLimit === 0) || loop.isStopping()) return 0
    const at = deps.now()
    const jobs = await claimJobs(db, {
      at,
      leaseUntil: after(at, leaseMs),
      room,
      except: [...running.keys()],
    })
    for (const job of jobs) {
      running.set(job.id, job)
      void loop.run(() => run(job))
    }
    return jobs.length
  }

  function roomBeside(jobs: ReadonlyMap<string, ClaimedJob>): JobRoom {
    const busy = [...jobs.values()].filter(({ lane }) => lane !== null)
    const places = { limit: concurrency - jobs.size + busy.length, laneLimit: inLanes - busy.length }
    return { ...places, perLane, perAccount, busy }
  }

  /** Whether more of a job's kind may be due than there was room for. */
  function isFull({ lane, accountId }: ClaimedJob): boolean {
    const { limit, laneLimit, busy } = roomBeside(running)
    if (lane === null) return limit === 0
    if (busy.filter((other) => other.accountId === accountId).length >= perAccount) return true
    return laneLimit === 0 || busy.filter((other) => other.lane === lane).length >= perLane
  }

  async function run(job: ClaimedJob): Promise<boolean> {
    try {
      await runJob(job)
    } catch (error) {
      // The job runs again when its lease expires.
      log.error({ job: job.name, job_id: job.id, err: error }, 'the outcome of a job cannot be stored')
    }
    const wasFull = isFull(job)
    running.delete(job.id)
    return wasFull
  }

  // Concurrent claims would fill the same free slots twice.
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
    await rescheduleAheadOfClock(db, deps.now(), leaseMs)
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

/** Makes the function that runs one claimed job and stores its outcome. */
function jobRunner(deps: Deps, handlers: ReadonlyMap<string, JobHandler<never>>) {
  const { log, metrics, traces } = deps
  const db = promptDb(deps.db)
  const deleteTogether = inBatches((jobs: ClaimedJob[]) => deleteJobs(db, jobs))
  for (const name of handlers.keys())
    for (const outcome of ['done', 'failed', 'dead']) metrics.jobs.inc({ name, outcome }, 0)

  return async function runJob(job: ClaimedJob): Promise<void> {
    const handler = handlers.get(job.name)
    const about = { job: job.name, job_id: job.id, attempt: job.attempt }
    if (handler === undefined) {
      log.warn(about, 'unknown job name; the job is left to a process that knows it')
      metrics.jobs.inc({ name: 'unknown', outcome: 'returned' })
      const at = deps.now()
      const runAt = after(at, unknownJobDelayMs)
      await returnJob(db, job, { at, runAt, attempt: job.attempt - 1, lastError: null })
      return
    }
    try {
      // A job exceeds its attempts only when its process died during the last one.
      if (handler.everySeconds === undefined && job.attempt > handler.retryAfterSeconds.length + 1)
        throw new Error('its process ended during the last attempt')
      // Only enqueue() stores payloads, typed by the job's name.
      const isLast = handler.everySeconds === undefined && job.attempt > handler.retryAfterSeconds.length
      const { traceparent, payload } = payloadOf(job)
      const run = async () => handler.run(deps, payload as never, { isLast })
      await (traces?.runInBackground({ ...spanOf(job), traceparent }, run) ?? run())
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

/** The payload, and the trace of the request that has added the job, which enqueue() puts beside its members. */
function payloadOf({ payload }: ClaimedJob): { readonly payload: unknown; readonly traceparent?: string } {
  if (typeof payload !== 'object' || payload === null || !('traceparent' in payload)) return { payload }
  const { traceparent, ...rest } = payload
  return { payload: rest, ...(typeof traceparent === 'string' && { traceparent }) }
}

function spanOf({ id, name, attempt, accountId }: ClaimedJob) {
  return {
    name: `job ${name}`,
    attributes: {
      'portico.job.name': name,
      'portico.job.id': id,
      'portico.job.attempt': attempt,
      'portico.account_id': accountId ?? undefined,
    },
  }
}

/** The wait before the retry of a failed job, and its attempt count; undefined after the last attempt. */
function afterFailure(
  { retryAfterSeconds, everySeconds }: JobHandler<never>,
  attempt: number,
): { waitSeconds: number; attempt: number } | undefined {
  const waitSeconds = retryAfterSeconds[attempt - 1]
  // Jitter: jobs that failed together should not all be retried together.
  if (waitSeconds !== undefined) return { waitSeconds: waitSeconds * (0.9 + Math.random() * 0.2), attempt }
  return everySeconds === undefined ? undefined : { waitSeconds: everySeconds, attempt: 0 }
}

/** Inserts one row per recurring job, shared by all processes; it is never deleted, only rescheduled. */
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

/**
 * The stored form of an error: no stack, and no credentials or tokens of URLs in its message. That of a database error quotes the
 * row, which may be personal data, and is left out.
 */
function describeError(error: unknown): string {
  if (error instanceof pg.DatabaseError)
    return ['DatabaseError:', error.code, error.table, error.constraint].filter(Boolean).join(' ')
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return text
    .replace(/\/\/[^\s/@]*@/g, '//')
    .replace(/(:\/\/[^\s?#]*)[?#]\S*/g, '$1')
    .replaceAll('\0', '')
    .slice(0, 500)
}

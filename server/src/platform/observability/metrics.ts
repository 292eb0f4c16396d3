import type { LogEventCode } from '@portico/contract/log-events'
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client'
import { refusals, type PoolState } from '../db/pool-state.js'
import { fallbacks, type Fallback } from '../db/positions.js'
import { accountSignInSteps, entrances, signInSteps, type Entered } from './sign-in-steps.js'

/** Work that waits for the workers of all processes. Times are in seconds, and 0 where nothing waits. */
export interface Backlog {
  /** Of every database of the process: one that does not answer is left out. */
  readonly isWhole: boolean
  readonly jobs: { readonly due: number; readonly oldestSeconds: number; readonly dead: number }
  readonly deliveries: readonly {
    /** Whether the last attempt at their webhooks failed, which is the receiver's fault and not the service's. */
    readonly webhook: 'healthy' | 'failing'
    readonly due: number
    readonly oldestSeconds: number
    readonly eventLagSeconds: number
  }[]
}

export type Metrics = ReturnType<typeof createMetrics>

/**
 * The figures of one process. Labels never name a tenant, so that their number stays bounded. What counts with labels adds 0 to
 * each of its series at the start: Prometheus takes the first value of a series that begins later for no increase.
 */
export function createMetrics() {
  const registry = new Registry()
  const registers = [registry]
  const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter({ name, help, labelNames, registers })
  const gauge = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Gauge({ name, help, labelNames, registers })
  collectDefaultMetrics({ register: registry })
  const signIns = counter(
    'portico_sign_ins_total',
    'Steps of sign-ins by method and outcome; the method sign_in is a whole sign-in on the pages',
    'method',
    'outcome',
  )
  for (const step of signInSteps.values()) signIns.inc({ ...step }, 0)
  const accountSignIns = counter(
    'portico_account_sign_in_total',
    'Steps of sign-ins that name no organization: the link to the mailbox, its proof, and how an organization is entered',
    'step',
    'outcome',
  )
  for (const step of accountSignInSteps.values()) accountSignIns.inc({ ...step }, 0)
  for (const outcome of entrances) accountSignIns.inc({ step: 'enter', outcome }, 0)
  const connectionsRefused = counter(
    'portico_db_connections_refused_total',
    'Connections that could not be had: none was free (pool_wait), one caller had half of them (share), Postgres said no (postgres), no answer (network)',
    'pool',
    'reason',
  )
  const replicaFallbacks = counter(
    'portico_db_replica_fallbacks_total',
    'Statements that the primary answered in place of the replica, by reason: it could not be reached (unreachable), lacked a change of the caller (position), was too far behind (lag), how far was not known yet (unmeasured), its replay needed the rows (conflict), or it is none of this database (not_replica)',
    'reason',
  )
  for (const reason of fallbacks) replicaFallbacks.inc({ reason }, 0)
  const replicaReads = counter('portico_db_replica_reads_total', 'Statements that the replica answered')
  const pools = new Map<string, () => PoolState>()
  function poolGauge(name: string, help: string, figure: keyof PoolState): void {
    new Gauge({
      name,
      help,
      labelNames: ['pool'] as const,
      registers,
      collect() {
        for (const [pool, read] of pools) this.set({ pool }, read()[figure])
      },
    })
  }
  poolGauge('portico_db_pool_in_use', 'Connections of a pool that are in use or being made', 'inUse')
  poolGauge('portico_db_pool_idle', 'Connections of a pool that nobody uses', 'idle')
  poolGauge('portico_db_pool_waiting', 'How many wait for a connection of a pool', 'waiting')
  poolGauge('portico_db_pool_max', 'How many connections a pool may have', 'max')
  return {
    registry,
    /** Counts a log event of a sign-in; twice where a deadlock makes the transaction run again. */
    countSignIn(code: LogEventCode) {
      const step = signInSteps.get(code)
      if (step !== undefined) signIns.inc({ ...step })
      const accountStep = accountSignInSteps.get(code)
      if (accountStep !== undefined) accountSignIns.inc({ ...accountStep })
    },
    /** Counts an organization that was chosen in a sign-in that names none. */
    countEntrance(outcome: Entered) {
      accountSignIns.inc({ step: 'enter', outcome })
    },
    /** Reads the figures of a pool whenever the metrics are read. */
    watchPool(pool: string, read: () => PoolState) {
      pools.set(pool, read)
      for (const reason of refusals) connectionsRefused.inc({ pool, reason }, 0)
    },
    showBacklog: backlogGauges(gauge),
    connectionsRefused,
    rateLimitHits: counter(
      'portico_rate_limit_hits_total',
      'What a limit refused, or had answered as wrong, by the name of the limit',
      'limit',
    ),
    requests: new Histogram({
      name: 'portico_http_request_duration_seconds',
      help: 'Answers by route and status',
      labelNames: ['route', 'status'] as const,
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
      registers,
    }),
    roundTrips: counter('portico_db_round_trips_total', 'Waits for an answer of the database'),
    countRead: (fallback: Fallback | undefined) =>
      fallback === undefined ? replicaReads.inc() : replicaFallbacks.inc({ reason: fallback }),
    answersRepaired: counter(
      'portico_answers_repaired_total',
      'Answers that did not fit the contract and were stripped of what it does not declare',
      'route',
    ),
    passwordHashes: counter('portico_password_hashes_total', 'Password hashes made and verified', 'work'),
    breachChecks: counter(
      'portico_breach_checks_total',
      'Passwords looked up among those of known breaches, by outcome',
      'outcome',
    ),
    jobs: counter('portico_jobs_total', 'Attempts of jobs by name and outcome', 'name', 'outcome'),
    deliveries: counter(
      'portico_webhook_attempts_total',
      'Attempts to deliver an event to a webhook by outcome',
      'outcome',
    ),
    loopLastLook: gauge(
      'portico_loop_last_look_timestamp_seconds',
      'When the worker last looked for jobs, and for deliveries',
      'loop',
    ),
    loopStalls: counter(
      'portico_loop_stalls_total',
      'How often the worker could not look for jobs, or for deliveries, for 15 s',
      'loop',
    ),
  }
}

/** Makes the gauges of due work, and the function that sets them; without figures it removes them. */
function backlogGauges(gauge: (name: string, help: string, ...labelNames: 'webhook'[]) => Gauge<'webhook'>) {
  const isUp = gauge(
    'portico_db_up',
    'Whether every database told what is due; with 0 its figures are missing',
  )
  const jobs = {
    due: gauge('portico_jobs_due', 'Jobs that are due and not yet claimed, up to 10,000'),
    oldestSeconds: gauge(
      'portico_jobs_oldest_due_seconds',
      'How long the longest due job has been due, or 0',
    ),
    dead: gauge('portico_jobs_dead', 'Jobs that failed for the last time, up to 10,000'),
  }
  const deliveries = {
    due: gauge(
      'portico_webhook_deliveries_due',
      'Deliveries that are due and not yet claimed, up to 10,000',
      'webhook',
    ),
    oldestSeconds: gauge(
      'portico_webhook_deliveries_oldest_due_seconds',
      'How long the longest due delivery has been due, or 0',
      'webhook',
    ),
    eventLagSeconds: gauge(
      'portico_event_lag_seconds',
      'The age of the oldest event among the longest due deliveries of each webhook, or 0',
      'webhook',
    ),
  }
  return (backlog: Backlog | undefined): void => {
    isUp.set(backlog?.isWhole === true ? 1 : 0)
    for (const figure of ['due', 'oldestSeconds', 'dead'] as const) {
      if (backlog === undefined) jobs[figure].remove()
      else jobs[figure].set(backlog.jobs[figure])
    }
    for (const figure of ['due', 'oldestSeconds', 'eventLagSeconds'] as const) {
      deliveries[figure].reset()
      for (const { webhook, ...figures } of backlog?.deliveries ?? [])
        deliveries[figure].set({ webhook }, figures[figure])
    }
  }
}

import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client'

export type Metrics = ReturnType<typeof createMetrics>

/** The figures of one process. Labels never name a tenant, so that their number stays bounded. */
export function createMetrics() {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  return {
    registry,
    requests: new Histogram({
      name: 'portico_http_request_duration_seconds',
      help: 'Answers by route and status',
      labelNames: ['route', 'status'] as const,
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
      registers,
    }),
    roundTrips: new Counter({
      name: 'portico_db_round_trips_total',
      help: 'Waits for an answer of the database',
      registers,
    }),
    replicaFallbacks: new Counter({
      name: 'portico_db_replica_fallbacks_total',
      help: 'Statements that the primary answered because the replica could not',
      registers,
    }),
    answersRepaired: new Counter({
      name: 'portico_answers_repaired_total',
      help: 'Answers that did not fit the contract and were stripped of what it does not declare',
      labelNames: ['route'] as const,
      registers,
    }),
    passwordHashes: new Counter({
      name: 'portico_password_hashes_total',
      help: 'Password hashes made and verified',
      labelNames: ['work'] as const,
      registers,
    }),
    breachChecks: new Counter({
      name: 'portico_breach_checks_total',
      help: 'Passwords looked up among those of known breaches, by outcome',
      labelNames: ['outcome'] as const,
      registers,
    }),
    jobs: new Counter({
      name: 'portico_jobs_total',
      help: 'Attempts of jobs by name and outcome',
      labelNames: ['name', 'outcome'] as const,
      registers,
    }),
    deliveries: new Counter({
      name: 'portico_webhook_attempts_total',
      help: 'Attempts to deliver an event to a webhook by outcome',
      labelNames: ['outcome'] as const,
      registers,
    }),
    jobsDue: new Gauge({
      name: 'portico_jobs_due',
      help: 'Jobs that are due and not yet claimed, as the last poll saw it',
      registers,
    }),
    loopLastLook: new Gauge({
      name: 'portico_loop_last_look_timestamp_seconds',
      help: 'When the worker last looked for jobs, and for deliveries',
      labelNames: ['loop'] as const,
      registers,
    }),
    loopStalls: new Counter({
      name: 'portico_loop_stalls_total',
      help: 'How often the worker could not look for jobs, or for deliveries, for 15 s',
      labelNames: ['loop'] as const,
      registers,
    }),
  }
}

import { setTimeout as sleep } from 'node:timers/promises'
import { sql, type Kysely } from 'kysely'
import { promptDb } from '../platform/db/connect.js'
import type { DB } from '../platform/db/schema.js'
import type { Deps } from '../delivery/deps.js'
import type { Backlog } from '../platform/observability/metrics.js'
import { earliestDeliveries } from '../delivery/webhooks/queue.js'
import { sameEnvironment } from '../platform/db/tenant-predicate.js'

/** What waits in one database. */
type Figures = Omit<Backlog, 'isWhole'>

/** Counts stop here: counting further takes too long. */
const maxCounted = 10_000

/** Reads due work from the indexes of due rows, and no table. */
async function readBacklog(db: Kysely<DB>, at: Date): Promise<Figures> {
  const { rows: jobs } = await sql<Backlog['jobs']>`
    with due as (select run_at from jobs where run_at <= ${at} order by run_at limit ${maxCounted})
    select
      (select count(*)::integer from due) as due,
      ${secondsSince(at, sql`(select min(run_at) from due)`)} as "oldestSeconds",
      (select count(*)::integer from (select from jobs where run_at = 'infinity' limit ${maxCounted}) dead) as dead
    `.execute(db)
  const { rows: deliveries } = await sql<Backlog['deliveries'][number]>`
    with recursive ${earliestDeliveries}, first as (
      select earliest.*, webhooks.failing_since is not null as is_failing
      from earliest join webhooks on webhooks.id = earliest.webhook_id and webhooks.deleted_at is null
      where earliest.run_at <= ${at} and webhooks.active
    ), due as (
      select first.is_failing from first cross join lateral (
        select from webhook_deliveries
        where state = 'pending' and webhook_id = first.webhook_id and run_at <= ${at} limit ${maxCounted}
      ) delivery limit ${maxCounted}
    )
    select kind.webhook,
      (select count(*)::integer from due where due.is_failing = kind.is_failing) as due,
      ${secondsSince(at, sql`min(first.run_at)`)} as "oldestSeconds",
      ${secondsSince(at, sql`min(events.issued_at)`)} as "eventLagSeconds"
    from (values ('healthy', false), ('failing', true)) kind (webhook, is_failing)
    left join first on first.is_failing = kind.is_failing
    left join events on ${sameEnvironment('events', 'first')} and events.id = first.id
    group by kind.webhook, kind.is_failing`.execute(db)
  return { jobs: jobs[0] ?? { due: 0, oldestSeconds: 0, dead: 0 }, deliveries }
}

function secondsSince(at: Date, time: ReturnType<typeof sql>) {
  return sql`coalesce(greatest(extract(epoch from ${at}::timestamptz - ${time}), 0), 0)::float8`
}

/** What waits in all databases: the sums, and the oldest. */
function total(backlogs: readonly Figures[]): Figures {
  const sum = (figures: readonly number[]) => figures.reduce((one, other) => one + other, 0)
  const jobs = backlogs.map((backlog) => backlog.jobs)
  const kinds = ['healthy', 'failing'] as const
  return {
    jobs: {
      due: sum(jobs.map(({ due }) => due)),
      oldestSeconds: Math.max(0, ...jobs.map(({ oldestSeconds }) => oldestSeconds)),
      dead: sum(jobs.map(({ dead }) => dead)),
    },
    deliveries: kinds.map((webhook) => {
      const of = backlogs.flatMap(({ deliveries }) => deliveries.filter((each) => each.webhook === webhook))
      return {
        webhook,
        due: sum(of.map(({ due }) => due)),
        oldestSeconds: Math.max(0, ...of.map(({ oldestSeconds }) => oldestSeconds)),
        eventLagSeconds: Math.max(0, ...of.map(({ eventLagSeconds }) => eventLagSeconds)),
      }
    }),
  }
}

/** In ms. How long figures are cached, and how long they are waited for. A scraper of metrics waits for 10 s. */
const keptMs = 5_000
const waitMs = 3_000

/**
 * Makes the function that updates the metrics of the backlog. Without an answer of any database in time it removes them,
 * because outdated figures mislead.
 *
 * @param databases Undefined in place of one that could not be opened yet.
 */
export function watchBacklog(
  { now, log, metrics }: Pick<Deps, 'now' | 'log' | 'metrics'>,
  databases: () => readonly (Kysely<DB> | undefined)[],
  keptForMs = keptMs,
): () => Promise<void> {
  let isReading = false
  let begunAt = -Infinity
  let latest: Promise<Backlog | undefined> = Promise.resolve(undefined)

  async function read(): Promise<Backlog | undefined> {
    isReading = true
    begunAt = performance.now()
    try {
      const read = await Promise.all(databases().map(readOne))
      const known = read.flatMap((backlog) => backlog ?? [])
      return known.length === 0 ? undefined : { ...total(known), isWhole: known.length === read.length }
    } finally {
      isReading = false
    }
  }

  /** One of several databases that does not answer does not hide what waits in the others. */
  async function readOne(db: Kysely<DB> | undefined): Promise<Figures | undefined> {
    if (db === undefined) return undefined
    try {
      const read = readBacklog(promptDb(db), now())
      return await Promise.race([read, sleep(waitMs / 2, undefined, { ref: false })])
    } catch (error) {
      log.warn({ err: error }, 'what is due cannot be read for the metrics')
      return undefined
    }
  }

  return async () => {
    if (!isReading && performance.now() - begunAt >= keptForMs) latest = read()
    metrics.showBacklog(await Promise.race([latest, sleep(waitMs, undefined, { ref: false })]))
  }
}

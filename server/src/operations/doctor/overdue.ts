import { sql } from 'kysely'
import { earliestDeliveries } from '../../delivery/webhooks/queue.js'
import { maxNamed, type Finding, type Reader } from './finding.js'

/** Work that is due for longer is not waiting for its turn: no worker does it. */
const overdueMs = 5 * 60_000
/** Counts stop here. */
const maxCounted = 10_000
/** How many of the newest events are checked for a position. */
const newestEvents = 100_000

const startWorker = 'start portico worker, or portico serve without --no-worker'

/** Overdue jobs, mails among them, and those that failed for good. */
export async function examineJobs({ db, at }: Reader): Promise<Finding[]> {
  const check = 'Jobs'
  const { rows } = await sql<{ dead: number; overdue: number; names: string | null }>`
    with overdue as (select name from jobs where run_at < ${overdueBefore(at)} order by run_at limit ${maxCounted})
    select
      (select count(*)::integer from (select from jobs where run_at = 'infinity' limit ${maxCounted}) dead) as dead,
      (select count(*)::integer from overdue) as overdue,
      (select string_agg(distinct name, ', ') from overdue) as names`.execute(db)
  const [{ dead, overdue, names } = { dead: 0, overdue: 0, names: '' }] = rows
  const faults: Finding[] = []
  if (overdue > 0)
    faults.push({
      check,
      ok: false,
      detail: `${atMost(overdue)} are overdue: ${names}`,
      remedy: startWorker,
    })
  if (dead > 0)
    faults.push({
      check,
      ok: false,
      detail: `${atMost(dead)} failed for the last time`,
      remedy:
        'read last_error in the table jobs where run_at is infinity, mend it, and run them again by this',
      sql: `update jobs set run_at = inserted_at, attempt = 0 where run_at = 'infinity';`,
    })
  return faults.length > 0
    ? faults
    : [{ check, ok: true, detail: 'none is overdue, none has failed for good' }]
}

/** Webhooks with deliveries that were due minutes ago. */
export async function examineDeliveries({ db, at }: Reader): Promise<Finding[]> {
  const check = 'Deliveries'
  const { rows } = await sql<{
    account: string
    environment: string
    name: string
    isFailing: boolean
    due: number
  }>`
    with recursive ${earliestDeliveries}
    select accounts.domain as account, webhooks.environment, webhooks.name,
      webhooks.failing_since is not null as "isFailing",
      (select count(*)::integer from (
        select from webhook_deliveries
        where state = 'pending' and webhook_id = webhooks.id and run_at < ${overdueBefore(at)} limit ${maxCounted}
      ) late) as due
    from earliest
    join webhooks on webhooks.id = earliest.webhook_id and webhooks.deleted_at is null and webhooks.active
    join accounts on accounts.id = webhooks.account_id
    where earliest.run_at < ${overdueBefore(at)}
    order by 4, earliest.run_at limit ${maxNamed}`.execute(db)
  if (rows.length === 0) return [{ check, ok: true, detail: 'none is overdue' }]
  return rows.map(({ account, environment, name, isFailing, due }) => ({
    check,
    ok: false,
    detail:
      `${atMost(due)} to the webhook ${name} of ${account} (${environment})` +
      `${isFailing ? ', which refused the last one,' : ''} are overdue`,
    remedy: isFailing ? 'mend its receiver, or deactivate it; they are tried one at a time' : startWorker,
  }))
}

/** Events that are not numbered in time, or cannot be numbered. */
export async function examineEvents({ db, at }: Reader): Promise<Finding[]> {
  const check = 'Events'
  const { rows } = await sql<{ waiting: number; lost: number }>`
    with newest as (
      select account_id, environment, id, issued_at from events order by issued_at desc limit ${newestEvents}
    )
    select
      (select count(*)::integer from (
        select from unnumbered_events where issued_at < ${overdueBefore(at)} limit ${maxCounted}
      ) waiting) as waiting,
      (select count(*)::integer from newest where ${sql.raw(isWithoutPlace('newest'))}) as lost`.execute(db)
  const [{ waiting, lost } = { waiting: 0, lost: 0 }] = rows
  const faults: Finding[] = []
  if (waiting > 0)
    faults.push({
      check,
      ok: false,
      detail: `${atMost(waiting)} wait for minutes to get their place in the stream`,
      remedy: startWorker,
    })
  if (lost > 0)
    faults.push({
      check,
      ok: false,
      detail: `${lost} of the newest have no place in the stream and do not wait for one: nobody can read them`,
      remedy: 'run this, while the service goes on',
      sql:
        'insert into unnumbered_events (account_id, environment, issued_at, event_id) ' +
        `select account_id, environment, issued_at, id from events where ${isWithoutPlace('events')};`,
    })
  return faults.length > 0 ? faults : [{ check, ok: true, detail: 'each has its place in the stream' }]
}

function isWithoutPlace(table: string): string {
  const same = (other: string) =>
    `${other}.account_id = ${table}.account_id and ${other}.environment = ${table}.environment and ${other}.event_id = ${table}.id`
  return (
    `not exists (select from event_positions where ${same('event_positions')}) and not exists (` +
    `select from unnumbered_events where ${same('unnumbered_events')} and unnumbered_events.issued_at = ${table}.issued_at)`
  )
}

function overdueBefore(at: Date): Date {
  return new Date(at.getTime() - overdueMs)
}

function atMost(count: number): string {
  return count < maxCounted ? String(count) : `${maxCounted} or more`
}

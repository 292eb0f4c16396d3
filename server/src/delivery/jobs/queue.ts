import { randomInt, randomUUID } from 'node:crypto'
import { sql, type Kysely } from 'kysely'
import type { DB, Json } from '../../platform/db/schema.js'

export interface ClaimedJob {
  readonly id: string
  readonly name: string
  readonly payload: Json
  /** 1 for the first. */
  readonly attempt: number
  readonly lease: string
  /** Jobs of one lane share few places, so that a slow receiver delays only its own; null: a job without a lane. */
  readonly lane: string | null
  /** Null: a job of the service. */
  readonly accountId: string | null
}

/** How many jobs may be claimed. */
export interface JobRoom {
  /** Of those without a lane. */
  readonly limit: number
  /** Of all lanes together. */
  readonly laneLimit: number
  /** Of each lane, less what is in `busy`. */
  readonly perLane: number
  /** Of all lanes of an account, less what is in `busy`. */
  readonly perAccount: number
  /** The running jobs that have a lane. */
  readonly busy: readonly Pick<ClaimedJob, 'lane' | 'accountId'>[]
}

interface JobRow {
  readonly name: string
  readonly payload: object
  readonly key: string | null
  readonly accountId: string | null
  readonly runAt: Date
  readonly insertedAt: Date
}

/** Adds a job, unless one of its name and key waits or runs. A job without attempts left is replaced. */
export async function insertJob(db: Kysely<DB>, { name, key, ...job }: JobRow): Promise<void> {
  const fresh = {
    account_id: job.accountId,
    payload: JSON.stringify(job.payload),
    run_at: job.runAt,
    inserted_at: job.insertedAt,
  }
  await db
    .insertInto('jobs')
    .values({ name, key, ...fresh })
    .onConflict((conflict) =>
      conflict
        .columns(['name', 'key'])
        .where('key', 'is not', null)
        .doUpdateSet({ ...fresh, attempt: 0, lease: null, last_error: null })
        .where(sql<boolean>`jobs.run_at = 'infinity'`),
    )
    .execute()
}

/** The highest of randomInt(). */
const maxSeed = 2 ** 48 - 1

/**
 * Claims due jobs, oldest first; parallel claims get different jobs. Lanes are found by reading one job of each, and come
 * in random order, so that scarce places do not always miss the same ones: that of their hash with another seed each time,
 * because a cluster refuses random() in a statement that writes. A lane has one account.
 *
 * @param except Ids of jobs that this process runs, even if a change of the clock makes their leases look expired.
 */
export async function claimJobs(
  db: Kysely<DB>,
  { at, leaseUntil, room, except }: { at: Date; leaseUntil: Date; room: JobRoom; except: readonly string[] },
): Promise<ClaimedJob[]> {
  const lanes = room.busy.map(({ lane }) => lane)
  const accounts = room.busy.map(({ accountId }) => accountId)
  const isDue = sql`run_at <= ${at} and not (id = any(${except}::bigint[]))`
  // An array and not a join: with stale statistics the planner runs a joined subquery once per row, and every run
  // skips the rows that the previous one locked, and claims more.
  const { rows } = await sql<ClaimedJob>`
    update jobs set run_at = ${leaseUntil}, lease = ${randomUUID()}, attempt = attempt + 1
    where id = any(array(
      select id from jobs where lane is null and ${isDue}
      order by run_at, id limit ${room.limit} for update skip locked
    ) || array(
      with recursive earliest as (
        (select lane, run_at, account_id from jobs where lane is not null order by lane, run_at limit 1)
        union all
        select next.lane, next.run_at, next.account_id from earliest cross join lateral (
          select lane, run_at, account_id from jobs where lane > earliest.lane order by lane, run_at limit 1
        ) next
      ), busy as (
        select * from unnest(${lanes}::uuid[], ${accounts}::uuid[]) as busy (lane, account_id)
      ), due as (
        select lane, account_id, uuid_hash_extended(lane, ${randomInt(maxSeed)}::bigint) as turn,
          ${room.perLane}::integer - (select count(*)::integer from busy where busy.lane = earliest.lane) as places,
          ${room.perAccount}::integer
            - (select count(*)::integer from busy where busy.account_id = earliest.account_id) as account_places
        from earliest where run_at <= ${at}
      ), chosen as (
        select * from (
          select *, row_number() over (partition by account_id order by turn) as nth from due where places > 0
        ) numbered
        where nth <= account_places order by turn limit ${room.laneLimit}
      )
      select id from (
        select job.id, chosen.turn, chosen.account_places,
          row_number() over (partition by chosen.account_id order by chosen.turn, job.run_at, job.id) as nth
        from chosen cross join lateral (
          select id, run_at from jobs where lane = chosen.lane and ${isDue}
          order by run_at, id limit chosen.places for update skip locked
        ) job
      ) candidates
      where nth <= account_places order by turn limit ${room.laneLimit}
    ))
    returning id, name, payload, attempt, lease, lane, account_id as "accountId"`.execute(db)
  return rows
}

/** Deletes finished jobs whose leases are still valid. */
export async function deleteJobs(db: Kysely<DB>, jobs: readonly ClaimedJob[]): Promise<void> {
  await sql`delete from jobs where ${isLeasedAs(jobs)}`.execute(db)
}

/** Extends the leases of running jobs. */
export async function extendLeases(
  db: Kysely<DB>,
  jobs: readonly ClaimedJob[],
  leaseUntil: Date,
): Promise<void> {
  await sql`update jobs set run_at = ${leaseUntil} where ${isLeasedAs(jobs)}`.execute(db)
}

/** Returns a job to the queue until a later time, if its lease is still valid; 'infinity' keeps it for an operator. */
export async function returnJob(
  db: Kysely<DB>,
  job: ClaimedJob,
  back: { at: Date; runAt: Date | 'infinity'; attempt: number; lastError: string | null },
): Promise<void> {
  await db
    .updateTable('jobs')
    .set({
      run_at: back.runAt,
      returned_at: back.at,
      attempt: back.attempt,
      last_error: back.lastError,
      lease: null,
    })
    .where('id', '=', job.id)
    .where('lease', '=', job.lease)
    .execute()
}

/** A process never has two leases of one job, so ids and leases need not be compared in pairs. */
function isLeasedAs(jobs: readonly ClaimedJob[]) {
  return sql<boolean>`id = any(${jobs.map((job) => job.id)}::bigint[])
    and lease = any(${jobs.map((job) => job.lease)}::uuid[])`
}

import { randomUUID } from 'node:crypto'
import { sql, type Kysely } from 'kysely'
import type { DB, Json } from '../../platform/db/schema.js'

export interface ClaimedJob {
  readonly id: string
  readonly name: string
  readonly payload: Json
  /** 1 for the first. */
  readonly attempt: number
  readonly lease: string
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

/**
 * Claims due jobs, oldest first; parallel claims get different jobs.
 *
 * @param except Ids of jobs that this process runs, even if a change of the clock makes their leases look expired.
 */
export async function claimJobs(
  db: Kysely<DB>,
  { at, leaseUntil, limit, except }: { at: Date; leaseUntil: Date; limit: number; except: readonly string[] },
): Promise<ClaimedJob[]> {
  // An array and not a join: with stale statistics the planner runs a joined subquery once per row, and every run
  // skips the rows that the previous one locked, and claims more.
  const { rows } = await sql<ClaimedJob>`
    update jobs set run_at = ${leaseUntil}, lease = ${randomUUID()}, attempt = attempt + 1
    where id = any(array(
      select id from jobs where run_at <= ${at} and not (id = any(${except}::bigint[]))
      order by run_at, id limit ${limit} for update skip locked
    ))
    returning id, name, payload, attempt, lease`.execute(db)
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

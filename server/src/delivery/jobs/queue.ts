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

/** Adds a job, unless one of its name and key waits or runs. One that has run out of attempts gives way. */
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
 * Takes due jobs, oldest first; parallel claims take different ones.
 *
 * @param except Ids of jobs that this process runs, whatever a clock that was moved makes of their leases.
 */
export async function claimJobs(
  db: Kysely<DB>,
  { at, leaseUntil, limit, except }: { at: Date; leaseUntil: Date; limit: number; except: readonly string[] },
): Promise<ClaimedJob[]> {
  // An array and not a join: with old statistics the planner runs a joined subquery once per row, and every run
  // skips what the one before has locked and takes more.
  const { rows } = await sql<ClaimedJob>`
    update jobs set run_at = ${leaseUntil}, lease = ${randomUUID()}, attempt = attempt + 1
    where id = any(array(
      select id from jobs where run_at <= ${at} and not (id = any(${except}::bigint[]))
      order by run_at, id limit ${limit} for update skip locked
    ))
    returning id, name, payload, attempt, lease`.execute(db)
  return rows
}

/** Removes jobs that are done, where their leases still hold. */
export async function deleteJobs(db: Kysely<DB>, jobs: readonly ClaimedJob[]): Promise<void> {
  await sql`delete from jobs where ${isHeld(jobs)}`.execute(db)
}

/** Prolongs the leases of jobs that still run. */
export async function extendLeases(
  db: Kysely<DB>,
  jobs: readonly ClaimedJob[],
  leaseUntil: Date,
): Promise<void> {
  await sql`update jobs set run_at = ${leaseUntil} where ${isHeld(jobs)}`.execute(db)
}

/** Gives a job back until a later time, where its lease still holds; 'infinity' keeps it for whoever looks into it. */
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

/** A process never holds one job under two leases, so that the two lists need not be read in pairs. */
function isHeld(jobs: readonly ClaimedJob[]) {
  return sql<boolean>`id = any(${jobs.map((job) => job.id)}::bigint[])
    and lease = any(${jobs.map((job) => job.lease)}::uuid[])`
}

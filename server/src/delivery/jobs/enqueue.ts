import type { Kysely, Transaction } from 'kysely'
import { announcements } from '../../platform/db/announcements.js'
import type { DB } from '../../platform/db/schema.js'
import { activeSpan, traceparentOf } from '../../platform/observability/traces.js'
import type { Deps } from '../deps.js'
import type { JobName, JobPayloads } from './job-names.js'
import { insertJob } from './queue.js'

export interface NewJob<Name extends JobName> {
  readonly name: Name
  readonly payload: JobPayloads[Name]
  /** By the service's clock; immediately when absent. */
  readonly runAt?: Date
  /** Deduplicates: no job is added while one of the same name and key waits or runs. */
  readonly key?: string
  /** The account whose data the job touches. */
  readonly accountId?: string
}

const { onAnnounced, announce } = announcements<undefined>()

/** Calls back when this process has added a job that is due immediately. */
export const onEnqueued = onAnnounced

/** Adds a job in the transaction of the change that requires it: both commit, or neither does. */
export async function enqueue<Name extends JobName>(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  { name, payload, runAt, key, accountId }: NewJob<Name>,
): Promise<void> {
  const at = now()
  const span = activeSpan()
  await insertJob(trx, {
    name,
    payload: span === undefined ? payload : { ...payload, traceparent: traceparentOf(span) },
    key: key ?? null,
    accountId: accountId ?? null,
    runAt: runAt ?? at,
    insertedAt: at,
  })
  if (runAt === undefined || runAt <= at) announceJobs(db)
}

/** Announces jobs that a statement of its own has added: the workers of this process look for them at once. */
export function announceJobs(db: Kysely<DB>): void {
  announce(db, undefined)
}

import type { Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { enqueue } from '../../delivery/jobs/enqueue.js'
import type { JobPayloads } from '../../delivery/jobs/job-names.js'

/** By then every request has ended that began before the rules changed, and would write by the earlier ones. */
const delayMs = 60_000

/** Adds the job that applies the rules of a directory to the users after a position, in the transaction that has got there. */
export async function enqueueRemapping(
  deps: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  remapping: JobPayloads['remap_directory'],
): Promise<void> {
  const { accountId, directoryId, revision, after } = remapping
  await enqueue(deps, trx, {
    name: 'remap_directory',
    payload: remapping,
    key: `${directoryId} ${revision} ${after ?? ''}`,
    accountId,
    ...(after === undefined && { runAt: new Date(deps.now().getTime() + delayMs) }),
  })
}

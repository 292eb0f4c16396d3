import type { Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import { statement } from '../../platform/db/statement.js'
import type { Deps } from '../../delivery/deps.js'
import { change } from '../../delivery/events/change.js'
import { keyOf, type DirectoryKey, type ScimAnswer, type ScimCaller } from './scim-caller.js'
import { unauthenticated } from './scim-error.js'
import { ofOwner } from '../../platform/db/tenant-predicate.js'

/**
 * Runs one change of a provider, and logs it, with the directory's row locked: a deletion of the directory runs before
 * it or waits for its end.
 *
 * @throws ScimError 401 when the directory was deleted after the provider authenticated
 */
export async function changeInDirectory(
  deps: Deps,
  caller: ScimCaller,
  work: (trx: Transaction<DB>) => Promise<ScimAnswer>,
): Promise<ScimAnswer> {
  const { record } = await change(deps, caller.tenant.cause, async (trx) => {
    await lockDirectory(trx, caller)
    const answer = await work(trx)
    await caller.log(trx, answer)
    return { record: { ...answer, isLogged: true as const } }
  })
  return record
}

async function lockDirectory(trx: Transaction<DB>, caller: ScimCaller): Promise<void> {
  const [locked] = await lockRow(trx, keyOf(caller))
  if (locked === undefined) throw unauthenticated()
}

const lockRow = statement((db, directory: DirectoryKey) =>
  db
    .selectFrom('directories')
    .where(ofOwner(directory))
    .where('id', '=', directory.directoryId)
    .select('id')
    .forKeyShare(),
)

import type { Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import { statement } from '../../platform/db/statement.js'
import type { Deps } from '../../delivery/deps.js'
import { change } from '../../delivery/events/change.js'
import { keyOf, type DirectoryKey, type ScimAnswer, type ScimCaller } from './scim-caller.js'
import { unauthenticated } from './scim-error.js'
import { ofOwner } from '../../platform/db/tenant-predicate.js'
import { lockUser, lockUserWithDirectory, type LockedUser } from '../../directory/users/change-user.js'

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
  return changeAndLog(deps, caller, async (trx) => {
    await lockDirectory(trx, caller)
    return work(trx)
  })
}

/** The same for work whose own first statement locks the directory's row, to save a wait for Postgres. */
export async function changeAndLog(
  deps: Deps,
  caller: ScimCaller,
  work: (trx: Transaction<DB>) => Promise<ScimAnswer>,
): Promise<ScimAnswer> {
  const { record } = await change(deps, caller.tenant.cause, async (trx) => {
    const answer = await work(trx)
    await caller.log(trx, answer)
    return { record: { ...answer, isLogged: true as const } }
  })
  return record
}

/** @throws ScimError 401 when the directory was deleted */
export async function lockDirectory(trx: Transaction<DB>, caller: ScimCaller): Promise<void> {
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

/**
 * Locks the row of the directory and then that of a user, in one statement; what is read after it is as of its end.
 *
 * @throws ScimError 401; ApiError `user_not_found`
 */
export async function lockWithDirectory(
  trx: Transaction<DB>,
  caller: ScimCaller,
  id: string,
): Promise<LockedUser> {
  const held = await lockUserWithDirectory(trx, caller.tenant, caller.directoryId, id)
  if (held !== undefined) return held
  await lockDirectory(trx, caller)
  return lockUser(trx, caller.tenant, id)
}

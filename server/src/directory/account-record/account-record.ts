import type { Account, AccountChanges } from '@portico/contract/account'
import { sql } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import { change, type Changed } from '../../delivery/events/change.js'
import { emit, scopeOfAccount } from '../../delivery/events/emit.js'
import { isOfVersion } from '../../platform/db/versions.js'
import { ApiError } from '../../platform/errors.js'
import type { Caller } from '../../platform/tenant.js'
import { accountColumns, toAccount } from './record.js'

/** The record of the caller's account. */
export async function getAccountRecord(
  { db }: Pick<Deps, 'db'>,
  { accountId }: Pick<Caller, 'accountId'>,
): Promise<Changed<Account>> {
  const row = await db
    .selectFrom('accounts')
    .where('id', '=', accountId)
    .select(accountColumns)
    .executeTakeFirstOrThrow()
  return { record: toAccount(row), version: row.version }
}

/**
 * Changes the record of the caller's account, which both environments share.
 *
 * @throws ApiError `precondition_failed`
 */
export function updateAccountRecord(
  deps: Deps,
  caller: Caller,
  { product_name, ...brand }: AccountChanges,
  versions: readonly number[] | undefined,
): Promise<Changed<Account>> {
  return change(deps, caller.cause, async (trx) => {
    const row = await trx
      .updateTable('accounts')
      .set({
        product_name,
        brand: sql`brand || ${JSON.stringify(brand)}::jsonb`,
        updated_at: deps.now(),
        version: sql`version + 1`,
      })
      .where('id', '=', caller.accountId)
      .where(isOfVersion(versions))
      .returning(accountColumns)
      .executeTakeFirst()
    // The account of a key is there as long as the key.
    if (row === undefined) throw new ApiError('precondition_failed')
    return emit(deps, trx, scopeOfAccount(caller), {
      code: 'account.account.update.success',
      record: toAccount(row),
      version: row.version,
    })
  })
}

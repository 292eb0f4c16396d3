import type { Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import type { Caller } from '../../platform/tenant.js'

/** Makes changes of the roles and permissions of an account wait for each other, so that names and numbers stay as they were read. */
export async function lockAccount(
  trx: Transaction<DB>,
  { accountId }: Pick<Caller, 'accountId'>,
): Promise<void> {
  await trx
    .selectFrom('accounts')
    .where('id', '=', accountId)
    .select('id')
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
}

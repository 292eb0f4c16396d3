import type { Transaction } from 'kysely'
import type { DB } from '../platform/db/schema.js'
import type { Deps } from '../delivery/deps.js'
import { ownerColumns } from '../platform/db/tenant-predicate.js'

/** The initial connection of an organization: users may have passkeys, which are demanded of nobody, and offered after a change of the account. */
export async function createPasskeyConnection(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  owner: { accountId: string; environment: string; organizationId: string },
): Promise<void> {
  const at = now()
  await trx
    .insertInto('passkey_connections')
    .values({
      ...ownerColumns(owner),
      active: true,
      first_factor: true,
      synced: true,
      prompt: 'after_account_change',
      version: 1,
      inserted_at: at,
      updated_at: at,
    })
    .execute()
}

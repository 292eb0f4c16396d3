import type { Transaction } from 'kysely'
import { newId } from '../platform/crypto/random.js'
import type { DB } from '../platform/db/schema.js'
import type { Deps } from '../delivery/deps.js'
import { ownerColumns } from '../platform/db/tenant-predicate.js'

/** The initial connection of an organization: active, and unknown addresses are refused. */
export async function createMagicLinkConnection(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  owner: { accountId: string; environment: string; organizationId: string },
): Promise<void> {
  const at = now()
  await trx
    .insertInto('magic_link_connections')
    .values({
      ...ownerColumns(owner),
      id: newId(),
      active: true,
      find_or_create_user: false,
      inserted_at: at,
      updated_at: at,
    })
    .execute()
}

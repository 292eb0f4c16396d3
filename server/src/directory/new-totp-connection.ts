import { defaultTotpExpiry } from '@portico/contract/totp'
import type { Transaction } from 'kysely'
import type { DB } from '../platform/db/schema.js'
import type { Deps } from '../delivery/deps.js'
import { ownerColumns } from '../platform/db/tenant-predicate.js'

/** The initial connection of an organization: inactive, so that no code is asked for. */
export async function createTotpConnection(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  owner: { accountId: string; environment: string; organizationId: string },
): Promise<void> {
  const at = now()
  await trx
    .insertInto('totp_connections')
    .values({
      ...ownerColumns(owner),
      active: false,
      method: 'totp_mobile_app',
      expiry_in_seconds: defaultTotpExpiry.totp_mobile_app,
      inserted_at: at,
      updated_at: at,
    })
    .execute()
}

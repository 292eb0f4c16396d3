import type { Kysely, Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import { ofTenant } from '../../platform/db/tenant-predicate.js'
import type { Tenant } from '../../platform/tenant.js'
import { passkeyColumns } from './record.js'

type TenantKey = Pick<Tenant, 'accountId' | 'environment' | 'domain' | 'organizationIds'>

/** Every read of the passkeys of a user starts here, so that no query can forget its tenant. */
export function passkeysOf(db: Kysely<DB>, tenant: TenantKey, userId: string) {
  return db.selectFrom('passkeys').where(ofTenant(tenant, 'passkeys')).where('passkeys.user_id', '=', userId)
}

/** Every change of a passkey starts here, for the same reason. */
export function updatePasskeyOf(trx: Transaction<DB>, tenant: TenantKey, userId: string, id: string) {
  return trx
    .updateTable('passkeys')
    .where(ofTenant(tenant))
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .returning(passkeyColumns)
}

/** The end of a passkey starts here, too. */
export function deletePasskeyOf(trx: Transaction<DB>, tenant: TenantKey, userId: string, id: string) {
  return trx
    .deleteFrom('passkeys')
    .where(ofTenant(tenant))
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .returning(passkeyColumns)
}

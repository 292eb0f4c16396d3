import type { MetaKey } from '@portico/contract/metadata'
import { sql, type Kysely, type Transaction } from 'kysely'
import { organizationIdOf } from '../../platform/db/organization-id.js'
import type { DB } from '../../platform/db/schema.js'
import type { Tenant } from '../../platform/tenant.js'
import { ofOrganization } from '../../platform/db/tenant-predicate.js'

/** The owner of metadata keys: an organization, in both environments. */
type Owner = Pick<Tenant, 'accountId' | 'domain' | 'organizationIds'>

export interface DeclaredKey {
  readonly id: string
  readonly name: string
  readonly type: MetaKey['type']
  readonly required: boolean
}

/** The metadata keys that the organization declares, by name. */
export function findDeclaredKeys(db: Kysely<DB>, tenant: Owner): Promise<DeclaredKey[]> {
  return declaredKeysOf(db, tenant).execute()
}

/** The same, locked until the transaction ends: no value is written to a key that is being deleted. */
export function lockDeclaredKeys(trx: Transaction<DB>, tenant: Tenant): Promise<DeclaredKey[]> {
  return declaredKeysOf(trx, tenant).forKeyShare().execute()
}

/** Every read of metadata keys by their names starts here. */
export function declaredKeysOf(db: Kysely<DB>, tenant: Owner) {
  return db
    .selectFrom('meta_keys')
    .where(ofOrganization({ accountId: tenant.accountId, organizationId: organizationIdOf(tenant) }))
    .select(['id', 'name', sql<MetaKey['type']>`type`.as('type'), 'required'])
    .orderBy('name')
}

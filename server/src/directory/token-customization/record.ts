import type { MetaKey } from '@portico/contract/metadata'
import type { Selectable } from 'kysely'
import type { MetaKeys } from '../../platform/db/schema.js'
import type { Tenant } from '../../platform/tenant.js'

export const metaKeyColumns = [
  'meta_keys.id',
  'meta_keys.organization_id',
  'meta_keys.name',
  'meta_keys.type',
  'meta_keys.required',
  'meta_keys.inserted_at',
] as const

export type MetaKeyRow = Omit<Selectable<MetaKeys>, 'account_id'>

export function toMetaKey(row: MetaKeyRow, { domain }: Pick<Tenant, 'domain'>): MetaKey {
  return {
    __type__: 'MetaKey',
    __domain__: domain,
    id: row.id,
    name: row.name,
    // Written only from validated input.
    type: row.type as MetaKey['type'],
    required: row.required,
  }
}

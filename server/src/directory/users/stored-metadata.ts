/** The rows of metadata values, for the operations on users and on single values; each runs in their transaction. */

import { sql, type Transaction } from 'kysely'
import { newId } from '../../platform/crypto/random.js'
import type { DB } from '../../platform/db/schema.js'
import { ApiError } from '../../platform/errors.js'
import { lockDeclaredKeys, type DeclaredKey } from '../meta-keys/declared-keys.js'
import { checkMetaValue } from '../meta-keys/meta-value.js'
import type { Tenant } from '../../platform/tenant.js'
import type { Gathered } from './gathered.js'
import type { MetaDataRow } from './record.js'
import { ofTenant, tenantColumns } from '../../platform/db/tenant-predicate.js'

interface Value {
  readonly key: string
  readonly value: string
}

/**
 * Replaces all metadata of a user whom the transaction has locked.
 *
 * @throws ApiError `meta_key_not_found`, `metadata_required`, and `invalid_parameters` for a value that does not fit.
 */
export async function replaceMetadata(
  trx: Transaction<DB>,
  tenant: Tenant,
  userId: string,
  values: readonly Value[],
): Promise<void> {
  const rows = valuesByKey(await lockDeclaredKeys(trx, tenant), values)
  await valuesOf(trx, tenant, userId)
    .where(sql<boolean>`meta_key_id <> all(${[...rows.keys()]}::uuid[])`)
    .execute()
  if (rows.size > 0) await writeValues(trx, tenant, userId, rows)
}

/**
 * All metadata of a user, by the ids of the declared keys.
 *
 * @throws ApiError `meta_key_not_found`, `metadata_required`, and `invalid_parameters` for a value that does not fit.
 */
export function valuesByKey(
  declared: readonly DeclaredKey[],
  values: readonly Value[],
): ReadonlyMap<string, string> {
  const byName = new Map(declared.map((key) => [key.name, key]))
  const byKey = new Map<string, string>()
  for (const [index, { key: name, value }] of values.entries()) {
    const key = byName.get(name)
    if (key === undefined) throw new ApiError('meta_key_not_found')
    checkMetaValue(key.type, value, `metadata.${index}.value`)
    byKey.set(key.id, value)
  }
  if (declared.some((key) => key.required && !byKey.has(key.id))) throw new ApiError('metadata_required')
  return byKey
}

/** Sets the value of a key for a user whom the transaction has locked. */
export async function writeValue(
  trx: Transaction<DB>,
  tenant: Tenant,
  userId: string,
  keyId: string,
  value: string,
): Promise<void> {
  await writeValues(trx, tenant, userId, new Map([[keyId, value]]))
}

/** Sets values, by the ids of their keys, in one statement; a value that replaces one keeps its id. */
export async function writeValues(
  trx: Transaction<DB>,
  tenant: Tenant,
  userId: string,
  values: ReadonlyMap<string, string>,
): Promise<void> {
  const scope = {
    ...tenantColumns(tenant),
    user_id: userId,
  }
  await trx
    .insertInto('user_metadata')
    .values([...values].map(([keyId, value]) => ({ ...scope, meta_key_id: keyId, id: newId(), value })))
    .onConflict((conflict) =>
      conflict.constraint('user_metadata_pkey').doUpdateSet({ value: sql`excluded.value` }),
    )
    .execute()
}

/** Removes the value of a key from a user whom the transaction has locked; no effect without a value. */
export async function removeValue(
  trx: Transaction<DB>,
  tenant: Tenant,
  userId: string,
  keyId: string,
): Promise<void> {
  await valuesOf(trx, tenant, userId).where('meta_key_id', '=', keyId).execute()
}

function valuesOf(trx: Transaction<DB>, tenant: Tenant, userId: string) {
  return trx.deleteFrom('user_metadata').where(ofTenant(tenant)).where('user_id', '=', userId)
}

/** The metadata of users with their keys, by name. */
export const metadata: Gathered<MetaDataRow> = {
  name: 'data',
  list: sql`jsonb_agg(jsonb_build_object(
    'id', data.id, 'value', data.value,
    'key_id', key.id, 'name', key.name, 'type', key.type, 'required', key.required
  ) order by key.name)`,
  from: sql`user_metadata data
    join meta_keys key
      on key.account_id = data.account_id
      and key.organization_id = data.organization_id
      and key.id = data.meta_key_id`,
}

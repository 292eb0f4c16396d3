/** The rows of metadata values, for the operations on users and on single values; each runs in their transaction. */

import { sql, type RawBuilder, type Transaction } from 'kysely'
import { newId } from '../../platform/crypto/random.js'
import { insertFrom } from '../../platform/db/insert-if.js'
import { organizationIdOf } from '../../platform/db/organization-id.js'
import type { DB } from '../../platform/db/schema.js'
import { companion, statement } from '../../platform/db/statement.js'
import { ApiError } from '../../platform/errors.js'
import type { DeclaredKey } from '../meta-keys/declared-keys.js'
import { checkMetaValue } from '../meta-keys/meta-value.js'
import type { Tenant } from '../../platform/tenant.js'
import type { Gathered } from './gathered.js'
import { isManaged, lockKeysOfUser, targetOfRow } from './managed-metadata.js'
import type { MappedValues } from './mapped-values.js'
import type { MetaDataRow } from './record.js'
import { ofOrganization, ofTenant, tenantColumns } from '../../platform/db/tenant-predicate.js'

interface Value {
  readonly key: string
  readonly value: string
}

/**
 * Replaces all metadata of a user whom the transaction has locked.
 *
 * @throws ApiError `meta_key_not_found`, `metadata_required`, `metadata_managed` where a value that a directory writes would be
 *   another one, and `invalid_parameters` for a value that does not fit.
 */
export async function replaceMetadata(
  trx: Transaction<DB>,
  tenant: Tenant,
  userId: string,
  values: readonly Value[],
): Promise<void> {
  const declared = await lockKeysOfUser(trx, tenant, userId)
  const rows = valuesByKey(declared, values)
  const isOtherValue = declared.some(
    ({ id, managed }) => managed !== undefined && managed.value !== (rows.get(id) ?? null),
  )
  if (isOtherValue) throw new ApiError('metadata_managed')
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
  const row = {
    ...tenantColumns(tenant),
    user_id: userId,
    meta_key_id: sql.ref('said.key_id'),
    id: sql.ref('said.id'),
    value: sql.ref('said.value'),
  }
  const ids = [...values].map(() => newId())
  const said = sql`
    from unnest(${[...values.keys()]}::uuid[], ${ids}::uuid[], ${[...values.values()]}::text[])
      as said (key_id, id, value)`
  await insertFrom(trx, 'user_metadata', row, said)
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

/** The rows of mapped values, in the order in which users have them. */
export function toMetaDataRows(mapped: MappedValues['metadata']): MetaDataRow[] {
  return mapped
    .flatMap(({ key: { id: keyId, ...key }, value }) =>
      value === null ? [] : [{ ...key, id: newId(), key_id: keyId, value }],
    )
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
}

/** Mapped values of a user: rows that are written, and ids of keys without a value. */
export interface MappedMetadata {
  readonly rows: readonly MetaDataRow[]
  readonly removed: readonly string[]
}

/** Writes what the directory says of a user whom the transaction has locked. */
export async function writeMappedMetadata(
  trx: Transaction<DB>,
  tenant: Tenant,
  userId: string,
  mapped: MappedMetadata,
): Promise<void> {
  await writeMapped(trx, toMappedRows(tenant, userId, mapped))
}

/**
 * Writes what another source says, but for keys that the directory of the user writes.
 *
 * @returns Whether a value has changed.
 */
export async function writeUnmanagedMetadata(
  trx: Transaction<DB>,
  tenant: Tenant,
  userId: string,
  mapped: MappedMetadata,
): Promise<boolean> {
  const [written] = await writeUnmanaged(trx, toMappedRows(tenant, userId, mapped))
  return written?.is_changed ?? false
}

type MappedRows = Pick<Tenant, 'accountId' | 'environment' | 'domain' | 'organizationIds'> & {
  readonly userId: string
  readonly removed: readonly string[]
  readonly keyIds: readonly string[]
  readonly ids: readonly string[]
  readonly values: readonly string[]
}

function toMappedRows(tenant: Tenant, userId: string, { rows, removed }: MappedMetadata): MappedRows {
  return {
    ...tenant,
    userId,
    removed,
    keyIds: rows.map((row) => row.key_id),
    ids: rows.map((row) => row.id),
    values: rows.map((row) => row.value),
  }
}

const writeMapped = companion((db, mapped: MappedRows) => ({
  compile: () => mappedWriting(mapped, sql`true`).compile(db),
}))

const writeUnmanaged = statement((db, mapped: MappedRows) => ({
  compile: () => mappedWriting(mapped, sql`not ${isManaged(mapped, mapped.userId, targetOfRow)}`).compile(db),
}))

/** @param mayWrite About a row of `meta_keys`. */
function mappedWriting(
  mapped: MappedRows,
  mayWrite: RawBuilder<boolean>,
): RawBuilder<{ is_changed: boolean }> {
  const owner = { accountId: mapped.accountId, organizationId: organizationIdOf(mapped) }
  return sql`
    with key as materialized (
      select meta_keys.account_id, meta_keys.organization_id, meta_keys.id from meta_keys
      where ${ofOrganization(owner, 'meta_keys')}
        and meta_keys.id = any(${mapped.keyIds}::uuid[] || ${mapped.removed}::uuid[])
        and ${mayWrite}
    ),
    removed as (
      delete from user_metadata using key
      where ${ofTenant(mapped, 'user_metadata')}
        and user_metadata.user_id = ${mapped.userId}
        and user_metadata.meta_key_id = key.id
        and key.id = any(${mapped.removed}::uuid[])
      returning user_metadata.meta_key_id
    ),
    written as (
      insert into user_metadata (account_id, environment, organization_id, user_id, meta_key_id, id, value)
      select key.account_id, ${mapped.environment}, key.organization_id, ${mapped.userId}::uuid, key.id, said.id, said.value
      from unnest(${mapped.keyIds}::uuid[], ${mapped.ids}::uuid[], ${mapped.values}::text[])
        as said (key_id, id, value)
      join key on key.id = said.key_id
      on conflict on constraint user_metadata_pkey do update set value = excluded.value
        where user_metadata.value <> excluded.value
      returning user_metadata.meta_key_id
    )
    select exists (select meta_key_id from removed) or exists (select meta_key_id from written) as is_changed`
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

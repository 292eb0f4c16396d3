import { sql, type RawBuilder, type Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import { ofTenant, sameTenant } from '../../platform/db/tenant-predicate.js'
import { ApiError } from '../../platform/errors.js'
import type { Tenant } from '../../platform/tenant.js'
import { declaredKeysOf, type DeclaredKey } from '../meta-keys/declared-keys.js'
import type { Mapping } from './mapped-values.js'

/** The tenant as parameters of a statement. */
type TenantKey = Pick<Tenant, 'accountId' | 'environment' | 'domain' | 'organizationIds'>

/** Whether the directory that keeps a user writes what a rule names as its target: for this user, nobody else does. */
export function isManaged(
  tenant: TenantKey,
  userId: string,
  target: RawBuilder<string>,
): RawBuilder<boolean> {
  return sql<boolean>`exists (
    select from directory_users as kept
    join directories on ${sameTenant('directories', 'kept')} and directories.id = kept.directory_id
    where ${ofTenant(tenant, 'kept')}
      and kept.user_id = ${userId}
      and directories.attribute_mapping @> jsonb_build_array(jsonb_build_object('to', ${target}))
  )`
}

/** The target of a row of `meta_keys`. */
export const targetOfRow = sql<string>`'metadata.' || meta_keys.name`

/**
 * The declared key with a name, locked until the transaction ends, whose value callers may write for a user.
 *
 * @throws ApiError `meta_key_not_found`, `metadata_managed`
 */
export async function lockWritableKey(
  trx: Transaction<DB>,
  tenant: Tenant,
  userId: string,
  name: string,
): Promise<DeclaredKey> {
  const key = await declaredKeysOf(trx, tenant)
    .where('name', '=', name)
    .select(isManaged(tenant, userId, targetOfRow).as('is_managed'))
    .forKeyShare()
    .executeTakeFirst()
  if (key === undefined) throw new ApiError('meta_key_not_found')
  const { is_managed: isManagedKey, ...declared } = key
  if (isManagedKey) throw new ApiError('metadata_managed')
  return declared
}

/** A declared key, and the value that a directory has written; undefined where none writes it. */
interface KeyOfUser extends DeclaredKey {
  readonly managed: { readonly value: string | null } | undefined
}

/** All declared keys, locked until the transaction ends, with what a directory writes for a user. */
export async function lockKeysOfUser(
  trx: Transaction<DB>,
  tenant: Tenant,
  userId: string,
): Promise<KeyOfUser[]> {
  const keys = await declaredKeysOf(trx, tenant)
    .select([
      isManaged(tenant, userId, targetOfRow).as('is_managed'),
      sql<string | null>`(
        select data.value from user_metadata as data
        where ${ofTenant(tenant, 'data')} and data.user_id = ${userId} and data.meta_key_id = meta_keys.id
      )`.as('value'),
    ])
    .forKeyShare()
    .execute()
  return keys.map(({ is_managed: isManagedKey, value, ...key }) => ({
    ...key,
    managed: isManagedKey ? { value } : undefined,
  }))
}

/** The claims that the directory which keeps a user writes. */
export function managedClaims(tenant: TenantKey, userId: string): RawBuilder<string[]> {
  return sql<string[]>`array(
    select substring(rule ->> 'to' from length('profile.') + 1)
    from directory_users as kept
    join directories on ${sameTenant('directories', 'kept')} and directories.id = kept.directory_id
    cross join jsonb_array_elements(directories.attribute_mapping) as rule
    where ${ofTenant(tenant, 'kept')} and kept.user_id = ${userId} and rule ->> 'to' like 'profile.%'
  )`
}

/**
 * The rules of a row, with the declared keys that they name; null where it has none.
 *
 * @param owner A table or alias of the statement with account, organization and `attribute_mapping`.
 */
export function mappingOf(owner: string): RawBuilder<Mapping | null> {
  const its = (column: string) => sql.ref(`${owner}.${column}`)
  return sql<Mapping | null>`case when ${its('attribute_mapping')} <> '[]' then jsonb_build_object(
    'rules', ${its('attribute_mapping')},
    'keys', (
      select coalesce(jsonb_agg(jsonb_build_object(
        'id', mapped.id, 'name', mapped.name, 'type', mapped.type, 'required', mapped.required
      )), '[]')
      from meta_keys as mapped
      where mapped.account_id = ${its('account_id')}
        and mapped.organization_id = ${its('organization_id')}
        and ${its('attribute_mapping')} @> jsonb_build_array(jsonb_build_object('to', 'metadata.' || mapped.name))
    )
  ) end`
}

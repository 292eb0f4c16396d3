/** One metadata value of a user at a time, as callers set and remove it. The rows are in `stored-metadata.ts`. */

import type { User } from '@portico/contract/users'
import type { Transaction } from 'kysely'
import { whyNotFound } from '../../platform/db/organization-id.js'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { ApiError } from '../../platform/errors.js'
import { change, type Changed } from '../../delivery/events/change.js'
import { emit } from '../../delivery/events/emit.js'
import { checkMetaValue } from '../meta-keys/meta-value.js'
import type { Tenant } from '../../platform/tenant.js'
import { lockWritableKey } from './managed-metadata.js'
import { removeValue, writeValue } from './stored-metadata.js'
import { touchUser } from './change-user.js'
import { toChangedUser, usersOf } from './whole-user.js'

interface NewMetadataValue {
  readonly userId: string
  readonly key: string
  readonly value: string
  /** The parameter of the value, for the fault. */
  readonly valuePath: string
}

/**
 * Sets one metadata value of a user, replacing an earlier one.
 *
 * @throws ApiError `organization_not_found`, `user_not_found`, `meta_key_not_found`, `metadata_managed`, `precondition_failed`, and
 *   `invalid_parameters` when the value does not fit the key's type.
 */
export function setUserMetadata(
  deps: Deps,
  tenant: Tenant,
  { userId, key: name, value, valuePath }: NewMetadataValue,
  versions: readonly number[] | undefined,
): Promise<Changed<User>> {
  return change(deps, tenant.cause, async (trx) => {
    await lockUser(trx, tenant, userId)
    const key = await lockWritableKey(trx, tenant, userId, name)
    checkMetaValue(key.type, value, valuePath)
    await writeValue(trx, tenant, userId, key.id, value)
    const row = await touchUser(deps, trx, tenant, userId, versions)
    return emit(deps, trx, tenant, { code: 'user.metadata.set.success', ...toChangedUser(row, tenant) })
  })
}

/**
 * Removes one metadata value of a user; a user without it stays as it is.
 *
 * @throws ApiError `organization_not_found`, `user_not_found`, `meta_key_not_found`, `metadata_managed`, `metadata_required`,
 *   `precondition_failed`
 */
export function removeUserMetadata(
  deps: Deps,
  tenant: Tenant,
  { userId, key: name }: Pick<NewMetadataValue, 'userId' | 'key'>,
  versions: readonly number[] | undefined,
): Promise<Changed<User>> {
  return change(deps, tenant.cause, async (trx) => {
    await lockUser(trx, tenant, userId)
    const key = await lockWritableKey(trx, tenant, userId, name)
    if (key.required) throw new ApiError('metadata_required')
    await removeValue(trx, tenant, userId, key.id)
    const row = await touchUser(deps, trx, tenant, userId, versions)
    return emit(deps, trx, tenant, { code: 'user.metadata.remove.success', ...toChangedUser(row, tenant) })
  })
}

async function lockUser(trx: Transaction<DB>, tenant: Tenant, userId: string): Promise<void> {
  const row = await usersOf(trx, tenant)
    .where('users.id', '=', userId)
    .select('users.id')
    .forUpdate()
    .executeTakeFirst()
  if (row === undefined) throw await whyNotFound(trx, tenant, 'user_not_found')
}

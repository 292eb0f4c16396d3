import {
  maxPermissions,
  type ForcedDeletion,
  type NewPermission,
  type Permission,
  type PermissionChanges,
  type PermissionQuery,
} from '@portico/contract/permissions'
import { sql, type Kysely, type Transaction } from 'kysely'
import { newId } from '../../platform/crypto/random.js'
import { emptyPage, newestFirst, readPage, type Page } from '../../platform/db/page.js'
import type { DB } from '../../platform/db/schema.js'
import { ofEnvironment, sameEnvironment } from '../../platform/db/tenant-predicate.js'
import { countRows } from '../../platform/db/totals.js'
import { isOfVersion, whyUnchanged } from '../../platform/db/versions.js'
import { isUniqueViolation } from '../../platform/db/violations.js'
import { ApiError } from '../../platform/errors.js'
import type { Caller } from '../../platform/tenant.js'
import type { Deps } from '../../delivery/deps.js'
import { change, type Changed } from '../../delivery/events/change.js'
import { emit, scopeOfAccount } from '../../delivery/events/emit.js'
import { lockAccount } from './lock-account.js'
import { permissionColumns, toPermission, type PermissionRow } from './record.js'

/**
 * Declares a permission.
 *
 * @throws ApiError `permission_taken`, `permissions_exhausted`
 */
export function createPermission(
  deps: Deps,
  caller: Caller,
  { name, description = null }: NewPermission,
): Promise<Changed<Permission>> {
  return change(deps, caller.cause, async (trx) => {
    await lockAccount(trx, caller)
    if ((await countRows(permissionsOf(trx, caller))) >= maxPermissions)
      throw new ApiError('permissions_exhausted')
    const { accountId, environment } = caller
    const [id, at] = [newId(), deps.now()]
    const times = { inserted_at: at, updated_at: at }
    await trx
      .insertInto('permissions')
      .values({ account_id: accountId, environment, id, name, description, ...times })
      .execute()
      .catch(asPermissionTaken)
    const row = await getRow(trx, caller, id)
    return emitPermission(deps, trx, caller, 'role.permission.create.success', row)
  })
}

/** The permissions of the account, newest first. */
export function listPermissions(
  { readDb }: Pick<Deps, 'readDb'>,
  caller: Caller,
  query: PermissionQuery,
): Promise<Page<Permission>> {
  const { name } = query
  if (name === null) return Promise.resolve(emptyPage(query))
  return readPage(
    {
      db: readDb,
      query,
      environment: caller.environment,
      order: newestFirst,
      keys: permissionsOf(readDb, caller).$if(name !== undefined, (all) =>
        all.where('permissions.name', '=', name ?? ''),
      ),
      table: 'permissions',
      rows: permissionsOf(readDb, caller).select(wholePermission()),
    },
    (row) => toPermission(row, caller),
  )
}

/** @throws ApiError `permission_not_found` */
export async function getPermission(
  { db }: Pick<Deps, 'db'>,
  caller: Caller,
  id: string,
): Promise<Changed<Permission>> {
  const row = await permissionsOf(db, caller)
    .where('permissions.id', '=', id)
    .select(wholePermission())
    .executeTakeFirst()
  if (row === undefined) throw new ApiError('permission_not_found')
  return { record: toPermission(row, caller), version: row.version }
}

/**
 * Changes the description of a permission.
 *
 * @param versions The versions the change may happen to; undefined: any.
 * @throws ApiError `permission_not_found`, `precondition_failed`
 */
export function updatePermission(
  deps: Deps,
  caller: Caller,
  id: string,
  { description }: PermissionChanges,
  versions: readonly number[] | undefined,
): Promise<Changed<Permission>> {
  return change(deps, caller.cause, async (trx) => {
    await lockPermission(trx, caller, id, versions)
    await trx
      .updateTable('permissions')
      .set({
        ...(description !== undefined && { description }),
        updated_at: deps.now(),
        version: sql`version + 1`,
      })
      .where(ofEnvironment(caller))
      .where('id', '=', id)
      .execute()
    const row = await getRow(trx, caller, id)
    return emitPermission(deps, trx, caller, 'role.permission.update.success', row)
  })
}

/**
 * Deletes a permission, and takes it from the roles that have it where that is forced.
 *
 * @throws ApiError `permission_not_found`, `permission_in_use`, `precondition_failed`
 */
export function deletePermission(
  deps: Deps,
  caller: Caller,
  { id, force = false }: ForcedDeletion & { readonly id: string },
  versions: readonly number[] | undefined,
): Promise<Changed<Permission>> {
  return change(deps, caller.cause, async (trx) => {
    await lockAccount(trx, caller)
    const row = await lockPermission(trx, caller, id, versions)
    if (row.roles_count !== '0' && !force)
      throw new ApiError('permission_in_use', { message: `Roles have this permission: ${row.roles_count}.` })
    await trx
      .updateTable('roles')
      .from('role_permissions as allowed')
      .set({ updated_at: deps.now(), version: sql`roles.version + 1` })
      .where(ofEnvironment(caller, 'roles'))
      .where(sameEnvironment('allowed', 'roles'))
      .whereRef('allowed.role_id', '=', 'roles.id')
      .where('allowed.permission', '=', row.name)
      .execute()
    await trx.deleteFrom('permissions').where(ofEnvironment(caller)).where('id', '=', id).execute()
    return emitPermission(deps, trx, caller, 'role.permission.delete.success', row)
  })
}

/** The names of permissions that are not declared. */
export async function findUndeclared(
  db: Kysely<DB>,
  caller: Caller,
  names: readonly string[],
): Promise<string[]> {
  const declared = await permissionsOf(db, caller)
    .where(sql<boolean>`permissions.name = any(${names}::text[])`)
    .select('permissions.name')
    .execute()
  const known = new Set(declared.map(({ name }) => name))
  return names.filter((name) => !known.has(name))
}

/** Every read of permissions starts here. */
function permissionsOf(
  db: Kysely<DB>,
  { accountId, environment }: Pick<Caller, 'accountId' | 'environment'>,
) {
  return db.selectFrom('permissions').where(ofEnvironment({ accountId, environment }, 'permissions'))
}

function wholePermission() {
  const rolesCount = sql<string>`(
    select count(*) from role_permissions allowed
    where ${sameEnvironment('allowed', 'permissions')} and allowed.permission = permissions.name
  )`
  return [...permissionColumns, rolesCount.as('roles_count')] as const
}

function getRow(trx: Transaction<DB>, caller: Caller, id: string): Promise<PermissionRow> {
  return permissionsOf(trx, caller)
    .where('permissions.id', '=', id)
    .select(wholePermission())
    .executeTakeFirstOrThrow()
}

/** @throws ApiError `permission_not_found`, `precondition_failed` */
async function lockPermission(
  trx: Transaction<DB>,
  caller: Caller,
  id: string,
  versions: readonly number[] | undefined,
): Promise<PermissionRow> {
  const rows = permissionsOf(trx, caller).where('permissions.id', '=', id)
  const row = await rows
    .where(isOfVersion(versions))
    .select(wholePermission())
    .forUpdate('permissions')
    .executeTakeFirst()
  if (row !== undefined) return row
  throw await whyUnchanged(rows.select('permissions.id'), 'permission_not_found')
}

function asPermissionTaken(error: unknown): never {
  if (isUniqueViolation(error, 'permissions_name_key'))
    throw new ApiError('permission_taken', { cause: error })
  throw error
}

function emitPermission(
  deps: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  caller: Caller,
  code: `role.permission.${'create' | 'update' | 'delete'}.success`,
  row: PermissionRow,
): Promise<Changed<Permission>> {
  const record = toPermission(row, caller)
  return emit(deps, trx, scopeOfAccount(caller), { code, record, version: row.version })
}

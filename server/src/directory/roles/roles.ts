import type { ForcedDeletion } from '@portico/contract/permissions'
import { maxRoles, type NewRole, type Role, type RoleChanges, type RoleQuery } from '@portico/contract/roles'
import { sql, type Kysely, type Transaction } from 'kysely'
import { newId } from '../../platform/crypto/random.js'
import { organizationIdOf } from '../../platform/db/organization-id.js'
import { emptyPage, newestFirst, readPage, type Page } from '../../platform/db/page.js'
import type { DB } from '../../platform/db/schema.js'
import { ofEnvironment, sameEnvironment } from '../../platform/db/tenant-predicate.js'
import { isOfVersion, whyUnchanged } from '../../platform/db/versions.js'
import { ApiError, invalid } from '../../platform/errors.js'
import type { Caller } from '../../platform/tenant.js'
import type { Deps } from '../../delivery/deps.js'
import { change, type Changed } from '../../delivery/events/change.js'
import { emit, scopeOfAccount } from '../../delivery/events/emit.js'
import { lockAccount } from './lock-account.js'
import { findUndeclared } from './permissions.js'
import { roleColumns, toRole, type RoleRow } from './record.js'

/**
 * Creates a role, of the whole account or of one organization.
 *
 * @throws ApiError `role_taken`, `roles_exhausted`, `invalid_parameters`, and `key_limited_to_organizations` when such a key
 *   would create it for the whole account.
 */
export function createRole(deps: Deps, caller: Caller, input: NewRole): Promise<Changed<Role>> {
  const { name, display_name, description = null, permissions = [] } = input
  const { is_default = false, assignable_by_admins = false } = input
  const { accountId, environment } = caller
  return change(deps, caller.cause, async (trx) => {
    await lockAccount(trx, caller)
    const organizationId = await getScopeId(trx, caller, input.organization_domain_scope ?? null)
    checkDefault({ organization_id: organizationId }, is_default)
    await checkRoom(trx, caller, { name, organizationId })
    if (is_default) await endDefault(deps, trx, caller)
    const [id, at] = [newId(), deps.now()]
    await trx
      .insertInto('roles')
      .values({
        ...{ account_id: accountId, environment, id, organization_id: organizationId, name },
        ...{ display_name, description, is_default, assignable_by_admins, inserted_at: at, updated_at: at },
      })
      .execute()
    await replacePermissions(trx, caller, id, permissions)
    return emitRole(deps, trx, caller, 'role.role.create.success', await getRow(trx, caller, id))
  })
}

/** The roles that the caller may see, newest first. */
export function listRoles(
  { readDb }: Pick<Deps, 'readDb'>,
  caller: Caller,
  query: RoleQuery,
): Promise<Page<Role>> {
  const { name, organization_domain_scope: scope } = query
  if (name === null || scope === null) return Promise.resolve(emptyPage(query))
  return readPage(
    {
      db: readDb,
      query,
      environment: caller.environment,
      order: newestFirst,
      keys: rolesOf(readDb, caller)
        .$if(name !== undefined, (all) => all.where('roles.name', '=', name ?? ''))
        .$if(scope !== undefined, (all) =>
          all.where('roles.organization_id', '=', organizationIdOf({ ...caller, domain: scope ?? '' })),
        ),
      table: 'roles',
      rows: rolesOf(readDb, caller).select(wholeRole(caller)),
    },
    (row) => toRole(row, caller),
  )
}

/** @throws ApiError `role_not_found` */
export async function getRole({ db }: Pick<Deps, 'db'>, caller: Caller, id: string): Promise<Changed<Role>> {
  const row = await rolesOf(db, caller)
    .where('roles.id', '=', id)
    .select(wholeRole(caller))
    .executeTakeFirst()
  if (row === undefined) throw new ApiError('role_not_found')
  return { record: toRole(row, caller), version: row.version }
}

/**
 * Changes the given members of a role; tokens that are made from then on say so.
 *
 * @param versions The versions the change may happen to; undefined: any.
 * @throws ApiError `role_not_found`, `precondition_failed`, `invalid_parameters`, and `key_limited_to_organizations` when it
 *   is of the whole account and the key is not.
 */
export function updateRole(
  deps: Deps,
  caller: Caller,
  id: string,
  input: RoleChanges,
  versions: readonly number[] | undefined,
): Promise<Changed<Role>> {
  const { permissions, ...members } = input
  return change(deps, caller.cause, async (trx) => {
    await lockAccount(trx, caller)
    const before = await lockRole(trx, caller, id, versions)
    checkDefault(before, input.is_default ?? false)
    if (input.is_default === true && !before.is_default) await endDefault(deps, trx, caller)
    await trx
      .updateTable('roles')
      .set({ ...members, updated_at: deps.now(), version: sql`version + 1` })
      .where(ofEnvironment(caller))
      .where('id', '=', id)
      .execute()
    if (permissions !== undefined) await replacePermissions(trx, caller, id, permissions)
    return emitRole(deps, trx, caller, 'role.role.update.success', await getRow(trx, caller, id))
  })
}

/**
 * Deletes a role, and takes it from the users who have it, and from the rules and policies that name it, where that is forced. A rule
 * without roles goes with the last one.
 *
 * @throws ApiError `role_not_found`, `role_in_use`, `precondition_failed`, and `key_limited_to_organizations` when it is of
 *   the whole account and the key is not.
 */
export function deleteRole(
  deps: Deps,
  caller: Caller,
  { id, force = false }: ForcedDeletion & { readonly id: string },
  versions: readonly number[] | undefined,
): Promise<Changed<Role>> {
  return change(deps, caller.cause, async (trx) => {
    await lockAccount(trx, caller)
    const row = await lockRole(trx, caller, id, versions)
    const [rules, policies] = [await countRules(trx, caller, id), await countPolicies(trx, caller, id)]
    if ((row.users_count !== '0' || rules !== '0' || policies !== '0') && !force)
      throw new ApiError('role_in_use', {
        message: `Has users: ${row.users_count}, rules of mappings: ${rules}, policies: ${policies}. With force it is deleted.`,
      })
    if (rules !== '0') await touchMappings(deps, trx, caller, id)
    await trx.deleteFrom('roles').where(ofEnvironment(caller)).where('id', '=', id).execute()
    return emitRole(deps, trx, caller, 'role.role.delete.success', row)
  })
}

/** Every read of roles starts here: those of the whole account, and those of the organizations that the caller may see. */
function rolesOf(db: Kysely<DB>, { accountId, environment, organizationIds }: Caller) {
  return db
    .selectFrom('roles')
    .where(ofEnvironment({ accountId, environment }, 'roles'))
    .where(
      sql<boolean>`(
        roles.organization_id is null or exists (
          select from organizations scope
          where scope.account_id = roles.account_id and scope.id = roles.organization_id
            and scope.deleted_at is null
            and (${organizationIds}::uuid[] is null or scope.id = any(${organizationIds}::uuid[]))
        )
      )`,
    )
}

/** The columns of a role, with its permissions and the number of its users in the organizations that the caller may see. */
function wholeRole({ organizationIds }: Caller) {
  const scopeDomain = sql<string | null>`(
    select scope.domain from organizations scope
    where scope.account_id = roles.account_id and scope.id = roles.organization_id
  )`
  const permissions = sql<string[]>`array(
    select permission from role_permissions allowed
    where ${sameEnvironment('allowed', 'roles')} and allowed.role_id = roles.id
    order by permission collate "C"
  )`
  const usersCount = sql<string>`(
    select count(distinct assignment.user_id) from role_assignments assignment
    where ${sameEnvironment('assignment', 'roles')} and assignment.role_id = roles.id
      and (${organizationIds}::uuid[] is null or assignment.organization_id = any(${organizationIds}::uuid[]))
  )`
  return [
    ...roleColumns,
    scopeDomain.as('organization_domain_scope'),
    permissions.as('permissions'),
    usersCount.as('users_count'),
  ] as const
}

function getRow(trx: Transaction<DB>, caller: Caller, id: string): Promise<RoleRow> {
  return rolesOf(trx, caller).where('roles.id', '=', id).select(wholeRole(caller)).executeTakeFirstOrThrow()
}

/** @throws ApiError `role_not_found`, `precondition_failed`, `key_limited_to_organizations` */
async function lockRole(
  trx: Transaction<DB>,
  caller: Caller,
  id: string,
  versions: readonly number[] | undefined,
): Promise<RoleRow> {
  const rows = rolesOf(trx, caller).where('roles.id', '=', id)
  const row = await rows
    .where(isOfVersion(versions))
    .select(wholeRole(caller))
    .forUpdate('roles')
    .executeTakeFirst()
  if (row === undefined) throw await whyUnchanged(rows.select('roles.id'), 'role_not_found')
  if (row.organization_id === null) checkReach(caller)
  return row
}

/** The number of rules that name a role, in decimals. */
async function countRules(trx: Transaction<DB>, caller: Caller, id: string): Promise<string> {
  const { total } = await trx
    .selectFrom('role_mapping_rules')
    .where(ofEnvironment(caller))
    .where('role_id', '=', id)
    .select(sql<string>`count(*)`.as('total'))
    .executeTakeFirstOrThrow()
  return total
}

/** The number of policies that give a role to whoever joins, in decimals. */
async function countPolicies(trx: Transaction<DB>, caller: Caller, id: string): Promise<string> {
  const { total } = await trx
    .selectFrom('organization_policies')
    .where(ofEnvironment(caller))
    .where(sql<boolean>`${id} = any(join_role_ids)`)
    .select(sql<string>`count(*)`.as('total'))
    .executeTakeFirstOrThrow()
  return total
}

/** The directories and connections whose rules lose a role are of another version. */
async function touchMappings(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  caller: Caller,
  roleId: string,
): Promise<void> {
  for (const [table, source] of [
    ['directories', 'directory_id'],
    ['sso_connections', 'connection_id'],
  ] as const)
    await trx
      .updateTable(table)
      .set({ updated_at: now(), version: sql`version + 1` })
      .where(ofEnvironment(caller))
      .where(
        sql<boolean>`id in (
          select ${sql.ref(source)} from role_mapping_rules rule
          where ${ofEnvironment(caller, 'rule')} and rule.role_id = ${roleId}
        )`,
      )
      .execute()
}

/** The organization to which a role is restricted; null for the whole account. */
async function getScopeId(
  trx: Transaction<DB>,
  caller: Caller,
  scope: string | null,
): Promise<string | null> {
  if (scope === null) {
    checkReach(caller)
    return null
  }
  const { rows } = await sql<{ id: string | null }>`
    select ${organizationIdOf({ ...caller, domain: scope })} as id`.execute(trx)
  const id = rows[0]?.id ?? null
  if (id !== null) return id
  throw invalid(
    'organization_domain_scope',
    'unknown',
    'must be the domain of an organization of the account',
  )
}

/** Refuses a key that is limited to organizations for what is of the whole account. */
function checkReach({ organizationIds }: Caller): void {
  if (organizationIds !== null) throw new ApiError('key_limited_to_organizations')
}

function checkDefault({ organization_id }: Pick<RoleRow, 'organization_id'>, isDefault: boolean): void {
  if (isDefault && organization_id !== null)
    throw invalid('is_default', 'contradictory', 'must be false for a role of one organization')
}

/**
 * Refuses a role whose name is taken where it would be seen, or which would be one too many. Roles of deleted organizations
 * do not count.
 */
async function checkRoom(
  trx: Transaction<DB>,
  caller: Caller,
  { name, organizationId }: { readonly name: string; readonly organizationId: string | null },
): Promise<void> {
  const sameScope = sql<boolean>`roles.organization_id is not distinct from ${organizationId}::uuid`
  const isSeen = sql<boolean>`(
    roles.name = ${name} and (${sameScope} or roles.organization_id is null or ${organizationId}::uuid is null)
  )`
  const found = await rolesOf(trx, { ...caller, organizationIds: null })
    .select([
      sql<boolean>`coalesce(bool_or(${isSeen}), false)`.as('is_taken'),
      sql<string>`count(*) filter (where ${sameScope})`.as('total'),
    ])
    .executeTakeFirstOrThrow()
  if (found.is_taken) throw new ApiError('role_taken')
  const most = organizationId === null ? maxRoles.account : maxRoles.organization
  if (Number(found.total) >= most) throw new ApiError('roles_exhausted')
}

/** Takes the default from the role that has it, for another. */
async function endDefault(deps: Deps, trx: Transaction<DB>, caller: Caller): Promise<void> {
  const former = await trx
    .updateTable('roles')
    .set({ is_default: false, updated_at: deps.now(), version: sql`version + 1` })
    .where(ofEnvironment(caller))
    .where('is_default', '=', true)
    .returning('id')
    .executeTakeFirst()
  if (former === undefined) return
  await emitRole(deps, trx, caller, 'role.role.update.success', await getRow(trx, caller, former.id))
}

/** @throws ApiError `invalid_parameters` for permissions that are not declared. */
async function replacePermissions(
  trx: Transaction<DB>,
  caller: Caller,
  roleId: string,
  names: readonly string[],
): Promise<void> {
  const undeclared = await findUndeclared(trx, caller, names)
  if (undeclared.length > 0)
    throw invalid('permissions', 'unknown_permission', `must be declared first: ${undeclared.join(', ')}`)
  await trx
    .deleteFrom('role_permissions')
    .where(ofEnvironment(caller))
    .where('role_id', '=', roleId)
    .where(sql<boolean>`permission <> all(${names}::text[])`)
    .execute()
  if (names.length === 0) return
  const key = { account_id: caller.accountId, environment: caller.environment, role_id: roleId }
  await trx
    .insertInto('role_permissions')
    .values(names.map((permission) => ({ ...key, permission })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** An event of a role of the whole account belongs to the account, and to no organization. */
function emitRole(
  deps: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  caller: Caller,
  code: `role.role.${'create' | 'update' | 'delete'}.success`,
  row: RoleRow,
): Promise<Changed<Role>> {
  const record = toRole(row, caller)
  return emit(
    deps,
    trx,
    { ...scopeOfAccount(caller), domain: record.__domain__ },
    {
      ...{ code, record, version: row.version },
      ...(row.organization_id !== null && { organizationId: row.organization_id }),
    },
  )
}

import { nilId } from '@portico/contract/fields'
import type { UserRoles } from '@portico/contract/user-roles'
import { sql, type Kysely, type Transaction } from 'kysely'
import { insertFrom } from '../../platform/db/insert-if.js'
import { whyNotFound } from '../../platform/db/organization-id.js'
import type { DB } from '../../platform/db/schema.js'
import { lookup } from '../../platform/db/statement.js'
import { ofOwner, ofTenant, tenantColumns } from '../../platform/db/tenant-predicate.js'
import type { Tenant } from '../../platform/tenant.js'
import type { Deps } from '../../delivery/deps.js'
import { change, type Changed } from '../../delivery/events/change.js'
import { emit } from '../../delivery/events/emit.js'
import type { RoleOfUser } from '../../tokens/role-claims.js'
import { touchUser } from '../users/change-user.js'
import { getRoleIds } from '../role-ids.js'
import { assignmentsOfUser, rolesOfUser, toUserRoles } from '../users/roles-of-user.js'
import { usersOf, type TenantKey } from '../users/whole-user.js'

type UserKey = TenantKey & { readonly id: string }

const selectAssignments = lookup((db, user: UserKey) =>
  usersOf(db, user)
    .where('users.id', '=', user.id)
    .select(['users.version', 'users.organization_id', assignmentsOfUser().as('assignments')]),
)

const selectRoles = lookup((db, user: UserKey) =>
  usersOf(db, user).where('users.id', '=', user.id).select(rolesOfUser().as('held')),
)

interface GrantedUser {
  readonly accountId: string
  readonly environment: string
  readonly organizationId: string
  readonly userId: string
}

const selectRolesOf = lookup((db, user: GrantedUser) =>
  db
    .selectFrom('users')
    .where(ofOwner(user, 'users'))
    .where('users.id', '=', user.userId)
    .where('users.deleted_at', 'is', null)
    .select(rolesOfUser().as('held')),
)

/** The roles of a user for a token; undefined of one that is missing. */
export async function findRolesOf(
  db: Kysely<DB>,
  user: GrantedUser,
): Promise<readonly RoleOfUser[] | undefined> {
  const [row] = await selectRolesOf(db, user)
  return row?.held
}

/** The roles of a user; none of a missing one. */
export async function findRolesOfUser(
  db: Kysely<DB>,
  tenant: Tenant,
  userId: string,
): Promise<readonly RoleOfUser[]> {
  const [row] = await selectRoles(db, { ...tenant, id: userId })
  return row?.held ?? []
}

/**
 * The roles of a user, and what they allow.
 *
 * @throws ApiError `organization_not_found`, `user_not_found`
 */
export async function getUserRoles(
  { db }: Pick<Deps, 'db'>,
  tenant: Tenant,
  userId: string,
): Promise<Changed<UserRoles>> {
  const [row] = await selectAssignments(db, { ...tenant, id: userId })
  if (row === undefined) throw await whyNotFound(db, tenant, 'user_not_found')
  const { version, organization_id: organizationId, assignments } = row
  return { record: toUserRoles({ userId, assignments }, tenant), version, organizationId, subjectId: userId }
}

/**
 * Gives a user these roles in place of those that the API has given, and of those that they came with. Tokens say so from the next exchange or refresh on.
 *
 * @param versions The versions of the user that the change may happen to; undefined: any.
 * @throws ApiError `organization_not_found`, `user_not_found`, `precondition_failed`, and `invalid_parameters` for a role
 *   that is neither of the account nor of the organization.
 */
export function setUserRoles(
  deps: Deps,
  tenant: Tenant,
  { userId, roles }: { readonly userId: string; readonly roles: readonly string[] },
  versions: readonly number[] | undefined,
): Promise<Changed<UserRoles>> {
  return change(deps, tenant.cause, async (trx) => {
    await touchUser(deps, trx, tenant, userId, versions)
    const ids = await getRoleIds(trx, tenant, roles)
    await replaceAssignments(deps, trx, tenant, userId, ids)
    const { record, ...changed } = await getUserRoles({ db: trx }, tenant, userId)
    return emit(deps, trx, tenant, { code: 'user.roles.update.success', record, ...changed })
  })
}

/** Replaces what was given to a user whom the transaction has locked, but for what companies' own systems say of them. */
async function replaceAssignments(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  userId: string,
  roleIds: readonly string[],
): Promise<void> {
  const source = { source: 'api', source_id: nilId }
  const given = trx
    .deleteFrom('role_assignments')
    .where(ofTenant(tenant))
    .where('user_id', '=', userId)
    .where('source', '<>', 'sso')
  // Roles that are given again keep their time, and are the API's from now on.
  await given.where(sql<boolean>`(source <> 'api' or role_id <> all(${roleIds}::uuid[]))`).execute()
  if (roleIds.length === 0) return
  const row = {
    ...tenantColumns(tenant),
    ...{ user_id: userId, role_id: sql.ref('given.role_id'), ...source, inserted_at: now() },
  }
  await insertFrom(trx, 'role_assignments', row, sql`from unnest(${roleIds}::uuid[]) as given (role_id)`)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

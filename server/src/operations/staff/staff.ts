import type { PageQuery } from '@portico/contract/fields'
import type { StaffMember, StaffRole } from '@portico/contract/staff'
import { sql, type Kysely, type Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import { emptyPage, newestFirst, readPage, type Page } from '../../platform/db/page.js'
import { sameTenant } from '../../platform/db/tenant-predicate.js'
import { ApiError } from '../../platform/errors.js'
import type { Caller, Cause, Tenant } from '../../platform/tenant.js'
import type { Deps } from '../../delivery/deps.js'
import { change, type Changed } from '../../delivery/events/change.js'
import { setUserRoles } from '../../directory/roles/user-roles.js'
import { endUserSessions } from '../../directory/sessions/sessions.js'
import { rolesOfUser } from '../../directory/users/roles-of-user.js'
import { deleteUser } from '../../directory/users/users.js'
import { usersOf } from '../../directory/users/whole-user.js'
import { hasActiveOwner, lockStaff } from './owners.js'
import { toStaffMember } from './record.js'
import { findStaffOrganization, staffTenant, type StaffOrganization } from './staff-organization.js'

/** The staff of the caller's account. */
export async function listStaff(
  { readDb }: Pick<Deps, 'readDb'>,
  caller: Caller,
  query: PageQuery,
): Promise<Page<StaffMember>> {
  const staff = await findStaffOrganization({ db: readDb }, caller.accountId)
  if (staff === undefined) return emptyPage(query)
  const tenant = staffTenant(staff, caller.cause)
  return readPage(
    {
      db: readDb,
      query,
      environment: caller.environment,
      order: newestFirst,
      keys: usersOf(readDb, tenant),
      table: 'users',
      rows: usersOf(readDb, tenant).select(staffColumns()),
    },
    (row) => toStaffMember(row, caller.accountDomain),
  )
}

/** @throws ApiError `staff_not_found` */
export async function getStaff(
  { db }: Pick<Deps, 'db'>,
  caller: Caller,
  id: string,
): Promise<Changed<StaffMember>> {
  const staff = await getOrganization(db, caller)
  return { record: await readStaff(db, caller, staffTenant(staff, caller.cause), id) }
}

/**
 * Gives a member of staff these roles in place of those that the console has given; what a directory or an identity provider says of
 * them stays.
 *
 * @throws ApiError `staff_not_found`, `last_owner`
 */
export function setRoleOfStaff(
  deps: Deps,
  caller: Caller,
  { id, roles }: { readonly id: string; readonly roles: readonly StaffRole[] },
): Promise<Changed<StaffMember>> {
  return changeStaff(deps, caller, id, async (within, tenant) => {
    await setUserRoles(within, tenant, { userId: id, roles: [...new Set(roles)] }, undefined)
    return readStaff(within.db, caller, tenant, id)
  })
}

/**
 * Removes a member of staff: their sessions end, and the address may be invited again.
 *
 * @returns The member as they were.
 * @throws ApiError `staff_not_found`, `last_owner`
 */
export function removeStaff(deps: Deps, caller: Caller, id: string): Promise<Changed<StaffMember>> {
  return changeStaff(deps, caller, id, (within, tenant) => remove(within, caller, tenant, id))
}

/**
 * The same by an operator, who may remove the last owner, too: who has the database makes another one.
 *
 * @throws ApiError `staff_not_found`
 */
export function removeStaffAsOperator(deps: Deps, caller: Caller, id: string): Promise<Changed<StaffMember>> {
  return change(deps, caller.cause, async (trx) => {
    const staff = await getOrganization(trx, caller)
    await lockStaff(trx, staff)
    const tenant = staffTenant(staff, plain(caller.cause))
    return { record: await remove({ ...deps, db: trx }, caller, tenant, id), subjectId: id }
  })
}

/** @throws ApiError `staff_not_found` */
export function endSessionsOfStaff(deps: Deps, caller: Caller, id: string): Promise<Changed<StaffMember>> {
  return changeStaff(deps, caller, id, async (within, tenant) => {
    const member = await readStaff(within.db, caller, tenant, id)
    await endUserSessions(within, tenant, id)
    return member
  })
}

async function remove(within: Deps, caller: Caller, tenant: Tenant, id: string): Promise<StaffMember> {
  const member = await readStaff(within.db, caller, tenant, id)
  await deleteUser(within, tenant, id, undefined)
  return member
}

/**
 * Changes the staff of the caller's account, one change at a time, so that of two that take a role from the last two owners the
 * second one sees what the first one did.
 *
 * @throws ApiError `last_owner` when the account had an active owner, and would have none.
 */
function changeStaff(
  deps: Deps,
  caller: Caller,
  id: string,
  work: (within: Deps & { readonly db: Transaction<DB> }, tenant: Tenant) => Promise<StaffMember>,
): Promise<Changed<StaffMember>> {
  return change(deps, caller.cause, async (trx) => {
    const staff = await getOrganization(trx, caller)
    await lockStaff(trx, staff)
    const tenant = staffTenant(staff, plain(caller.cause))
    const hadOwner = await hasActiveOwner(trx, staff)
    // Before what it is done to: anybody else's is none.
    await readStaff(trx, caller, tenant, id)
    const record = await work({ ...deps, db: trx }, tenant)
    if (hadOwner && !(await hasActiveOwner(trx, staff))) throw new ApiError('last_owner')
    return { record, subjectId: id }
  })
}

/** The change around it writes the audit and settles the request, once. */
export function plain({ requestId, actor, params }: Cause): Cause {
  return { requestId, actor, params }
}

/** @throws ApiError `staff_not_found` while the account has no staff at all. */
async function getOrganization(
  db: Kysely<DB>,
  { accountId }: Pick<Caller, 'accountId'>,
): Promise<StaffOrganization> {
  const staff = await findStaffOrganization({ db }, accountId)
  if (staff === undefined) throw new ApiError('staff_not_found')
  return staff
}

/** @throws ApiError `staff_not_found` */
async function readStaff(
  db: Kysely<DB>,
  { accountDomain }: Pick<Caller, 'accountDomain'>,
  tenant: Tenant,
  id: string,
): Promise<StaffMember> {
  const row = await usersOf(db, tenant).where('users.id', '=', id).select(staffColumns()).executeTakeFirst()
  if (row === undefined) throw new ApiError('staff_not_found')
  return toStaffMember(row, accountDomain)
}

function staffColumns() {
  return [
    'users.id',
    'users.email',
    sql<string | null>`users.profile->>'given_name'`.as('given_name'),
    sql<string | null>`users.profile->>'family_name'`.as('family_name'),
    'users.active',
    rolesOfUser().as('roles'),
    hasRow('passwords', sql`true`).as('has_password'),
    hasRow('totp_enrollments', sql`validated_at is not null`).as('has_totp'),
    hasRow('user_identities', sql`true`).as('has_identity'),
    hasRow('directory_users', sql`true`).as('is_in_directory'),
    hasRow('invitations', sql`state = 'accepted'`).as('is_invited'),
    sql<Date | null>`(
      select max(browser_used_at) from sessions
      where ${sameTenant('sessions', 'users')} and sessions.user_id = users.id
    )`.as('last_seen_at'),
    'users.inserted_at',
  ] as const
}

/** Whether a table has a row of the row's user. */
function hasRow(
  table: 'passwords' | 'totp_enrollments' | 'user_identities' | 'directory_users' | 'invitations',
  condition: ReturnType<typeof sql>,
) {
  return sql<boolean>`exists (
    select from ${sql.table(table)} as own
    where ${sameTenant('own', 'users')} and own.user_id = users.id and ${condition}
  )`
}

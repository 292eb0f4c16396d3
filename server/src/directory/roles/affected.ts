import { sql, type Kysely } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import { ofEnvironment, sameTenant } from '../../platform/db/tenant-predicate.js'
import type { Caller } from '../../platform/tenant.js'

/** What loses something when a role or a permission goes. */
export interface Affected {
  readonly roles: number
  readonly users: number
}

type Owner = Pick<Caller, 'accountId' | 'environment'>

/** The roles that have a permission, and their users. */
export async function affectedByPermission(db: Kysely<DB>, owner: Owner, name: string): Promise<Affected> {
  const having = await db
    .selectFrom('role_permissions')
    .where(ofEnvironment(owner))
    .where('permission', '=', name)
    .select('role_id')
    .execute()
  return affectedByRoles(
    db,
    owner,
    having.map(({ role_id }) => role_id),
  )
}

/** The users of roles, those who have one by default included. */
export async function affectedByRoles(
  db: Kysely<DB>,
  owner: Owner,
  ids: readonly string[],
): Promise<Affected> {
  const { rows } = await sql<{ users: string }>`
    select (
      select count(distinct user_id) from role_assignments
      where ${ofEnvironment(owner)} and role_id = any(${ids}::uuid[])
    ) + (
      select count(*) from users
      where ${ofEnvironment(owner, 'users')} and users.deleted_at is null
        and not exists (
          select from role_assignments assignment
          where ${sameTenant('assignment', 'users')} and assignment.user_id = users.id
        )
        and exists (
          select from roles where ${ofEnvironment(owner, 'roles')} and roles.is_default
            and roles.id = any(${ids}::uuid[])
        )
    ) as users`.execute(db)
  return { roles: ids.length, users: Number(rows[0]?.users ?? 0) }
}

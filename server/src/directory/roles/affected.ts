import { sql, type Kysely } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import { ofEnvironment, sameTenant } from '../../platform/db/tenant-predicate.js'
import type { Caller } from '../../platform/tenant.js'
import { rolesOfUser } from '../users/roles-of-user.js'

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

/** The users of roles: those to whom one is given, whether effective or not, and those who have one by default. */
export async function affectedByRoles(
  db: Kysely<DB>,
  owner: Owner,
  ids: readonly string[],
): Promise<Affected> {
  const { rows } = await sql<{ users: string }>`
    select count(distinct user_id) as users from (
      select user_id from role_assignments
      where ${ofEnvironment(owner)} and role_id = any(${ids}::uuid[])
      union all ${membersOfGroups(owner, ids)}
      union all ${usersOfValues(owner, ids)}
      union all ${usersByDefault(owner, ids)}
    ) affected`.execute(db)
  return { roles: ids.length, users: Number(rows[0]?.users ?? 0) }
}

function membersOfGroups(owner: Owner, ids: readonly string[]) {
  return sql`
    select member.user_id from role_mapping_rules rule
    join directory_groups named
      on ${sameTenant('named', 'rule')} and named.directory_id = rule.directory_id
      and rule.rule_key = '=' || named.display_name_normalized
    join directory_group_members member on ${sameTenant('member', 'named')} and member.group_id = named.id
    where ${ofEnvironment(owner, 'rule')} and rule.role_id = any(${ids}::uuid[]) and rule.attribute is null`
}

function usersOfValues(owner: Owner, ids: readonly string[]) {
  return sql`
    select known.user_id from role_mapping_rules rule
    join directory_users known
      on ${sameTenant('known', 'rule')} and known.directory_id = rule.directory_id
      and rule.rule_key = any(known.role_keys)
    where ${ofEnvironment(owner, 'rule')} and rule.role_id = any(${ids}::uuid[]) and rule.attribute is not null`
}

/** Nobody's roles are read where none of these is the default. */
function usersByDefault(owner: Owner, ids: readonly string[]) {
  return sql`
    select users.id from users
    where ${ofEnvironment(owner, 'users')} and users.deleted_at is null
      and exists (
        select from roles where ${ofEnvironment(owner, 'roles')} and roles.is_default
          and roles.id = any(${ids}::uuid[])
      )
      and ${rolesOfUser()} @> '[{"source": "default"}]'`
}

import type { RoleSource, UserRoles } from '@portico/contract/user-roles'
import { sql, type RawBuilder } from 'kysely'
import { companion } from '../../platform/db/statement.js'
import { ofTenant, sameEnvironment, sameTenant } from '../../platform/db/tenant-predicate.js'
import type { Tenant } from '../../platform/tenant.js'
import type { RoleOfUser } from '../../tokens/role-claims.js'

/** A user as parameters of a statement. */
type UserKey = Pick<Tenant, 'accountId' | 'environment' | 'domain' | 'organizationIds'> & {
  readonly id: string
}

/** A role of a user as aggregated by the statement. */
export interface RoleOfUserRow extends RoleOfUser {
  readonly source: RoleSource
  /** Milliseconds since 1970; null for the default role. */
  readonly inserted_at_ms: number | null
}

const isOfUser = sql`${sameTenant('assignment', 'users')} and assignment.user_id = users.id`

/**
 * The roles of the row's user, by name: those that are given, or else the default role of the account. A part of the
 * statements that read a user for a token, so that roles cost no round trip.
 */
export function rolesOfUser(): RawBuilder<RoleOfUserRow[]> {
  return sql`(
    select coalesce(jsonb_agg(jsonb_build_object(
      'name', role.name,
      'source', held.source,
      'inserted_at_ms', (extract(epoch from held.inserted_at) * 1000)::bigint,
      'permissions', array(
        select permission from role_permissions allowed
        where ${sameEnvironment('allowed', 'role')} and allowed.role_id = role.id
        order by permission collate "C"
      )
    ) order by role.name collate "C"), '[]')
    from (
      select assignment.role_id, assignment.source, assignment.inserted_at
      from role_assignments assignment where ${isOfUser}
      union all
      select roles.id, 'default', null from roles
      where ${sameEnvironment('roles', 'users')} and roles.is_default
        and not exists (select from role_assignments assignment where ${isOfUser})
    ) held
    join roles role on ${sameEnvironment('role', 'users')} and role.id = held.role_id
  )`
}

/** The record of a user's roles. */
export function toUserRoles(
  { userId, held }: { readonly userId: string; readonly held: readonly RoleOfUserRow[] },
  { domain, environment }: Pick<Tenant, 'domain' | 'environment'>,
): UserRoles {
  return {
    __type__: 'UserRoles',
    __domain__: domain,
    __environment__: environment,
    user_id: userId,
    roles: held.map(({ name }) => name),
    permissions: [...new Set(held.flatMap(({ permissions }) => permissions))].toSorted(),
    assignments: held.map(({ name, source, inserted_at_ms: ms }) => ({
      role: name,
      source,
      inserted_at: ms === null ? null : new Date(ms).toISOString(),
    })),
  }
}

/** Takes the roles of a user who is deleted. */
export const forgetRoles = companion((db, user: UserKey) =>
  db.deleteFrom('role_assignments').where(ofTenant(user)).where('user_id', '=', user.id),
)

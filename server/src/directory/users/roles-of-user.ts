import type { MappingSource, RoleSource, UserRoles } from '@portico/contract/user-roles'
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
}

/** The same with where it is from, and what overrides it. */
export interface AssignmentRow extends RoleOfUserRow {
  readonly source_id: string | null
  readonly source_label: string | null
  readonly overridden_by: MappingSource | null
  /** Milliseconds since 1970; null where it is not stored. */
  readonly inserted_at_ms: number | null
}

/** The directory that keeps the row's user, where it maps roles: of most organizations none does, which an index says. */
const mapped = sql`
  select directory.id, directory.role_mapping_mode as mode, kept.role_keys
  from directories directory
  cross join lateral (
    select known.role_keys from directory_users known
    where ${sameTenant('known', 'users')} and known.user_id = users.id and known.directory_id = directory.id
    offset 0
  ) kept
  where ${sameTenant('directory', 'users')} and directory.role_mapping_mode is not null`

/** The names of the groups of the row's user, in the form of the keys of rules. */
const groupKeys = sql`array(
  select '=' || joined.display_name_normalized
  from directory_group_members member
  join directory_groups joined on ${sameTenant('joined', 'member')} and joined.id = member.group_id
  where ${sameTenant('member', 'users')} and member.user_id = users.id
)`

/** What is given: stored by the API and at sign-ins, or computed of groups and attributes, each role once by its first rule. */
const given = sql`
  select assignment.role_id, assignment.source, assignment.source_id, assignment.inserted_at, null::text as label
  from role_assignments assignment
  where ${sameTenant('assignment', 'users')} and assignment.user_id = users.id
  union all
  select named.role_id, 'directory'::text, mapped.id, null::timestamptz(3), named.label
  from mapped
  cross join lateral (
    select distinct on (rule.role_id) rule.role_id,
      case when rule.attribute is null then rule.value else rule.attribute || '=' || rule.value end as label
    from role_mapping_rules rule
    where ${sameTenant('rule', 'users')} and rule.source_id = mapped.id
      and rule.rule_key = any(mapped.role_keys || ${groupKeys})
    order by rule.role_id, rule.position
  ) named`

/**
 * The authoritative mapping that reaches the row's user: that of the directory that keeps them, or else that of the connection by which
 * they have last signed in by SSO.
 */
const authority = sql`
  select case
    when exists (select from mapped where mode = 'authoritative') then 'directory'
    when users.roles_connection_id is not null and exists (
      select from sso_connections connection
      where ${sameTenant('connection', 'users')} and connection.id = users.roles_connection_id
        and connection.role_mapping_mode = 'authoritative'
    ) then 'sso'
  end as name`

/** Everything that is given, with what overrides it. */
const judged = sql`
  select given.*, case
    when authority.name <> given.source then authority.name
    when authority.name = 'sso' and given.source_id <> users.roles_identity_id then 'sso'
  end as overridden_by
  from given cross join authority`

/** The same with the default role of the account, where nothing else is effective. */
const held = sql`
  select * from judged
  union all
  select roles.id, 'default'::text, null::uuid, null::timestamptz(3), null::text, null::text from roles
  where ${sameEnvironment('roles', 'users')} and roles.is_default
    and not exists (select from judged where overridden_by is null)`

const steps = sql`
  mapped as materialized (${mapped}),
  given as (${given}),
  authority as materialized (${authority}),
  judged as materialized (${judged}),
  held as (${held})`

/** Whether the account has any role: where it has none, nothing else is read. */
const hasRoles = sql`exists (select from roles declared where ${sameEnvironment('declared', 'users')})`

/** Read by its key for each that is held: joined otherwise, a statement might read all roles of the account for a user without any. */
const roleOfHeld = sql`
  select role.account_id, role.environment, role.id, role.name from roles role
  where ${sameEnvironment('role', 'users')} and role.id = held.role_id
  offset 0`

/** In no order: whatever tells of them sorts all that a user has. */
const permissionsOfRole = sql`array(
  select permission from role_permissions allowed
  where ${sameEnvironment('allowed', 'role')} and allowed.role_id = role.id
)`

/**
 * The effective roles of the row's user, in no order; one may be there by several sources. A part of the statements that read a user
 * for a token, so that roles cost no round trip.
 */
export function rolesOfUser(): RawBuilder<RoleOfUserRow[]> {
  return sql`(
    with ${steps}
    select coalesce(jsonb_agg(jsonb_build_object(
      'name', role.name, 'source', held.source, 'permissions', ${permissionsOfRole}
    )), '[]')
    from held
    cross join lateral (${roleOfHeld}) role
    where held.overridden_by is null and ${hasRoles}
  )`
}

/** An empty list where the account has no role; null where it has some, which this does not read. */
export const rolesIfNone = sql<null | []>`(case when ${hasRoles} then null else '[]'::jsonb end)`

/** Every role that the row's user is given, by name, also those that are overridden. */
export function assignmentsOfUser(): RawBuilder<AssignmentRow[]> {
  return sql`(
    with ${steps}
    select coalesce(jsonb_agg(jsonb_build_object(
      'name', role.name,
      'source', held.source,
      'source_id', case held.source when 'sso' then identity.idp_id when 'directory' then held.source_id::text end,
      'source_label', coalesce(held.label, identity.provider),
      'overridden_by', held.overridden_by,
      'inserted_at_ms', (extract(epoch from held.inserted_at) * 1000)::bigint,
      'permissions', ${permissionsOfRole}
    ) order by role.name collate "C", held.source, identity.id), '[]')
    from held
    cross join lateral (${roleOfHeld}) role
    left join user_identities identity
      on held.source = 'sso' and ${sameTenant('identity', 'users')}
      and identity.user_id = users.id and identity.id = held.source_id
  )`
}

/** The record of a user's roles. */
export function toUserRoles(
  { userId, assignments }: { readonly userId: string; readonly assignments: readonly AssignmentRow[] },
  { domain, environment }: Pick<Tenant, 'domain' | 'environment'>,
): UserRoles {
  const effective = assignments.filter((assignment) => assignment.overridden_by === null)
  return {
    __type__: 'UserRoles',
    __domain__: domain,
    __environment__: environment,
    user_id: userId,
    roles: [...new Set(effective.map(({ name }) => name))],
    permissions: [...new Set(effective.flatMap(({ permissions }) => permissions))].toSorted(),
    assignments: assignments.map(({ name, inserted_at_ms: ms, permissions: _, ...assignment }) => ({
      role: name,
      ...assignment,
      effective: assignment.overridden_by === null,
      inserted_at: ms === null ? null : new Date(ms).toISOString(),
    })),
  }
}

/** Takes the roles of a user who is deleted. */
export const forgetRoles = companion((db, user: UserKey) =>
  db.deleteFrom('role_assignments').where(ofTenant(user)).where('user_id', '=', user.id),
)

/** Takes the roles that identities have given a user who keeps none of them. */
export const forgetRolesOfIdentities = companion((db, user: UserKey) =>
  db
    .deleteFrom('role_assignments')
    .where(ofTenant(user))
    .where('user_id', '=', user.id)
    .where('source', '=', 'sso'),
)

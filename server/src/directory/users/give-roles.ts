import { sql, type Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import { organizationIdOf } from '../../platform/db/organization-id.js'
import { ofEnvironment } from '../../platform/db/tenant-predicate.js'
import type { Tenant } from '../../platform/tenant.js'
import type { Deps } from '../../delivery/deps.js'
import { emit } from '../../delivery/events/emit.js'
import { assignmentsOfUser, toUserRoles } from './roles-of-user.js'
import { usersOf } from './whole-user.js'

/** Roles for a user who has just come in. */
interface Gift {
  readonly userId: string
  readonly roleIds: readonly string[]
  readonly source: 'invitation' | 'join'
  /** The record by which they are given; nil without one. */
  readonly sourceId: string
  readonly at: Date
}

/** Gives a new user the roles that are there still, and tells of it where there are any. */
export async function giveRoles(
  deps: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  { userId, roleIds, source, sourceId, at }: Gift,
): Promise<void> {
  if (roleIds.length === 0) return
  const organizationId = organizationIdOf(tenant)
  const { rows } = await sql`
    insert into role_assignments
      (account_id, environment, organization_id, user_id, role_id, source, source_id, inserted_at)
    select roles.account_id, roles.environment, ${organizationId}, ${userId}::uuid, roles.id, ${source},
      ${sourceId}::uuid, ${at}::timestamptz
    from roles
    where ${ofEnvironment(tenant, 'roles')}
      and roles.id = any(${roleIds}::uuid[])
      and (roles.organization_id is null or roles.organization_id = ${organizationId})
    order by roles.id
    for key share of roles
    returning role_id`.execute(trx)
  if (rows.length === 0) return
  const row = await usersOf(trx, tenant)
    .where('users.id', '=', userId)
    .select(['users.version', 'users.organization_id', assignmentsOfUser().as('assignments')])
    .executeTakeFirstOrThrow()
  await emit(deps, trx, tenant, {
    code: 'user.roles.update.success',
    record: toUserRoles({ userId, assignments: row.assignments }, tenant),
    version: row.version,
    organizationId: row.organization_id,
    subjectId: userId,
  })
}

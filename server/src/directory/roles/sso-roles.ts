import { sql, type Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import { sqlStatement } from '../../platform/db/statement.js'
import { ofEnvironment, ofTenant } from '../../platform/db/tenant-predicate.js'
import { organizationIdOf } from '../../platform/db/organization-id.js'
import type { Tenant } from '../../platform/tenant.js'
import type { Deps } from '../../delivery/deps.js'
import { emit } from '../../delivery/events/emit.js'
import { touchUser } from '../users/change-user.js'
import type { TenantKey } from '../users/whole-user.js'
import { getUserRoles } from './user-roles.js'

/** A sign-in by SSO, of a user whom the transaction has locked. */
export interface SsoSignInOfUser {
  readonly userId: string
  readonly identityId: string
  readonly connectionId: string
  /** The name of the connection in identities. */
  readonly idpId: string
  /** Whether the connection maps roles. */
  readonly isMapped: boolean
  /** The keys of what the identity provider says, among those that rules may have. */
  readonly keys: readonly string[]
}

/**
 * Gives a user the roles that the rules of a connection make of a sign-in, in place of those that it has given before, and notes whether
 * the connection maps roles: an authoritative one is then the only source. Emits an event where something has changed.
 */
export async function writeSsoRoles(
  deps: Deps,
  trx: Transaction<DB>,
  tenant: Tenant,
  signIn: SsoSignInOfUser,
): Promise<void> {
  const [row] = await replaceSsoRoles(trx, { ...tenant, ...signIn, at: deps.now() })
  if (row?.is_changed !== true) return
  const { userId } = signIn
  await touchUser(deps, trx, tenant, userId, undefined)
  const { record, ...changed } = await getUserRoles({ db: trx }, tenant, userId)
  await emit(deps, trx, tenant, { code: 'user.roles.update.success', record, ...changed })
}

/** Takes what an identity of a user, whom the transaction has locked, has given; an authoritative connection is then none any more. */
export async function forgetRolesOfIdentity(
  deps: Deps,
  trx: Transaction<DB>,
  tenant: Tenant,
  { userId, identityId }: Pick<SsoSignInOfUser, 'userId' | 'identityId'>,
): Promise<void> {
  const { numDeletedRows } = await trx
    .deleteFrom('role_assignments')
    .where(ofTenant(tenant))
    .where('user_id', '=', userId)
    .where('source', '=', 'sso')
    .where('source_id', '=', identityId)
    .executeTakeFirst()
  const { numUpdatedRows } = await trx
    .updateTable('users')
    .set({ roles_identity_id: null, roles_connection_id: null })
    .where(ofTenant(tenant))
    .where('id', '=', userId)
    .where('roles_identity_id', '=', identityId)
    .executeTakeFirst()
  if (numDeletedRows + numUpdatedRows === 0n) return
  const { record, ...changed } = await getUserRoles({ db: trx }, tenant, userId)
  await emit(deps, trx, tenant, { code: 'user.roles.update.success', record, ...changed })
}

type SsoRoles = TenantKey & SsoSignInOfUser & { readonly at: Date }

/** Other identities of the user at the connection give nothing any more: a name may have changed there. */
const replaceSsoRoles = sqlStatement(
  (its: SsoRoles) => sql<{ is_changed: boolean }>`
    with wanted as materialized (
      select roles.id as role_id from roles
      where ${ofEnvironment(its, 'roles')} and roles.id in (
        select rule.role_id from role_mapping_rules as rule
        where ${ofTenant(its, 'rule')} and rule.source_id = ${its.connectionId}
          and rule.rule_key = any(${its.keys}::text[])
      )
      order by roles.id
      for key share
    ), taken as (
      delete from role_assignments as assignment
      where ${ofTenant(its, 'assignment')} and assignment.user_id = ${its.userId} and assignment.source = 'sso'
        and (
          assignment.source_id = ${its.identityId} and assignment.role_id not in (select role_id from wanted)
          or assignment.source_id in (
            select id from user_identities
            where ${ofTenant(its)} and user_id = ${its.userId} and idp_id = ${its.idpId}
              and id <> ${its.identityId}
          )
        )
      returning assignment.role_id
    ), given as (
      insert into role_assignments
        (account_id, environment, organization_id, user_id, role_id, source, source_id, inserted_at)
      select ${its.accountId}, ${its.environment}, ${organizationIdOf(its)}, ${its.userId}, role_id, 'sso',
        ${its.identityId}, ${its.at}
      from wanted
      on conflict do nothing
      returning role_id
    ), marked as (
      update users
      set roles_identity_id = case when ${its.isMapped}::boolean then ${its.identityId}::uuid end,
        roles_connection_id = case when ${its.isMapped}::boolean then ${its.connectionId}::uuid end
      where ${ofTenant(its)} and id = ${its.userId}
        and roles_identity_id is distinct from (case when ${its.isMapped}::boolean then ${its.identityId}::uuid end)
      returning id
    )
    select exists (select role_id from taken) or exists (select role_id from given) or (
      exists (select id from marked) and exists (
        select id from sso_connections where ${ofTenant(its)} and role_mapping_mode = 'authoritative'
      )
    ) as is_changed`,
)

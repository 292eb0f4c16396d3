import type { JoinMode } from '@portico/contract/organization-policy'
import { sql, type Kysely, type RawBuilder } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import { statement } from '../../platform/db/statement.js'
import { ofTenant, sameTenant } from '../../platform/db/tenant-predicate.js'
import type { Tenant } from '../../platform/tenant.js'
import { isOfVerifiedDomain, type AddressInOrganization } from '../domains/authority.js'

/** How the owner of an address joins by its domain. */
export interface Joining {
  readonly mode: Exclude<JoinMode, 'off'>
  /** Of the roles that they are given; some may be gone. */
  readonly roleIds: readonly string[]
}

/** How the owner of an address joins; undefined where they do not. */
export async function findJoining(
  db: Kysely<DB>,
  tenant: Tenant,
  emailNormalized: string,
): Promise<Joining | undefined> {
  const [row] = await selectJoining(db, { ...tenant, emailNormalized })
  return row && { mode: row.mode, roleIds: row.join_role_ids }
}

const selectJoining = statement((db, key: Tenant & { readonly emailNormalized: string }) =>
  db
    .selectFrom('organization_policies as policy')
    .where(ofTenant(key, 'policy'))
    .where('policy.join_by_domain', '<>', 'off')
    .where(
      isOfVerifiedDomain({
        accountId: sql.ref('policy.account_id'),
        environment: sql.ref('policy.environment'),
        organizationId: sql.ref('policy.organization_id'),
        emailNormalized: sql<string>`${key.emailNormalized}::text`,
      }),
    )
    // A check of the table allows nothing else.
    .select([sql<Joining['mode']>`policy.join_by_domain`.as('mode'), 'policy.join_role_ids']),
)

/**
 * Whether the owner of an address joins by its domain, as a part of a statement.
 *
 * @param mayAsk Whether they have a page on which they can ask to.
 */
export function mayJoin(address: AddressInOrganization, mayAsk: RawBuilder<boolean>): RawBuilder<boolean> {
  return sql<boolean>`exists (
    select from organization_policies as joining
    join magic_link_connections as link on ${sameTenant('link', 'joining')} and link.active
    where joining.account_id = ${address.accountId}
      and joining.environment = ${address.environment}
      and joining.organization_id = ${address.organizationId}
      and (joining.join_by_domain = 'automatic' or (joining.join_by_domain = 'request' and ${mayAsk}))
      and ${isOfVerifiedDomain(address)}
  )`
}

/** The roles of those who join, by the policy of the tenant's organization. */
export async function findJoinRoleIds(db: Kysely<DB>, tenant: Tenant): Promise<readonly string[]> {
  const row = await db
    .selectFrom('organization_policies')
    .where(ofTenant(tenant))
    .select('join_role_ids')
    .executeTakeFirst()
  return row?.join_role_ids ?? []
}

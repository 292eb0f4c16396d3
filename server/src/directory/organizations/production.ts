import { sql, type RawBuilder } from 'kysely'
import { isUsableBy } from '../usable.js'
import { organizationIdOf } from '../../platform/db/organization-id.js'
import type { Tenant } from '../../platform/tenant.js'

/** Whether production serves: the organization of the statement can use an application there. */
export function isProductionUp(): RawBuilder<boolean> {
  return sql<boolean>`exists (
    select from applications
    where applications.account_id = organizations.account_id
      and applications.environment = 'production'
      and ${isUsableBy(sql.ref('organizations.id'))}
  )`
}

/**
 * Whether the tenant may change shared settings of both environments that production depends on: a sandbox key may
 * until production serves.
 */
export function mayChangeProduction(tenant: Tenant): RawBuilder<boolean> {
  if (tenant.environment !== 'sandbox') return sql<boolean>`true`
  return sql<boolean>`not exists (
    select from organizations
    where organizations.account_id = ${tenant.accountId}
      and organizations.id = ${organizationIdOf(tenant)}
      and ${isProductionUp()}
  )`
}

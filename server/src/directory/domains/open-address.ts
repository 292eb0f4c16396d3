import { sql, type Kysely } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import { organizationIdOf } from '../../platform/db/organization-id.js'
import type { Tenant } from '../../platform/tenant.js'
import { isAddressAllowed } from '../allowed-domain.js'
import { isOfConnection, isSsoRequired } from './authority.js'

/** Whether a user who does not come by single sign-on may have an address: the organization allows it, and no connection is for it. */
export async function isAddressOpen(
  db: Kysely<DB>,
  tenant: Tenant,
  emailNormalized: string,
): Promise<boolean> {
  const address = {
    accountId: sql.ref<string>('organizations.account_id'),
    environment: sql<string>`${tenant.environment}::text`,
    organizationId: sql.ref<string>('organizations.id'),
    emailNormalized: sql<string>`${emailNormalized}::text`,
  }
  const row = await db
    .selectFrom('organizations')
    .where('organizations.account_id', '=', tenant.accountId)
    .where('organizations.id', '=', organizationIdOf(tenant))
    .select(
      sql<boolean>`(
        ${isAddressAllowed(address.emailNormalized)}
        and not ${isOfConnection(address)}
        and not ${isSsoRequired(address)}
      )`.as('is_open'),
    )
    .executeTakeFirst()
  return row?.is_open === true
}

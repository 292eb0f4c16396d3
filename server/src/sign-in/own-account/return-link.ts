import { pathId } from '@portico/contract/fields'
import { sql } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import { isUsableBy } from '../../directory/usable.js'
import { organizationIdOf } from '../../platform/db/organization-id.js'
import { ofEnvironment } from '../../platform/db/tenant-predicate.js'
import type { Tenant } from '../../platform/tenant.js'

/**
 * The name of the application that an address is of: one that the organization uses, and of whose redirect or logout URLs the
 * address is one, to the letter. Undefined otherwise, so that no page of ours leads to another site.
 */
export async function findReturnLink(
  { db }: Pick<Deps, 'db'>,
  tenant: Tenant,
  { clientId, returnTo }: { readonly clientId: string; readonly returnTo: string },
): Promise<string | undefined> {
  const row = await db
    .selectFrom('applications')
    .where(ofEnvironment(tenant, 'applications'))
    .where('applications.id', '=', ClientId.parse(clientId))
    .where(isUsableBy(organizationIdOf(tenant)))
    .where(
      sql<boolean>`${returnTo}::text = any(applications.allowed_redirect_urls || applications.allowed_logout_urls)`,
    )
    .select('applications.name')
    .executeTakeFirst()
  return row?.name
}

const ClientId = pathId()

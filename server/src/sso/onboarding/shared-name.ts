import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import type { OnboardingConnection } from './connections.js'
import { ofOwner } from '../../platform/db/tenant-predicate.js'

/** The column that names an identity provider, by the table of its versions. */
const nameColumns = {
  sso_metadata_versions: 'entity_id',
  sso_oidc_clients: 'issuer',
} as const satisfies Partial<Record<keyof DB, string>>

/**
 * Whether another connection of the organization and environment uses the identity provider of the same name. Other
 * organizations are not considered, because the answer would reveal that they are customers.
 */
export async function isNameShared(
  { db }: Pick<Deps, 'db'>,
  { accountId, environment, organizationId, connectionId }: OnboardingConnection,
  table: keyof typeof nameColumns,
  name: string,
): Promise<boolean> {
  const other = await db
    .selectFrom(table)
    .where(ofOwner({ accountId, environment, organizationId }))
    .where(nameColumns[table], '=', name)
    .where('is_current', '=', true)
    .where('connection_id', '<>', connectionId)
    .select('version')
    .limit(1)
    .executeTakeFirst()
  return other !== undefined
}

import type { Kysely } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import { isOfConnection, type ConnectionKey } from '../connections/connection-key.js'
import { sameEnvironment } from '../../platform/db/tenant-predicate.js'

/**
 * The name of the application to which a connection leads, for its administrator. Undefined where it leads to no
 * application, and where the invitation is for a whole organization; the name of the product is shown then.
 */
export async function findServiceName(
  db: Kysely<DB>,
  { connectionId, ...owner }: Omit<ConnectionKey, 'connectionId'> & { readonly connectionId: string | null },
): Promise<string | undefined> {
  if (connectionId === null) return undefined
  const row = await db
    .selectFrom('sso_default_redirections')
    .innerJoin('applications', (join) =>
      join
        .on(sameEnvironment('applications', 'sso_default_redirections'))
        .onRef('applications.id', '=', 'sso_default_redirections.application_id'),
    )
    .where(isOfConnection('sso_default_redirections', { ...owner, connectionId }))
    .where('sso_default_redirections.is_current', '=', true)
    .where('applications.deleted_at', 'is', null)
    .select('applications.name')
    .executeTakeFirst()
  return row?.name
}

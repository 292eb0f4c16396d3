import type { ScimRequest, ScimRequestQuery } from '@portico/contract/directory-sync'
import { scimLimits } from '@portico/contract/scim'
import { sql } from 'kysely'
import { whyNotFound } from '../../platform/db/organization-id.js'
import { emptyPage, newestFirst, readPage, type Page } from '../../platform/db/page.js'
import type { Deps } from '../../delivery/deps.js'
import type { Tenant } from '../../platform/tenant.js'
import { directoriesOf } from './directory-sync.js'
import { scimRequestColumns, toScimRequest } from './record.js'
import { ofOwner } from '../../platform/db/tenant-predicate.js'

/**
 * The requests of the directory's provider in the last days, newest first. A busy provider makes millions, so the count
 * has a limit.
 *
 * @throws ApiError `organization_not_found`, `directory_sync_not_found`
 */
export async function listScimRequests(
  { readDb }: Pick<Deps, 'readDb'>,
  tenant: Tenant,
  { status, user_id: userId, ...query }: ScimRequestQuery,
): Promise<Page<ScimRequest>> {
  const directory = await directoriesOf(readDb, tenant).select(['organization_id', 'id']).executeTakeFirst()
  if (directory === undefined) throw await whyNotFound(readDb, tenant, 'directory_sync_not_found')
  if (status === null || userId === null) return emptyPage(query)
  const ofDirectory = () =>
    readDb
      .selectFrom('scim_requests')
      .where(
        ofOwner(
          {
            accountId: tenant.accountId,
            environment: tenant.environment,
            organizationId: directory.organization_id,
          },
          'scim_requests',
        ),
      )
      .where('scim_requests.directory_id', '=', directory.id)
  const wanted = () =>
    ofDirectory()
      .$if(status !== undefined, (rows) => rows.where('scim_requests.status', '=', status ?? 0))
      .$if(userId !== undefined, (rows) => rows.where('scim_requests.user_id', '=', userId ?? ''))
  return readPage(
    {
      db: readDb,
      query,
      environment: tenant.environment,
      order: newestFirst,
      keys: wanted(),
      table: 'scim_requests',
      rows: ofDirectory().select(scimRequestColumns),
      total: async () => {
        const counted = wanted()
          .select(sql`1`.as('one'))
          .limit(scimLimits.requestsCounted)
        const { total } = await readDb
          .selectFrom(counted.as('counted'))
          .select(sql<string>`count(*)`.as('total'))
          .executeTakeFirstOrThrow()
        return Number(total)
      },
    },
    (row) => toScimRequest(row, tenant),
  )
}

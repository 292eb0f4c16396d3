import {
  applicationOrders,
  type AccountApplicationQuery,
  type Application,
} from '@portico/contract/applications'
import { nilId } from '@portico/contract/fields'
import { sql, type Kysely } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import { containing } from '../../platform/db/containing.js'
import { organizationIdOf } from '../../platform/db/organization-id.js'
import { emptyPage, orderOf, readPage, type Page } from '../../platform/db/page.js'
import type { DB } from '../../platform/db/schema.js'
import { ofEnvironment } from '../../platform/db/tenant-predicate.js'
import { countRows } from '../../platform/db/totals.js'
import type { Caller } from '../../platform/tenant.js'
import { wholeApplication } from './applications.js'
import { toApplication } from './record.js'

type Reach = Pick<Caller, 'accountId' | 'environment' | 'organizationIds'>

/**
 * The applications of the account, and of those of its organizations that the key may see. A filter that can match
 * nothing gives an empty list.
 */
export async function listApplicationsOfAccount(
  { readDb }: Pick<Deps, 'readDb'>,
  caller: Caller,
  query: AccountApplicationQuery,
): Promise<Page<Application>> {
  const { filter, organization_domain_scope: scope } = query
  if (filter === null || scope === null) return emptyPage(query)
  const all = applicationsSeenBy(readDb, caller)
  const filtered = all
    .$if(filter !== undefined, (some) => some.where('applications.name', 'ilike', containing(filter ?? '')))
    .$if(scope !== undefined, (some) =>
      some.where('applications.organization_id', '=', organizationIdOf({ ...caller, domain: scope ?? '' })),
    )
  const isWhole = filter === undefined && scope === undefined
  return readPage(
    {
      db: readDb,
      query,
      environment: caller.environment,
      order: orderOf(query.sort, applicationOrders),
      keys: filtered,
      table: 'applications',
      rows: all.select(wholeApplication()),
      total: () => (isWhole ? totalSeenBy(readDb, caller) : countRows(filtered)),
    },
    (row) => toApplication(row, caller),
  )
}

/** Every read starts here: applications of the whole account, and of existing organizations that are open to the key. */
function applicationsSeenBy(db: Kysely<DB>, caller: Reach) {
  const { accountId, environment } = caller
  return db
    .selectFrom('applications')
    .where(ofEnvironment({ accountId, environment }, 'applications'))
    .where('applications.deleted_at', 'is', null)
    .where(sql<boolean>`(applications.organization_id is null or ${isSeen('applications', caller)})`)
}

/** How many there are, by the sums of each organization. */
async function totalSeenBy(db: Kysely<DB>, caller: Reach): Promise<number> {
  const { accountId, environment } = caller
  const { total } = await db
    .selectFrom('record_counts')
    .where('kind', '=', 'applications')
    .where(ofEnvironment({ accountId, environment }, 'record_counts'))
    .where(sql<boolean>`(record_counts.organization_id = ${nilId} or ${isSeen('record_counts', caller)})`)
    .select(sql<string>`coalesce(sum(delta), 0)`.as('total'))
    .executeTakeFirstOrThrow()
  return Number(total)
}

/** Whether the organization of a row exists and is open to the key. */
function isSeen(table: 'applications' | 'record_counts', { accountId, organizationIds }: Reach) {
  return sql<boolean>`exists (
    select from organizations
    where organizations.account_id = ${accountId}
      and organizations.id = ${sql.ref(`${table}.organization_id`)}
      and organizations.deleted_at is null
      and (${organizationIds}::uuid[] is null or organizations.id = any(${organizationIds}::uuid[]))
  )`
}

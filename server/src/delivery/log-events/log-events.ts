import type { LogEventList, LogEventQuery } from '@portico/contract/log-events'
import { sql, type Kysely } from 'kysely'
import { organizationExists, organizationIdOf } from '../../platform/db/organization-id.js'
import { orderOf, readPage } from '../../platform/db/page.js'
import type { DB, LogEvents } from '../../platform/db/schema.js'
import { countRows } from '../../platform/db/totals.js'
import type { Deps } from '../deps.js'
import { ApiError } from '../../platform/errors.js'
import { normalizeEmail } from '../../platform/email.js'
import type { Caller, Tenant } from '../../platform/tenant.js'
import { logEventColumns, toLogEvent } from './record.js'
import { ofEnvironment } from '../../platform/db/tenant-predicate.js'

/**
 * The sign-in activity of the organization in the tenant's environment; for the domain of the account, the activity of
 * its API keys. A filter that cannot match gives an empty list.
 *
 * @throws ApiError `organization_not_found`
 */
export async function listLogEvents(
  { readDb }: Pick<Deps, 'readDb'>,
  tenant: Tenant,
  query: LogEventQuery,
): Promise<LogEventList> {
  const filtered = filterLogEvents(logEventsOf(readDb, tenant), query)
  const total = () => countLogEvents(readDb, tenant, filtered)
  return pageOfLogEvents({ readDb }, { all: logEventsOf(readDb, tenant), filtered, total }, tenant, query)
}

/** The sign-in activity of the account and of all its organizations, in the caller's environment. */
export function listLogEventsOfAccount(
  { readDb }: Pick<Deps, 'readDb'>,
  { accountId, environment }: Caller,
  query: LogEventQuery,
): Promise<LogEventList> {
  const all = readDb.selectFrom('log_events').where(ofEnvironment({ accountId, environment }, 'log_events'))
  const filtered = filterLogEvents(all, query)
  const total = () => countRows(filtered)
  return pageOfLogEvents({ readDb }, { all, filtered, total }, { environment }, query)
}

interface ListedLogEvents {
  readonly all: ReturnType<typeof logEventsOf>
  readonly filtered: ReturnType<typeof logEventsOf>
  readonly total: () => Promise<number>
}

async function pageOfLogEvents(
  { readDb }: Pick<Deps, 'readDb'>,
  { all, filtered, total: totalOf }: ListedLogEvents,
  { environment }: Pick<Tenant, 'environment'>,
  query: LogEventQuery,
): Promise<LogEventList> {
  const { pagination, total, ...page } = await readPage(
    {
      db: readDb,
      query,
      environment,
      order: orderOf(query.s?.replace(/^(-?)code\b/i, '$1event_code'), ['inserted_at', 'event_code']),
      keys: query.user_id == null ? filtered : foundFirst(readDb, filtered),
      table: 'log_events',
      ids: 'bigint',
      rows: all.select(logEventColumns),
      total: totalOf,
    },
    toLogEvent,
  )
  return { ...page, paginate: pagination, total_count: total }
}

/** Every read of an organization's log events starts here. Log events of API keys belong to no organization. */
function logEventsOf(db: Kysely<DB>, tenant: Tenant) {
  return db
    .selectFrom('log_events')
    .where(ofEnvironment(tenant, 'log_events'))
    .where(
      isOfAccount(tenant)
        ? sql<boolean>`log_events.organization_id is null`
        : sql<boolean>`log_events.organization_id = ${organizationIdOf(tenant)}`,
    )
}

/** Whether the domain is the account's own, which is hidden from keys limited to organizations. */
function isOfAccount({ domain, accountDomain, organizationIds }: Tenant): boolean {
  return domain === accountDomain && organizationIds === null
}

function filterLogEvents(all: ReturnType<typeof logEventsOf>, query: LogEventQuery) {
  const { code, client_id: clientId, saml_identity_provider_id: connection } = query
  const { user_id: userId, email, request_id: requestId, since, until } = query
  const filters = [code, clientId, connection, userId, email, requestId, since, until]
  // Null: the value cannot match.
  if (filters.includes(null)) return all.where(sql<boolean>`false`)
  return all
    .$if(code != null, (some) => some.where('log_events.event_code', '=', code ?? ''))
    .$if(clientId != null, (some) => some.where('log_events.client_id', '=', clientId ?? ''))
    .$if(connection != null, (some) =>
      some.where('log_events.saml_identity_provider_id', '=', connection ?? ''),
    )
    .$if(userId != null, (some) => some.where('log_events.resource_owner_id', '=', userId ?? ''))
    .$if(email != null, (some) => some.where('log_events.email_normalized', '=', normalizeEmail(email ?? '')))
    .$if(requestId != null, (some) => some.where('log_events.request_id', '=', requestId ?? ''))
    .$if(since != null, (some) => some.where('log_events.inserted_at', '>=', new Date(since ?? '')))
    .$if(until != null, (some) => some.where('log_events.inserted_at', '<', new Date(until ?? '')))
}

/**
 * Log events as a query of its own, which finds those of a user by their index: planned together with the order of the list,
 * all of the organization might be read until enough of them are found.
 */
function foundFirst(db: Kysely<DB>, found: ReturnType<typeof logEventsOf>) {
  const columns = found
    .select(['log_events.id', 'log_events.inserted_at', 'log_events.event_code'])
    .offset(sql.lit(0))
  return db.selectFrom(sql<LogEvents>`${columns}`.as('log_events'))
}

async function countLogEvents(
  db: Kysely<DB>,
  tenant: Tenant,
  filtered: ReturnType<typeof logEventsOf>,
): Promise<number> {
  const total = await countRows(filtered)
  const isThere = total > 0 || isOfAccount(tenant) || (await organizationExists(db, tenant))
  if (!isThere) throw new ApiError('organization_not_found')
  return total
}

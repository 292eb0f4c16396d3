import { userSchema } from '@portico/contract/scim'
import { sql, type Kysely, type RawBuilder } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import { totalInOrganization } from '../../platform/db/totals.js'
import { usersOf, type TenantKey } from '../../directory/users/whole-user.js'
import type { ScimFilter } from './filter.js'
import type { ListQuery } from './list-query.js'
import { leafOf, type SchemaPath } from '../../directory/directory-sync/schema-path.js'
import type { ScimCaller } from './scim-caller.js'
import { candidateUserIds } from './user-candidates.js'
import { elementsOf, filterTextOf, numberIn, userCondition } from './user-filter.js'
import { sameTenant } from '../../platform/db/tenant-predicate.js'

interface FoundUsers {
  readonly ids: readonly string[]
  /** Over all pages. */
  readonly total: number
}

/**
 * The ids of the users on a page of a list, in its order, and the total over all pages.
 *
 * @throws ScimError 400 `invalidFilter`
 */
export async function findUserIds(db: Kysely<DB>, caller: ScimCaller, query: ListQuery): Promise<FoundUsers> {
  return query.filter === undefined
    ? readPageOfAll(db, caller, query)
    : readPageOfFound(db, caller, query, query.filter)
}

async function readPageOfAll(db: Kysely<DB>, caller: ScimCaller, query: ListQuery): Promise<FoundUsers> {
  const [rows, total] = await Promise.all([
    usersWithDirectory(db, caller)
      .select('users.id')
      .$if(query.sortBy !== undefined, (select) =>
        select.orderBy(sql`${sortKeyOf(query)} ${directionOf(query)}`),
      )
      .orderBy('users.inserted_at')
      .orderBy('users.id')
      .offset(query.startIndex - 1)
      .limit(query.count)
      .execute(),
    totalInOrganization(db, 'users', caller.tenant),
  ])
  return { ids: rows.map(({ id }) => id), total }
}

/**
 * Evaluates the whole filter before the page is cut: with a limit, Postgres would scan the organization in the order of
 * the list until enough users match, which is all of it for a filter that matches one user. The candidates are an array,
 * because Postgres overestimates their number and would read all users for a join.
 */
async function readPageOfFound(
  db: Kysely<DB>,
  caller: ScimCaller,
  query: ListQuery,
  filter: ScimFilter,
): Promise<FoundUsers> {
  const candidates = candidateUserIds(caller, filter)
  const users = candidates === undefined ? usersWithDirectory(db, caller) : usersEachWithDirectory(db, caller)
  const found = users
    .$if(candidates !== undefined, (users) => users.where(sql<boolean>`users.id = any(array(${candidates}))`))
    .where(userCondition(filter))
    .select(['users.id', 'users.inserted_at', sortKeyOf(query).as('sort_key')])
  const { rows } = await sql<{ id: string | null; total: string }>`
    with found as materialized (${found}),
    page as (
      select id, row_number() over (order by sort_key ${directionOf(query)}, inserted_at, id) as place
      from found
      order by place
      offset ${query.startIndex - 1} limit ${query.count}
    )
    select page.id, counted.total
    from (select count(*) as total from found) as counted
    left join page on true
    order by page.place`.execute(db)
  return {
    ids: rows.flatMap(({ id }) => id ?? []),
    total: Number(rows[0]?.total ?? 0),
  }
}

function usersWithDirectory(db: Kysely<DB>, { tenant, directoryId }: ScimCaller) {
  return usersOf(db, tenant).leftJoin('directory_users as known', (join) =>
    join
      .on(sameTenant('known', 'users'))
      .onRef('known.user_id', '=', 'users.id')
      .on('known.directory_id', '=', directoryId),
  )
}

/** The same for few users: Postgres overestimates their number; the offset keeps it from reading the whole directory. */
export function usersEachWithDirectory(
  db: Kysely<DB>,
  { tenant, directoryId }: { readonly tenant: TenantKey; readonly directoryId: string },
) {
  return usersOf(db, tenant).leftJoinLateral(
    (from) =>
      from
        .selectFrom('directory_users')
        .where(sameTenant('directory_users', 'users'))
        .whereRef('directory_users.user_id', '=', 'users.id')
        .where('directory_users.directory_id', '=', directoryId)
        .selectAll()
        .offset(0)
        .as('known'),
    (join) => join.onTrue(),
  )
}

/** The sort key of a list: a time, or text by code point, case-folded unless its attribute is caseExact; null without sortBy. */
function sortKeyOf({ sortBy }: ListQuery): RawBuilder<unknown> {
  if (sortBy === undefined) return sql`null::text`
  const { schema, attribute, sub } = sortBy
  if (schema === userSchema && attribute.name === 'meta' && sub?.type === 'dateTime')
    return sql.ref(sub.name === 'created' ? 'users.inserted_at' : 'users.updated_at')
  const text = attribute.multiValued ? chosenOf(sortBy, sub?.name ?? 'value') : filterTextOf(sortBy)
  const { type, caseExact } = leafOf(sortBy)
  if (type === 'integer' || type === 'decimal') return numberIn(text)
  return caseExact ? sql`(${text}) collate "C"` : sql`lower(${text}) collate "C"`
}

/** The primary element of a list, else the first (RFC 7644 section 3.4.2.3). */
function chosenOf(list: SchemaPath, member: string): RawBuilder<unknown> {
  return sql`(
    select element ->> ${member}
    from jsonb_array_elements(${elementsOf(list)}) with ordinality as listed (element, place)
    order by coalesce(element ->> 'primary', 'false') = 'true' desc, place
    limit 1
  )`
}

/** Missing values sort last, and first in descending order (RFC 7644 section 3.4.2.3). */
function directionOf({ isDescending }: ListQuery): RawBuilder<unknown> {
  return sql.raw(isDescending ? 'desc nulls first' : 'asc nulls last')
}

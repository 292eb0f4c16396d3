import { userOrders, type User, type UserQuery } from '@portico/contract/users'
import { sql, type Kysely, type RawBuilder } from 'kysely'
import { normalizeEmail } from '../../platform/email.js'
import { organizationExists } from '../../platform/db/organization-id.js'
import { orderOf, readPage, type Page } from '../../platform/db/page.js'
import type { DB, Users } from '../../platform/db/schema.js'
import { countRows, totalInOrganization } from '../../platform/db/totals.js'
import { ApiError } from '../../platform/errors.js'
import type { Tenant } from '../../platform/tenant.js'
import { toUser } from './record.js'
import { everyUserOf, usersOf, wholeUser } from './whole-user.js'

type Filters = Pick<UserQuery, 'filter' | 'active'>

/** Whether a list has a filter; an empty beginning of an address is none. */
export function isFiltered({ filter, active }: Filters): boolean {
  return filter === null || (filter ?? '') !== '' || active !== undefined
}

/**
 * The users of the organization that a filter finds. One that can match nobody gives an empty list.
 *
 * @throws ApiError `organization_not_found`
 */
export function listFilteredUsers(readDb: Kysely<DB>, tenant: Tenant, query: UserQuery): Promise<Page<User>> {
  const found = usersOf(readDb, tenant).where(isMeant(query))
  const isActive = query.active === true && query.filter !== null && (query.filter ?? '') === ''
  return readPage(
    {
      db: readDb,
      query,
      environment: tenant.environment,
      order: orderOf(query.sort, userOrders),
      // Nearly all users are active, so that the order of the list finds them at once.
      keys: isActive ? found : foundFirst(readDb, found),
      table: 'users',
      rows: everyUserOf(readDb, tenant).select(wholeUser()),
      total: () => (isActive ? countActive(readDb, tenant) : countFound(readDb, tenant, found)),
    },
    (row) => toUser(row, tenant),
  )
}

function isMeant({ filter, active }: Filters): RawBuilder<boolean> {
  // Null: the value cannot match.
  if (filter === null || active === null) return sql`false`
  const conditions = [
    ...(filter === undefined ? [] : [beginsWith(normalizeEmail(filter))]),
    ...(active === undefined ? [] : [active ? sql`users.active` : sql`not users.active`]),
  ]
  return sql`(${sql.join(conditions, sql` and `)})`
}

/** As a range of the index of addresses; nothing follows the last code point. */
function beginsWith(text: string): RawBuilder<boolean> {
  return sql`users.email_normalized ~>=~ ${text} and users.email_normalized ~<~ ${`${text}\u{10ffff}`}`
}

/**
 * Users as a query of its own, which finds them by the index of the filter: planned together with the order of the list, all
 * users of the organization might be read until enough of them are found.
 */
function foundFirst(db: Kysely<DB>, found: ReturnType<typeof usersOf>) {
  const columns = found
    .select(['users.id', 'users.inserted_at', 'users.updated_at', 'users.email'])
    .offset(sql.lit(0))
  return db.selectFrom(sql<Users>`${columns}`.as('users'))
}

async function countFound(
  db: Kysely<DB>,
  tenant: Tenant,
  found: ReturnType<typeof usersOf>,
): Promise<number> {
  const total = await countRows(found)
  if (total === 0 && !(await organizationExists(db, tenant))) throw new ApiError('organization_not_found')
  return total
}

/** Counts the inactive ones, which are few and have an index. */
async function countActive(db: Kysely<DB>, tenant: Tenant): Promise<number> {
  const [all, inactive] = await Promise.all([
    totalInOrganization(db, 'users', tenant),
    countRows(usersOf(db, tenant).where(isMeant({ active: false }))),
  ])
  return all - inactive
}

import { userSchema } from '@portico/contract/scim'
import type { User } from '@portico/contract/users'
import { sql, type Kysely } from 'kysely'
import { eachOf } from '../../platform/db/each.js'
import type { DB, Json } from '../../platform/db/schema.js'
import { lookup, statement } from '../../platform/db/statement.js'
import { normalizeEmail } from '../../platform/email.js'
import { ApiError } from '../../platform/errors.js'
import { toChangedUser, wholeUser, type TenantKey } from '../../directory/users/whole-user.js'
import { toAttributes, type DirectoryUser } from './directory-users.js'
import type { ScimFilter } from './filter.js'
import type { ListQuery } from './list-query.js'
import { keyOf, type DirectoryKey, type ScimCaller } from './scim-caller.js'
import { addressed, addressIn, named } from './user-candidates.js'
import { userNameText } from './user-filter.js'
import { findUserIds, usersEachWithDirectory } from './user-list.js'

/** A user of the organization, with the directory's data if the directory manages them. */
export interface Found {
  readonly user: User
  readonly version: number
  readonly known: DirectoryUser | undefined
}

/** @throws ApiError `user_not_found` */
export async function getFound(db: Kysely<DB>, caller: ScimCaller, id: string): Promise<Found> {
  const [row] = await selectOne(db, { ...keyOfFound(caller), id })
  if (row === undefined) throw new ApiError('user_not_found')
  return toFound(caller, row)
}

/**
 * The users on a page of a list, in its order, and the total over all pages.
 *
 * @throws ScimError 400 `invalidFilter`
 */
export async function listFound(
  db: Kysely<DB>,
  caller: ScimCaller,
  query: ListQuery,
): Promise<{ readonly found: readonly Found[]; readonly total: number }> {
  const userName = query.sortBy === undefined ? userNameDemandedBy(query.filter) : undefined
  if (userName !== undefined) return listNamed(db, caller, query, userName)
  const { ids, total } = await findUserIds(db, caller, query)
  return { found: await readFound(db, caller, ids), total }
}

/** Users by their ids, in this order; without those who are gone. */
export async function readFound(
  db: Kysely<DB>,
  caller: ScimCaller,
  ids: readonly string[],
): Promise<readonly Found[]> {
  const rows = await selectEach(db, { ...keyOfFound(caller), ids })
  const byId = new Map(rows.map((row) => [row.id, row]))
  const ordered = ids.map((id) => byId.get(id)).filter((row) => row !== undefined)
  return ordered.map((row) => toFound(caller, row))
}

/** Providers ask this before each creation; at most two users can have a userName. */
async function listNamed(
  db: Kysely<DB>,
  caller: ScimCaller,
  { startIndex, count }: ListQuery,
  userName: string,
) {
  const rows = await selectNamed(db, {
    ...keyOfFound(caller),
    userName: normalizeEmail(userName),
    address: addressIn(userName),
  })
  const page = rows.slice(startIndex - 1, startIndex - 1 + count)
  return { found: page.map((row) => toFound(caller, row)), total: rows.length }
}

/** The userName of a filter that is nothing but `userName eq "…"`. */
function userNameDemandedBy(filter: ScimFilter | undefined): string | undefined {
  if (filter?.kind !== 'comparison' || filter.operator !== 'eq') return undefined
  const { schema, attribute, sub } = filter.subject
  return schema === userSchema && attribute.name === 'userName' && sub === undefined
    ? String(filter.value)
    : undefined
}

type WholeUser = Parameters<typeof toChangedUser>[0]

interface FoundRow extends WholeUser {
  /** Null where the directory does not manage the user. */
  readonly user_name: string | null
  readonly external_id: string | null
  readonly attributes: Json | null
  readonly role_keys: string[] | null
}

function toFound({ tenant }: ScimCaller, row: FoundRow): Found {
  const { user_name: userName, external_id: externalId, attributes, role_keys } = row
  const known =
    userName === null || attributes === null
      ? undefined
      : { userName, externalId, attributes: toAttributes(attributes), roleKeys: role_keys ?? [] }
  const { record: user, version } = toChangedUser(row, tenant)
  return { user, version, known }
}

type FoundKey = TenantKey & DirectoryKey

function keyOfFound(caller: ScimCaller): FoundKey {
  const { domain, organizationIds } = caller.tenant
  return { ...keyOf(caller), domain, organizationIds }
}

function foundUsers(db: Kysely<DB>, caller: FoundKey) {
  return usersEachWithDirectory(db, { tenant: caller, directoryId: caller.directoryId }).select([
    ...wholeUser(),
    'known.user_name',
    'known.external_id',
    'known.attributes',
    'known.role_keys',
  ])
}

const selectOne = lookup((db, wanted: FoundKey & { readonly id: string }) =>
  foundUsers(db, wanted).where('users.id', '=', wanted.id),
)

const selectEach = statement((db, wanted: FoundKey & { readonly ids: readonly string[] }) => ({
  compile: () =>
    eachOf(
      sql`unnest(${wanted.ids}::uuid[]) list (id)`,
      { id: sql.ref('users.id') },
      foundUsers(db, wanted),
    ).compile(db),
}))

type WantedName = FoundKey & { readonly userName: string; readonly address: string }

const selectNamed = lookup((db, wanted: WantedName) => ({
  compile: () => {
    const ids = sql`${named(wanted, 'user_name_normalized', wanted.userName)} union ${addressed(wanted, wanted.address)}`
    const rows = foundUsers(db, wanted).where(sql<boolean>`${userNameText} = ${wanted.userName}`)
    const each = eachOf(sql`(${ids}) list (id)`, { id: sql.ref('users.id') }, rows)
    return sql<FoundRow>`${each} order by found.inserted_at, found.id`.compile(db)
  },
}))

import { groupSchema, scimLimits } from '@portico/contract/scim'
import { sql, type Kysely } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import { countRows } from '../../platform/db/totals.js'
import type { Deps } from '../../delivery/deps.js'
import { sortedBy, toGroupCondition } from './group-filter.js'
import { readMembers, type Member } from './group-members.js'
import { groupColumns, toGroupResource, type ScimGroupRow } from './group-resource.js'
import { readListQuery, toListBody, totalOf, type ListQuery } from './list-query.js'
import { isAnswered, toBody, type Projection } from './projection.js'
import { attributeNamed, groupSchemas, pathTextOf } from '../../directory/directory-sync/schema-path.js'
import { keyOf, type ScimAnswer, type ScimCall, type ScimCaller } from './scim-caller.js'
import { badRequest } from './scim-error.js'
import { ofOwner } from '../../platform/db/tenant-predicate.js'

/**
 * The groups of the directory, oldest first. The limit of members per answer can cut a page short; `itemsPerPage` then
 * has the number of returned groups (RFC 7644 section 3.4.2.4).
 *
 * @throws ScimError 400 `invalidFilter`, `invalidPath`, `invalidValue`
 */
export async function listGroups(
  { db }: Pick<Deps, 'db'>,
  caller: ScimCaller,
  call: ScimCall,
): Promise<ScimAnswer> {
  const query = readListQuery(groupSchemas, call.query, call.quirk)
  const wanted = filteredGroups(db, caller, query)
  const rows = await pageOf(wanted, caller, query)
  const total = await totalOf(query, rows.length, () => countRows(wanted))
  const { shown, members } = hasMembers(query.projection)
    ? await withMembers(db, caller, rows)
    : { shown: rows, members: undefined }
  const resources = shown.map((row) => {
    const resource = toGroupResource(row, members && (members.get(row.id) ?? []), caller.baseUrl)
    return toBody(groupSchemas, resource, query.projection)
  })
  return { status: 200, body: toListBody(query, total, resources), changes: [] }
}

/** Whether an answer includes members, so that they must be read. */
export function hasMembers(projection: Projection): boolean {
  const members = attributeNamed(groupSchema.attributes, 'members')
  return members !== undefined && isAnswered(projection, groupSchema, members)
}

/** Every statement on the groups of a directory starts here. */
export function groupsOf(db: Kysely<DB>, caller: ScimCaller) {
  return db
    .selectFrom('directory_groups')
    .where(ofOwner(keyOf(caller), 'directory_groups'))
    .where('directory_groups.directory_id', '=', caller.directoryId)
}

function filteredGroups(db: Kysely<DB>, caller: ScimCaller, { filter }: ListQuery) {
  const groups = groupsOf(db, caller)
  return filter === undefined ? groups : groups.where(toGroupCondition(filter, caller))
}

function pageOf(
  groups: ReturnType<typeof groupsOf>,
  { baseUrl }: ScimCaller,
  { sortBy, isDescending, startIndex, count }: ListQuery,
): Promise<ScimGroupRow[]> {
  const sorted = sortBy && sortedBy(sortBy, baseUrl)
  if (sortBy !== undefined && sorted === undefined)
    throw badRequest('invalidPath', `groups cannot be sorted by ${pathTextOf(sortBy, groupSchemas)}`)
  const direction = isDescending ? 'desc' : 'asc'
  return groups
    .select(groupColumns)
    .$if(sorted !== undefined, (select) => select.orderBy(sorted ?? sql`1`, direction))
    .orderBy('inserted_at', direction)
    .orderBy('id', direction)
    .offset(startIndex - 1)
    .limit(count)
    .execute()
}

async function withMembers(
  db: Kysely<DB>,
  caller: ScimCaller,
  rows: readonly ScimGroupRow[],
): Promise<{ readonly shown: readonly ScimGroupRow[]; readonly members: ReadonlyMap<string, Member[]> }> {
  const ids = rows.map(({ id }) => id)
  const { members, cutAt } = await readMembers(db, caller, ids, scimLimits.members)
  const complete = cutAt === undefined ? ids.length : ids.indexOf(cutAt)
  if (complete > 0 || ids.length === 0) return { shown: rows.slice(0, complete), members }
  const first = await readMembers(db, caller, ids.slice(0, 1), scimLimits.groupMembers)
  return { shown: rows.slice(0, 1), members: first.members }
}

import { ScimRequestQuery, type DirectorySync, type ScimRequest } from '@portico/contract/directory-sync'
import { sql, type Kysely } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { listScimRequests } from '../../directory/directory-sync/requests.js'
import type { Tenant } from '../../platform/tenant.js'
import { usersOf } from '../../directory/users/whole-user.js'
import { ofTenant } from '../../platform/db/tenant-predicate.js'

/** A request of a directory's provider as an administrator sees it. */
export interface ProviderRequest {
  readonly request: ScimRequest
  /** The address of the user or the name of the group; undefined where the request is about no single one. */
  readonly subject: string | undefined
}

/** Requests that the page lists, the newest first. */
const shownRequests = 10

/** The recent requests of a directory's provider, newest first. */
export async function listProviderRequests(
  { readDb }: Pick<Deps, 'readDb'>,
  tenant: Tenant,
  directory: Pick<DirectorySync, 'id'>,
): Promise<readonly ProviderRequest[]> {
  const query = ScimRequestQuery.parse({ per_page: shownRequests })
  const { data } = await listScimRequests({ readDb }, tenant, query)
  const ids = data.map(subjectIdOf).filter((id) => id !== undefined)
  const names = new Map([
    ...(await readUserNames(readDb, tenant, ids)),
    ...(await readGroupNames(readDb, tenant, directory, ids)),
  ])
  return data.map((request) => ({
    request,
    subject: names.get(subjectIdOf(request) ?? '') ?? nameIn(request),
  }))
}

const groupPath = /^\/Groups\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i

/** The id of the user or group that the request has named or created, from the log. */
function subjectIdOf({ user_id: userId, path, changes }: ScimRequest): string | undefined {
  if (userId !== null) return userId
  const [, named] = groupPath.exec(path) ?? []
  return named ?? changes.find(({ type }) => type === 'Group')?.id
}

async function readUserNames(db: Kysely<DB>, tenant: Tenant, ids: readonly string[]) {
  const rows = await usersOf(db, tenant)
    .where(sql<boolean>`users.id = any(${ids}::uuid[])`)
    .select(['users.id', 'users.email'])
    .execute()
  return rows.map(({ id, email }) => [id, email] as const)
}

async function readGroupNames(
  db: Kysely<DB>,
  tenant: Tenant,
  directory: Pick<DirectorySync, 'id'>,
  ids: readonly string[],
) {
  const rows = await db
    .selectFrom('directory_groups')
    .where(ofTenant(tenant))
    .where('directory_id', '=', directory.id)
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .select(['id', 'display_name'])
    .execute()
  return rows.map(({ id, display_name: name }) => [id, name] as const)
}

/** The name that a request gives a user or group without an id, because it was not found or was refused. */
function nameIn({ query, request }: ScimRequest): string | undefined {
  const filter = new URLSearchParams(query).get('filter')
  if (filter !== null) return filter
  try {
    const body: unknown = JSON.parse(request ?? '')
    if (typeof body !== 'object' || body === null) return undefined
    const name = 'userName' in body ? body.userName : 'displayName' in body ? body.displayName : undefined
    return typeof name === 'string' ? name : undefined
  } catch {
    // A body is kept to its first 8,000 characters, which may be no JSON.
    return undefined
  }
}

import type { DeletedUser, PreloadQuery, User } from '@portico/contract/users'
import { sql, type Kysely } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import { statement } from '../../platform/db/statement.js'
import { findDirectoryAttributes } from './directory-attributes.js'
import { rolesOfUser } from './roles-of-user.js'
import { usersOf, type TenantKey } from './whole-user.js'

/**
 * Users with what their read asks for beside the records; deleted ones stay as they are. A read that asks for nothing costs
 * no statement.
 */
export async function withPreloads<Record extends User | DeletedUser>(
  db: Kysely<DB>,
  tenant: TenantKey,
  users: readonly Record[],
  { preload_associations: asked = [] }: PreloadQuery,
): Promise<Record[]> {
  if (asked.length === 0 || users.length === 0) return [...users]
  const wanted = { ...tenant, ids: users.map(({ id }) => id) }
  const [attributes, roles] = await Promise.all([
    asked.includes('directory_attributes') ? findDirectoryAttributes(db, wanted) : undefined,
    asked.includes('roles') ? namesByUser(db, wanted) : undefined,
  ])
  return users.map((user) => {
    if ('deleted' in user) return user
    return {
      ...user,
      ...(attributes && { directory_attributes: attributes.get(user.id) ?? null }),
      ...(roles && { roles: roles.get(user.id) ?? [] }),
    }
  })
}

type Wanted = TenantKey & { readonly ids: readonly string[] }

async function namesByUser(db: Kysely<DB>, wanted: Wanted): Promise<ReadonlyMap<string, string[]>> {
  const rows = await selectRoles(db, wanted)
  return new Map(rows.map(({ id, held }) => [id, [...new Set(held.map(({ name }) => name))].toSorted()]))
}

const selectRoles = statement((db, wanted: Wanted) =>
  usersOf(db, wanted)
    .where(sql<boolean>`users.id = any(${wanted.ids}::uuid[])`)
    .select(['users.id', rolesOfUser().as('held')]),
)

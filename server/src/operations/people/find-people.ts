import type { FoundPeople } from '@portico/contract/people'
import { sql } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import { statement } from '../../platform/db/statement.js'
import { isOrganizationOf, ofEnvironment } from '../../platform/db/tenant-predicate.js'
import type { Caller } from '../../platform/tenant.js'
import { toLookedUp, type LookedUp } from './address.js'

/** More than anybody is a member of. */
const mostFound = 50

/** The organizations of the caller's account in which users of their environment have an address. */
export async function findPeople(
  deps: Pick<Deps, 'db'>,
  caller: Caller,
  { email }: { readonly email: string },
): Promise<FoundPeople> {
  const rows = await selectUsers(deps.db, toLookedUp(caller, email))
  const data = rows.slice(0, mostFound).map((row) => ({ __type__: 'FoundPerson' as const, ...row }))
  return { __type__: 'FoundPeople', data, is_cut: rows.length > mostFound }
}

const selectUsers = statement((db, lookedUp: LookedUp) =>
  db
    .selectFrom('users')
    .innerJoin('organizations', (join) => join.on(isOrganizationOf('organizations', 'users')))
    .where(ofEnvironment(lookedUp, 'users'))
    .where('users.email_normalized', '=', lookedUp.email)
    .where('users.deleted_at', 'is', null)
    .where('organizations.deleted_at', 'is', null)
    .where(
      sql<boolean>`(${lookedUp.organizationIds}::uuid[] is null or organizations.id = any(${lookedUp.organizationIds}::uuid[]))`,
    )
    .select([
      'organizations.domain as org_domain',
      'organizations.name as org_name',
      'users.id as user_id',
      'users.active',
    ])
    .orderBy('organizations.domain')
    .limit(mostFound + 1),
)

import { getAccount } from '../accounts/list-accounts.js'
import { listTables } from '../../platform/db/tables.js'
import type { Deps } from '../../delivery/deps.js'
import type { Cause } from '../../platform/tenant.js'
import { deleteUser } from '../../directory/users/users.js'
import { erasePersons } from './erase.js'
import { findPerson, type PersonQuery } from './find-person.js'

interface ErasedPerson {
  readonly id: string
  /** Rows that were erased, by table. */
  readonly rows: Readonly<Record<string, number>>
}

/**
 * Erases one person at once: deletes the user, unless already deleted, and does what the purge would do later.
 *
 * @throws Error a sentence when there is no such user, or several have had the address.
 */
export async function eraseUser(deps: Deps, query: PersonQuery, cause: Cause): Promise<ErasedPerson> {
  const { persons, id, deletedAt } = await findPerson(deps, query)
  const { account, environment, organization: domain } = query
  if (deletedAt === null) {
    const { id: accountId } = await getAccount(deps, account)
    const tenant = { accountId, accountDomain: account, environment, domain, organizationIds: null, cause }
    await deleteUser(deps, tenant, id, undefined)
  }
  const rows: Record<string, number> = {}
  const childrenFirst = (await listTables(deps.db)).toReversed()
  await erasePersons(deps, cause, childrenFirst, persons, (table, count) => {
    rows[table] = (rows[table] ?? 0) + count
  })
  return { id, rows }
}

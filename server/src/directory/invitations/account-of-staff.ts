import type { Kysely } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import { lookup } from '../../platform/db/statement.js'
import type { Deps } from '../../delivery/deps.js'

/** The name of the account whose staff are the users of the organization; undefined of an organization of customers. */
export async function findAccountOfStaff(
  { db }: Pick<Deps, 'db'>,
  organizationDomain: string,
): Promise<string | undefined> {
  const [row] = await selectAccountOfStaff(db, { organizationDomain })
  return row?.domain
}

const selectAccountOfStaff = lookup((db, key: { readonly organizationDomain: string }) =>
  organizationsOfStaff(db)
    .select(['staff.account_id', 'accounts.domain'])
    .where('organizations.domain', '=', key.organizationDomain),
)

/** The organizations whose users are staff, with the accounts of which they are. */
export function organizationsOfStaff(db: Kysely<DB>) {
  return db
    .selectFrom('staff_organizations as staff')
    .innerJoin('accounts', 'accounts.id', 'staff.account_id')
    .innerJoin('organizations', (join) =>
      join
        .onRef('organizations.account_id', '=', 'staff.staff_account_id')
        .onRef('organizations.id', '=', 'staff.staff_organization_id'),
    )
}

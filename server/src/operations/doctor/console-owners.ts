import { sql } from 'kysely'
import { activeOwnersOf } from '../staff/owners.js'
import { maxNamed, type Finding, type Reader } from './finding.js'

/**
 * Accounts whose console nobody may give to others. On a service of this machine alone the next start prints a link; an account whose
 * console was never used is not among them.
 */
export async function examineConsoleOwners({ db, config }: Reader): Promise<Finding[]> {
  const check = 'Console'
  if (!config.isProduction)
    return [{ check, ok: true, detail: 'a start prints a link where there is no owner' }]
  const owners = activeOwnersOf(db, {
    staffAccountId: sql.ref('staff.staff_account_id'),
    organizationId: sql.ref('staff.staff_organization_id'),
  })
  // eslint-disable-next-line portico/tenant -- the doctor looks at every account
  const ownerless = await db
    .selectFrom('staff_organizations as staff')
    .innerJoin('accounts', 'accounts.id', 'staff.account_id')
    .where(({ not, exists }) => not(exists(owners.select('users.id'))))
    .select('accounts.domain')
    .orderBy('accounts.domain')
    .limit(maxNamed)
    .execute()
  if (ownerless.length === 0)
    return [{ check, ok: true, detail: 'every account with staff has an active owner' }]
  return ownerless.map(({ domain }) => ({
    check,
    ok: true,
    detail: `the console of ${domain} has no active owner`,
    remedy: `run portico console invite --account ${domain} --role owner --email <address>`,
  }))
}

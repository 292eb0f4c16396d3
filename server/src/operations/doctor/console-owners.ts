import type { StaffRole } from '@portico/contract/staff'
import { sql } from 'kysely'
import { staffEnvironment } from '../staff/staff-organization.js'
import { activeOwnersOf } from '../staff/owners.js'
import { maxNamed, type Finding, type Reader } from './finding.js'

/**
 * Accounts whose console nobody may give to others. On a service of this machine alone the next start prints a link; an account whose
 * console was never used is not among them.
 */
export async function examineConsoleOwners({ db, config, at }: Reader): Promise<Finding[]> {
  const check = 'Console'
  if (!config.isProduction)
    return [{ check, ok: true, detail: 'a start prints a link where there is no owner' }]
  const owners = activeOwnersOf(db, {
    staffAccountId: sql.ref('staff.staff_account_id'),
    organizationId: sql.ref('staff.staff_organization_id'),
  })
  const ownerless = await db
    .selectFrom('staff_organizations as staff')
    .innerJoin('accounts', 'accounts.id', 'staff.account_id')
    .where(({ not, exists }) => not(exists(owners.select('users.id'))))
    .select(({ exists, selectFrom }) => [
      'accounts.domain',
      exists(
        selectFrom('invitations')
          .innerJoin('roles', (join) =>
            join
              .onRef('roles.account_id', '=', 'invitations.account_id')
              .onRef('roles.environment', '=', 'invitations.environment')
              .on(sql<boolean>`roles.id = any(invitations.role_ids)`),
          )
          .whereRef('invitations.account_id', '=', 'staff.staff_account_id')
          .whereRef('invitations.organization_id', '=', 'staff.staff_organization_id')
          .where('invitations.environment', '=', staffEnvironment)
          .where('invitations.state', '=', 'pending')
          .where('invitations.expires_at', '>', at)
          .where('roles.name', '=', 'owner' satisfies StaffRole)
          .select('invitations.id'),
      ).as('is_invited'),
    ])
    .orderBy('accounts.domain')
    .limit(maxNamed)
    .execute()
  if (ownerless.length === 0)
    return [{ check, ok: true, detail: 'every account with staff has an active owner' }]
  return ownerless.map(({ domain, is_invited: isInvited }) => {
    const detail = `the console of ${domain} has no active owner`
    // Another invitation would not help those who have one.
    if (isInvited === true) return { check, ok: true, detail: `${detail}, and one is invited` }
    const remedy = `run portico console invite --account ${domain} --role owner --email <address>`
    return { check, ok: true, detail, remedy }
  })
}

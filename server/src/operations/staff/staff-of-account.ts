import { PageQuery } from '@portico/contract/fields'
import type { StaffInvitation, StaffMember } from '@portico/contract/staff'
import { normalizeEmail } from '../../platform/email.js'
import type { Caller } from '../../platform/tenant.js'
import type { Deps } from '../../delivery/deps.js'
import { hasActiveOwner } from './owners.js'
import { listStaffInvitations } from './staff-invitations.js'
import { findStaffOrganization } from './staff-organization.js'
import { listStaff } from './staff.js'

const mostShown = 100

/** The staff of an account as an operator lists them: the newest hundred, and as many that are invited. */
export async function listAllStaff(
  deps: Pick<Deps, 'readDb' | 'now'>,
  caller: Caller,
): Promise<{ readonly members: readonly StaffMember[]; readonly invitations: readonly StaffInvitation[] }> {
  const query = PageQuery.parse({ per_page: mostShown })
  const [{ data: members }, { data: invitations }] = await Promise.all([
    listStaff(deps, caller, query),
    listStaffInvitations(deps, caller, query),
  ])
  return { members, invitations }
}

/**
 * The member of staff with an address.
 *
 * @throws Error a sentence when there is none.
 */
export async function getStaffByEmail(
  deps: Pick<Deps, 'readDb' | 'now'>,
  caller: Caller,
  email: string,
): Promise<StaffMember> {
  const { members } = await listAllStaff(deps, caller)
  const member = members.find((each) => normalizeEmail(each.email) === normalizeEmail(email))
  if (member !== undefined) return member
  throw new Error(
    `${email} is not among the staff of ${caller.accountDomain}: portico console list --account ${caller.accountDomain} shows it.`,
  )
}

/** Whether the account of a caller has somebody who may change its staff. */
export async function hasActiveOwnerOf(
  { db }: Pick<Deps, 'db'>,
  { accountId }: Pick<Caller, 'accountId'>,
): Promise<boolean> {
  const staff = await findStaffOrganization({ db }, accountId)
  return staff !== undefined && hasActiveOwner(db, staff)
}

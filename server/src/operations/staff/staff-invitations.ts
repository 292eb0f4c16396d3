import type { PageQuery } from '@portico/contract/fields'
import { NewInvitation } from '@portico/contract/invitations'
import type { NewStaffInvitation, StaffInvitation } from '@portico/contract/staff'
import { emptyPage, type Page } from '../../platform/db/page.js'
import { ApiError } from '../../platform/errors.js'
import type { Caller, Tenant } from '../../platform/tenant.js'
import type { Deps } from '../../delivery/deps.js'
import { change, type Changed } from '../../delivery/events/change.js'
import { createHandedInvitation, createInvitation } from '../../directory/invitations/create-invitation.js'
import { listInvitations, revokeInvitation } from '../../directory/invitations/invitations.js'
import { toStaffInvitation } from './record.js'
import { plain } from './staff.js'
import {
  ensureStaffOrganization,
  findStaffOrganization,
  staffTenant,
  type StaffOrganization,
} from './staff-organization.js'

/** The pending invitations to the staff of the caller's account. */
export async function listStaffInvitations(
  deps: Pick<Deps, 'readDb' | 'now'>,
  caller: Caller,
  query: PageQuery,
): Promise<Page<StaffInvitation>> {
  const staff = await findStaffOrganization({ db: deps.readDb }, caller.accountId)
  if (staff === undefined) return emptyPage(query)
  // Its own environment is production, whichever the query names.
  const { environment: _environment, ...pageQuery } = query
  const tenant = staffTenant(staff, caller.cause)
  const page = await listInvitations(deps, tenant, { ...pageQuery, state: 'pending', email: undefined })
  return { ...page, data: page.data.map((each) => toStaffInvitation(each, caller.accountDomain)) }
}

/**
 * Invites an address to the staff of the caller's account, by a mail.
 *
 * @throws ApiError `email_domain_not_allowed`, `seats_exhausted`, `invitation_taken`, `already_member`, `invitations_exhausted`,
 *   `rate_limited`
 */
export async function inviteStaff(
  deps: Deps,
  caller: Caller,
  { email, roles }: NewStaffInvitation,
): Promise<Changed<StaffInvitation>> {
  const staff = await ensureStaffOrganization(deps, caller.accountId)
  const input = NewInvitation.parse({ email, roles: [...new Set(roles)] })
  return change(deps, caller.cause, async (trx) => {
    const created = await createInvitation({ ...deps, db: trx }, inviterOf(caller, staff), input)
    const { record, limit } = created
    return {
      record: toStaffInvitation(record, caller.accountDomain),
      ...(limit !== undefined && { limit }),
    }
  })
}

/**
 * The same by an operator, who hands the link over: who has the database knows whom they invite, so the link proves the mailbox as
 * a mailed one does.
 *
 * @returns The link.
 * @throws ApiError As inviteStaff() does.
 */
export async function makeStaffLink(
  deps: Deps,
  caller: Caller,
  { email, roles }: NewStaffInvitation,
): Promise<string> {
  const staff = await ensureStaffOrganization(deps, caller.accountId)
  const input = NewInvitation.parse({ email, roles: [...new Set(roles)] })
  const handed = { ...input, send_email: false } as const
  const { record } = await createHandedInvitation(deps, inviterOf(caller, staff), handed)
  if (record.invitation_url === null) throw new Error('an invitation without a mail has no link')
  return record.invitation_url
}

/** @throws ApiError `invitation_not_found`, `invitation_not_pending` */
export function revokeStaffInvitation(
  deps: Deps,
  caller: Caller,
  id: string,
): Promise<Changed<StaffInvitation>> {
  return change(deps, caller.cause, async (trx) => {
    const staff = await findStaffOrganization({ db: trx }, caller.accountId)
    if (staff === undefined) throw new ApiError('invitation_not_found')
    const tenant = staffTenant(staff, plain(caller.cause))
    const { record } = await revokeInvitation({ ...deps, db: trx }, tenant, id, undefined)
    return { record: toStaffInvitation(record, caller.accountDomain) }
  })
}

/** A caller that may change the staff gives any role. */
function inviterOf(caller: Caller, staff: StaffOrganization): Caller & Tenant {
  return { ...staffTenant(staff, plain(caller.cause)), id: caller.id, scopes: ['write:roles'] }
}

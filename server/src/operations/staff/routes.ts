import { staff, staffInvitations } from '@portico/contract/staff'
import { initServer } from '@ts-rest/express'
import type { Deps } from '../../delivery/deps.js'
import { created, deleted, listed, ok } from '../../delivery/events/answer.js'
import { callerOf } from '../../delivery/request-context.js'
import { endSessionsOfStaff, getStaff, listStaff, removeStaff, setRoleOfStaff } from './staff.js'
import { inviteStaff, listStaffInvitations, revokeStaffInvitation } from './staff-invitations.js'

const s = initServer()

export function staffRoutes(deps: Deps) {
  return s.router(staff, {
    list: async ({ req, query }) => listed(await listStaff(deps, callerOf(req), query)),
    get: async ({ req, res, params }) => ok(res, await getStaff(deps, callerOf(req), params.staff_id)),
    setRole: async ({ req, res, params: { staff_id: id }, body }) =>
      ok(res, await setRoleOfStaff(deps, callerOf(req), { ...body, id })),
    endSessions: async ({ req, res, params }) =>
      ok(res, await endSessionsOfStaff(deps, callerOf(req), params.staff_id)),
    remove: async ({ req, res, params }) =>
      deleted(res, await removeStaff(deps, callerOf(req), params.staff_id)),
  })
}

export function staffInvitationRoutes(deps: Deps) {
  return s.router(staffInvitations, {
    list: async ({ req, query }) => listed(await listStaffInvitations(deps, callerOf(req), query)),
    invite: async ({ req, res, body }) => created(res, await inviteStaff(deps, callerOf(req), body)),
    revoke: async ({ req, res, params }) =>
      ok(res, await revokeStaffInvitation(deps, callerOf(req), params.invitation_id)),
  })
}

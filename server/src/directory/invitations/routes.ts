import { contract } from '@portico/contract/contract'
import { initServer } from '@ts-rest/express'
import type { Deps } from '../../delivery/deps.js'
import { created, listed, ok, versionsOf } from '../../delivery/events/answer.js'
import { callerOf, tenantOf } from '../../delivery/request-context.js'
import { createInvitation } from './create-invitation.js'
import {
  getInvitation,
  listInvitations,
  resendInvitation,
  revokeInvitation,
  updateInvitation,
} from './invitations.js'

const s = initServer()

export function invitationRoutes(deps: Deps) {
  return s.router(contract.invitations, {
    create: async ({ req, res, body }) =>
      created(res, await createInvitation(deps, { ...callerOf(req), ...tenantOf(req) }, body)),
    list: async ({ req, query }) => listed(await listInvitations(deps, tenantOf(req), query)),
    get: async ({ req, res, params }) =>
      ok(res, await getInvitation(deps, tenantOf(req), params.invitation_id)),
    update: async ({ req, res, params: { invitation_id: id }, body: input, headers }) =>
      ok(
        res,
        await updateInvitation(
          deps,
          { ...callerOf(req), ...tenantOf(req) },
          { id, input },
          versionsOf(headers),
        ),
      ),
    resend: async ({ req, res, params }) =>
      ok(res, await resendInvitation(deps, tenantOf(req), params.invitation_id)),
    revoke: async ({ req, res, params, headers }) =>
      ok(res, await revokeInvitation(deps, tenantOf(req), params.invitation_id, versionsOf(headers))),
  })
}

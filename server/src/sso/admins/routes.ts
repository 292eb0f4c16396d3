import { contract } from '@portico/contract/contract'
import { initServer } from '@ts-rest/express'
import type { Deps } from '../../delivery/deps.js'
import { created, deleted, listed } from '../../delivery/events/answer.js'
import { tenantOf } from '../../delivery/request-context.js'
import { deleteAdmin, inviteAdmin, listAdmins } from './admins.js'

const s = initServer()

export function adminRoutes(deps: Deps) {
  return s.router(contract.admins, {
    invite: async ({ req, res, body }) => created(res, await inviteAdmin(deps, tenantOf(req), body)),
    list: async ({ req, query }) => listed(await listAdmins(deps, tenantOf(req), query)),
    delete: async ({ req, res, params }) =>
      deleted(res, await deleteAdmin(deps, tenantOf(req), params.email)),
  })
}

import { contract } from '@portico/contract/contract'
import { initServer } from '@ts-rest/express'
import type { Deps } from '../../delivery/deps.js'
import { listed, ok, versionsOf } from '../../delivery/events/answer.js'
import { callerOf, tenantOf } from '../../delivery/request-context.js'
import { approveJoinRequest, denyJoinRequest, getJoinRequest, listJoinRequests } from './join-requests.js'

const s = initServer()

export function joinRequestRoutes(deps: Deps) {
  return s.router(contract.joinRequests, {
    list: async ({ req, query }) => listed(await listJoinRequests(deps, tenantOf(req), query)),
    get: async ({ req, res, params: { join_request_id: id } }) =>
      ok(res, await getJoinRequest(deps, tenantOf(req), id)),
    approve: async ({ req, res, params: { join_request_id: id }, body, headers }) => {
      const caller = { ...callerOf(req), ...tenantOf(req) }
      return ok(res, await approveJoinRequest(deps, caller, body, { id, versions: versionsOf(headers) }))
    },
    deny: async ({ req, res, params: { join_request_id: id }, headers }) =>
      ok(res, await denyJoinRequest(deps, tenantOf(req), { id, versions: versionsOf(headers) })),
  })
}

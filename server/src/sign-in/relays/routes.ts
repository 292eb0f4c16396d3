import { contract } from '@portico/contract/contract'
import { initServer } from '@ts-rest/express'
import type { Deps } from '../../delivery/deps.js'
import { created, deleted, listed, ok, versionsOf } from '../../delivery/events/answer.js'
import { callerOf } from '../../delivery/request-context.js'
import { createRelay, deleteRelay, getRelay, listRelays, updateRelay } from './relays.js'
import { requestRelay } from './request.js'

const s = initServer()

export function relayRoutes(deps: Deps) {
  return s.router(contract.relays, {
    create: async ({ req, res, body }) => created(res, await createRelay(deps, callerOf(req), body)),
    list: async ({ req, query }) => listed(await listRelays(deps, callerOf(req), query)),
    get: async ({ req, res, params }) => ok(res, await getRelay(deps, callerOf(req), params.relay_id)),
    update: async ({ req, res, params, body, headers }) =>
      ok(res, await updateRelay(deps, callerOf(req), params.relay_id, body, versionsOf(headers))),
    delete: async ({ req, res, params, headers }) =>
      deleted(res, await deleteRelay(deps, callerOf(req), params.relay_id, versionsOf(headers))),
    request: async ({ req, res, params, body }) =>
      created(res, await requestRelay(deps, callerOf(req), params.relay_id, body)),
  })
}

import { contract } from '@portico/contract/contract'
import { initServer } from '@ts-rest/express'
import type { Deps } from '../../delivery/deps.js'
import { deleted, listed } from '../../delivery/events/answer.js'
import { tenantOf } from '../../delivery/request-context.js'
import { endUserSession, endUserSessions, listSessions } from './sessions.js'

const s = initServer()

export function sessionRoutes(deps: Deps) {
  return s.router(contract.sessions, {
    list: async ({ req, params, query }) =>
      listed(await listSessions(deps, tenantOf(req), params.user_id, query)),
    endAll: async ({ req, res, params }) =>
      deleted(res, await endUserSessions(deps, tenantOf(req), params.user_id)),
    end: async ({ req, res, params: { user_id: userId, session_id: sessionId } }) =>
      deleted(res, await endUserSession(deps, tenantOf(req), { userId, sessionId })),
  })
}

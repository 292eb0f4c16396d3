import { contract } from '@portico/contract/contract'
import { initServer } from '@ts-rest/express'
import type { Deps } from '../../delivery/deps.js'
import { created, ok, versionsOf } from '../../delivery/events/answer.js'
import { callerOf, tenantOf } from '../../delivery/request-context.js'
import { createMagicLinkChallenge } from './challenge.js'
import { getMagicLinkConnection, updateMagicLinkConnection } from './connection.js'

const s = initServer()

export function magicLinkRoutes(deps: Deps) {
  return s.router(contract.magicLink, {
    createChallenge: async ({ req, res, body }) =>
      created(res, await createMagicLinkChallenge(deps, callerOf(req), body)),
    getConnection: async ({ req, res }) => ok(res, await getMagicLinkConnection(deps, tenantOf(req))),
    updateConnection: async ({ req, res, body, headers }) =>
      ok(res, await updateMagicLinkConnection(deps, tenantOf(req), body, versionsOf(headers))),
  })
}

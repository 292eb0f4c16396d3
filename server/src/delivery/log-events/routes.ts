import { contract } from '@portico/contract/contract'
import { initServer } from '@ts-rest/express'
import type { Deps } from '../deps.js'
import { tenantOf } from '../request-context.js'
import { listLogEvents } from './log-events.js'

const s = initServer()

export function logEventRoutes(deps: Deps) {
  return s.router(contract.logEvents, {
    list: async ({ req, query }) => ({ status: 200, body: await listLogEvents(deps, tenantOf(req), query) }),
  })
}

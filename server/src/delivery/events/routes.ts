import { recentEvents } from '@portico/contract/recent-events'
import { contract } from '@portico/contract/contract'
import { initServer } from '@ts-rest/express'
import type { Deps } from '../deps.js'
import { callerOf } from '../request-context.js'
import { readEvents } from './events.js'
import { listRecentEvents } from './recent-events.js'

const s = initServer()

export function eventRoutes(deps: Deps) {
  return s.router(contract.events, {
    list: async ({ req, query }) => ({ status: 200, body: await readEvents(deps, callerOf(req), query) }),
  })
}

export function recentEventRoutes(deps: Deps) {
  return s.router(recentEvents, {
    list: async ({ req, query }) => ({
      status: 200,
      body: await listRecentEvents(deps, callerOf(req), query),
    }),
  })
}

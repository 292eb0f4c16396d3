import { contract } from '@portico/contract/contract'
import { initServer } from '@ts-rest/express'
import type { Deps } from '../deps.js'
import { callerOf, tenantOf } from '../request-context.js'
import { listLogEvents, listLogEventsOfAccount } from './log-events.js'

const s = initServer()

export function logEventRoutes(deps: Deps) {
  return s.router(contract.logEvents, {
    list: async ({ req, query }) => ({ status: 200, body: await listLogEvents(deps, tenantOf(req), query) }),
    listOfAccount: async ({ req, query }) => ({
      status: 200,
      body: await listLogEventsOfAccount(deps, callerOf(req), query),
    }),
  })
}

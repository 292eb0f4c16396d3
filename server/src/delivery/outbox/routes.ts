import { contract } from '@portico/contract/contract'
import { initServer } from '@ts-rest/express'
import type { Deps } from '../deps.js'
import { callerOf } from '../request-context.js'
import { listOutbox } from './outbox.js'

const s = initServer()

export function outboxRoutes(deps: Deps) {
  return s.router(contract.outbox, {
    list: async ({ req, query }) => ({ status: 200, body: await listOutbox(deps, callerOf(req), query) }),
  })
}

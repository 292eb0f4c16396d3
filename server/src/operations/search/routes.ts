import { records } from '@portico/contract/found-records'
import { initServer } from '@ts-rest/express'
import type { Deps } from '../../delivery/deps.js'
import { callerOf } from '../../delivery/request-context.js'
import { findRecords } from './search.js'

const s = initServer()

export function recordRoutes(deps: Deps) {
  return s.router(records, {
    find: async ({ req, query }) => ({ status: 200, body: await findRecords(deps, callerOf(req), query.id) }),
  })
}

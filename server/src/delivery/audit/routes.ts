import { audit } from '@portico/contract/audit'
import { initServer } from '@ts-rest/express'
import type { Deps } from '../deps.js'
import { callerOf } from '../request-context.js'
import { listAudit } from './list-audit.js'

const s = initServer()

export function auditRoutes(deps: Deps) {
  return s.router(audit, {
    list: async ({ req, query }) => ({ status: 200, body: await listAudit(deps, callerOf(req), query) }),
  })
}

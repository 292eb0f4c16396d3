import { contract } from '@portico/contract/contract'
import { initServer } from '@ts-rest/express'
import type { Deps } from '../../delivery/deps.js'
import { created, deleted, listed } from '../../delivery/events/answer.js'
import { tenantOf } from '../../delivery/request-context.js'
import { createImpersonation } from './impersonation.js'
import { endImpersonation, listImpersonations } from './impersonations.js'

const s = initServer()

export function impersonationRoutes(deps: Deps) {
  return s.router(contract.impersonations, {
    create: async ({ req, res, params, body }) =>
      created(res, await createImpersonation(deps, tenantOf(req), params.user_id, body)),
    list: async ({ req, params, query }) =>
      listed(await listImpersonations(deps, tenantOf(req), params.user_id, query)),
    end: async ({ req, res, params: { user_id: userId, impersonation_id: impersonationId } }) =>
      deleted(res, await endImpersonation(deps, tenantOf(req), { userId, impersonationId })),
  })
}

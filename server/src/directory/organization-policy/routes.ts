import { contract } from '@portico/contract/contract'
import { initServer } from '@ts-rest/express'
import type { Deps } from '../../delivery/deps.js'
import { ok, versionsOf } from '../../delivery/events/answer.js'
import { callerOf, tenantOf } from '../../delivery/request-context.js'
import { getOrganizationPolicy, updatePolicyAs } from './organization-policy.js'

const s = initServer()

export function organizationPolicyRoutes(deps: Deps) {
  return s.router(contract.organizationPolicy, {
    get: async ({ req, res }) => ok(res, await getOrganizationPolicy(deps, tenantOf(req))),
    update: async ({ req, res, body, headers }) => {
      const caller = { ...callerOf(req), ...tenantOf(req) }
      return ok(res, await updatePolicyAs(deps, caller, body, versionsOf(headers)))
    },
  })
}

import { contract } from '@portico/contract/contract'
import { initServer } from '@ts-rest/express'
import type { Deps } from '../../delivery/deps.js'
import { ok, versionsOf } from '../../delivery/events/answer.js'
import { tenantOf } from '../../delivery/request-context.js'
import { getOrganizationPolicy, updateOrganizationPolicy } from './organization-policy.js'

const s = initServer()

export function organizationPolicyRoutes(deps: Deps) {
  return s.router(contract.organizationPolicy, {
    get: async ({ req, res }) => ok(res, await getOrganizationPolicy(deps, tenantOf(req))),
    update: async ({ req, res, body, headers }) =>
      ok(res, await updateOrganizationPolicy(deps, tenantOf(req), body, versionsOf(headers))),
  })
}

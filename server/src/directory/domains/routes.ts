import { contract } from '@portico/contract/contract'
import { initServer } from '@ts-rest/express'
import type { Deps } from '../../delivery/deps.js'
import { created, deleted, listed, ok, versionsOf } from '../../delivery/events/answer.js'
import { tenantOf } from '../../delivery/request-context.js'
import { checkDomain } from './check.js'
import { createDomain, deleteDomain, getDomain, listDomains, updateDomain } from './domains.js'

const s = initServer()

export function domainRoutes(deps: Deps) {
  return s.router(contract.domains, {
    create: async ({ req, res, body }) => created(res, await createDomain(deps, tenantOf(req), body)),
    list: async ({ req, query }) => listed(await listDomains(deps, tenantOf(req), query)),
    get: async ({ req, res, params }) => ok(res, await getDomain(deps, tenantOf(req), params.domain_id)),
    update: async ({ req, res, params: { domain_id: id }, body: input, headers }) =>
      ok(res, await updateDomain(deps, tenantOf(req), { id, input }, versionsOf(headers))),
    delete: async ({ req, res, params, headers }) =>
      deleted(res, await deleteDomain(deps, tenantOf(req), params.domain_id, versionsOf(headers))),
    check: async ({ req, res, params }) => ok(res, await checkDomain(deps, tenantOf(req), params.domain_id)),
  })
}

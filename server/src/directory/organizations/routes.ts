import { contract } from '@portico/contract/contract'
import { initServer } from '@ts-rest/express'
import type { Deps } from '../../delivery/deps.js'
import { created, deleted, listed, ok, versionsOf } from '../../delivery/events/answer.js'
import { callerOf, tenantOf } from '../../delivery/request-context.js'
import {
  createOrganization,
  deleteOrganization,
  getOrganization,
  listOrganizations,
  updateOrganization,
} from './organizations.js'

const s = initServer()

export function organizationRoutes(deps: Deps) {
  return s.router(contract.organizations, {
    list: async ({ req, query }) => listed(await listOrganizations(deps, callerOf(req), query)),
    create: async ({ req, res, body }) => created(res, await createOrganization(deps, callerOf(req), body)),
    get: async ({ req, res }) => ok(res, await getOrganization(deps, tenantOf(req))),
    update: async ({ req, res, body, headers }) =>
      ok(res, await updateOrganization(deps, tenantOf(req), body, versionsOf(headers))),
    delete: async ({ req, res, headers }) =>
      deleted(res, await deleteOrganization(deps, tenantOf(req), versionsOf(headers))),
  })
}

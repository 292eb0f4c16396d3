import { contract } from '@portico/contract/contract'
import { initServer } from '@ts-rest/express'
import type { Deps } from '../../delivery/deps.js'
import { created, deleted, listed, ok, versionsOf } from '../../delivery/events/answer.js'
import { callerOf, tenantOf } from '../../delivery/request-context.js'
import { listApplicationsOfAccount } from './account-applications.js'
import {
  createApplication,
  deleteApplication,
  getApplication,
  listApplications,
  updateApplication,
} from './applications.js'

const s = initServer()

export function applicationRoutes(deps: Deps) {
  return s.router(contract.applications, {
    create: async ({ req, res, body }) => created(res, await createApplication(deps, tenantOf(req), body)),
    list: async ({ req, query }) => listed(await listApplications(deps, tenantOf(req), query)),
    listOfAccount: async ({ req, query }) =>
      listed(await listApplicationsOfAccount(deps, callerOf(req), query)),
    get: async ({ req, res, params }) => ok(res, await getApplication(deps, tenantOf(req), params.client_id)),
    update: async ({ req, res, params, body, headers }) =>
      ok(res, await updateApplication(deps, tenantOf(req), params.client_id, body, versionsOf(headers))),
    delete: async ({ req, res, params, headers }) =>
      deleted(res, await deleteApplication(deps, tenantOf(req), params.client_id, versionsOf(headers))),
  })
}

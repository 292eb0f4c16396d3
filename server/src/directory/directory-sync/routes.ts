import { contract } from '@portico/contract/contract'
import { initServer } from '@ts-rest/express'
import type { Deps } from '../../delivery/deps.js'
import { created, deleted, listed, ok, versionsOf } from '../../delivery/events/answer.js'
import { callerOf, tenantOf } from '../../delivery/request-context.js'
import {
  createDirectorySync,
  deleteDirectorySync,
  getDirectorySync,
  resetDirectorySync,
  updateDirectorySync,
} from './directory-sync.js'
import { listScimRequests } from './requests.js'

const s = initServer()

export function directorySyncRoutes(deps: Deps) {
  return s.router(contract.directorySync, {
    create: async ({ req, res, body }) =>
      created(res, await createDirectorySync(deps, { ...callerOf(req), ...tenantOf(req) }, body)),
    get: async ({ req, res }) => ok(res, await getDirectorySync(deps, tenantOf(req))),
    update: async ({ req, res, body, headers }) =>
      ok(
        res,
        await updateDirectorySync(deps, { ...callerOf(req), ...tenantOf(req) }, body, versionsOf(headers)),
      ),
    delete: async ({ req, res, headers }) =>
      deleted(res, await deleteDirectorySync(deps, tenantOf(req), versionsOf(headers))),
    reset: async ({ req, res, headers }) =>
      ok(res, await resetDirectorySync(deps, tenantOf(req), versionsOf(headers))),
    listRequests: async ({ req, query }) => listed(await listScimRequests(deps, tenantOf(req), query)),
  })
}

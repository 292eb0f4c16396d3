import { contract } from '@portico/contract/contract'
import { initServer } from '@ts-rest/express'
import type { Deps } from '../../delivery/deps.js'
import { created, ok, versionsOf } from '../../delivery/events/answer.js'
import { callerOf, tenantOf } from '../../delivery/request-context.js'
import { createPasswordChallenge } from './challenge.js'
import { createPasswordConnection, getPasswordConnection, updatePasswordConnection } from './connection.js'
import { createPasswordRequest } from './request.js'
import { setPassword } from './set-password.js'

const s = initServer()

export function passwordRoutes(deps: Deps) {
  return s.router(contract.password, {
    createConnection: async ({ req, res, body }) =>
      created(res, await createPasswordConnection(deps, tenantOf(req), body)),
    getConnection: async ({ req, res }) => ok(res, await getPasswordConnection(deps, tenantOf(req))),
    updateConnection: async ({ req, res, body, headers }) =>
      ok(res, await updatePasswordConnection(deps, tenantOf(req), body, versionsOf(headers))),
    createRequest: async ({ req, res, body }) =>
      created(res, await createPasswordRequest(deps, callerOf(req), body)),
    createChallenge: async ({ req, res, body }) =>
      created(res, await createPasswordChallenge(deps, callerOf(req), body)),
    set: async ({ req, res, body }) => created(res, await setPassword(deps, callerOf(req), body)),
  })
}

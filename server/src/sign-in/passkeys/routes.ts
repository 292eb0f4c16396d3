import { contract } from '@portico/contract/contract'
import { initServer } from '@ts-rest/express'
import type { Deps } from '../../delivery/deps.js'
import { created, deleted, listed, ok, versionsOf } from '../../delivery/events/answer.js'
import { callerOf, tenantOf } from '../../delivery/request-context.js'
import { createPasskeyChallenge, validatePasskeyChallenge } from './challenge.js'
import { getPasskeyConnection, updatePasskeyConnection } from './connection.js'
import { getPasskey, listPasskeys, removePasskey, renamePasskey } from './passkeys.js'
import { completePasskeyRegistration, createPasskeyRegistration } from './registration.js'
import { openPasskeyRecovery } from './recovery.js'

const s = initServer()

export function passkeyRoutes(deps: Deps) {
  return s.router(contract.passkeys, {
    getConnection: async ({ req, res }) => ok(res, await getPasskeyConnection(deps, tenantOf(req))),
    updateConnection: async ({ req, res, body, headers }) =>
      ok(res, await updatePasskeyConnection(deps, tenantOf(req), body, versionsOf(headers))),
    list: async ({ req, params, query }) =>
      listed(await listPasskeys(deps, tenantOf(req), params.user_id, query)),
    openRecovery: async ({ req, res, params: { user_id: userId }, body }) =>
      created(res, await openPasskeyRecovery(deps, tenantOf(req), { userId, ...body })),
    get: async ({ req, res, params: { user_id: userId, passkey_id: id } }) =>
      ok(res, await getPasskey(deps, tenantOf(req), { userId, id })),
    update: async ({ req, res, params: { user_id: userId, passkey_id: id }, body, headers }) =>
      ok(res, await renamePasskey(deps, tenantOf(req), { userId, id, ...body }, versionsOf(headers))),
    delete: async ({ req, res, params: { user_id: userId, passkey_id: id }, headers }) =>
      deleted(res, await removePasskey(deps, tenantOf(req), { userId, id }, versionsOf(headers))),
    createRegistration: async ({ req, res, body }) =>
      created(res, await createPasskeyRegistration(deps, tenantOf(req), body)),
    completeRegistration: async ({ req, res, params: { registration_id: id }, body }) =>
      ok(res, await completePasskeyRegistration(deps, tenantOf(req), { id, ...body })),
    createChallenge: async ({ req, res, body }) =>
      created(res, await createPasskeyChallenge(deps, callerOf(req), body)),
    validateChallenge: async ({ req, res, body }) =>
      ok(res, await validatePasskeyChallenge(deps, callerOf(req), body)),
  })
}

import { contract } from '@portico/contract/contract'
import { initServer } from '@ts-rest/express'
import type { Deps } from '../../delivery/deps.js'
import { deleted, listed, ok, versionsOf } from '../../delivery/events/answer.js'
import { tenantOf } from '../../delivery/request-context.js'
import { getPasskeyConnection, updatePasskeyConnection } from './connection.js'
import { getPasskey, listPasskeys, removePasskey, renamePasskey } from './passkeys.js'

const s = initServer()

export function passkeyRoutes(deps: Deps) {
  return s.router(contract.passkeys, {
    getConnection: async ({ req, res }) => ok(res, await getPasskeyConnection(deps, tenantOf(req))),
    updateConnection: async ({ req, res, body, headers }) =>
      ok(res, await updatePasskeyConnection(deps, tenantOf(req), body, versionsOf(headers))),
    list: async ({ req, params, query }) =>
      listed(await listPasskeys(deps, tenantOf(req), params.user_id, query)),
    get: async ({ req, res, params: { user_id: userId, passkey_id: id } }) =>
      ok(res, await getPasskey(deps, tenantOf(req), { userId, id })),
    update: async ({ req, res, params: { user_id: userId, passkey_id: id }, body, headers }) =>
      ok(res, await renamePasskey(deps, tenantOf(req), { userId, id, ...body }, versionsOf(headers))),
    delete: async ({ req, res, params: { user_id: userId, passkey_id: id }, headers }) =>
      deleted(res, await removePasskey(deps, tenantOf(req), { userId, id }, versionsOf(headers))),
  })
}

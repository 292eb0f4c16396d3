import { apiKeys } from '@portico/contract/api-key-routes'
import { initServer } from '@ts-rest/express'
import type { Deps } from '../../delivery/deps.js'
import { created, listed, ok } from '../../delivery/events/answer.js'
import { callerOf } from '../../delivery/request-context.js'
import {
  createAccountKey,
  getAccountKey,
  listAccountKeys,
  revokeAccountKey,
  rotateAccountKey,
} from './account-keys.js'

const s = initServer()

export function apiKeyRoutes(deps: Deps) {
  return s.router(apiKeys, {
    create: async ({ req, res, body }) => created(res, await createAccountKey(deps, callerOf(req), body)),
    list: async ({ req, query }) => listed(await listAccountKeys(deps, callerOf(req), query)),
    get: async ({ req, res, params }) => ok(res, await getAccountKey(deps, callerOf(req), params.api_key_id)),
    rotate: async ({ req, res, params, body }) =>
      ok(res, await rotateAccountKey(deps, callerOf(req), params.api_key_id, body)),
    revoke: async ({ req, res, params }) =>
      ok(res, await revokeAccountKey(deps, callerOf(req), params.api_key_id)),
  })
}

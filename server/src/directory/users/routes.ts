import { contract } from '@portico/contract/contract'
import { initServer } from '@ts-rest/express'
import type { Deps } from '../../delivery/deps.js'
import { created, deleted, listed, ok, versionsOf } from '../../delivery/events/answer.js'
import { tenantOf } from '../../delivery/request-context.js'
import { removeUserMetadata, setUserMetadata } from './metadata.js'
import { createUser, deleteUser, getUser, getUserByEmail, listUsers, updateUser } from './users.js'

const s = initServer()

export function userRoutes(deps: Deps) {
  return s.router(contract.users, {
    create: async ({ req, res, body }) => created(res, await createUser(deps, tenantOf(req), body)),
    list: async ({ req, query }) => listed(await listUsers(deps, tenantOf(req), query)),
    get: async ({ req, res, params, query }) =>
      ok(res, await getUser(deps, tenantOf(req), params.user_id, query)),
    getByEmail: async ({ req, res, params, query }) =>
      ok(res, await getUserByEmail(deps, tenantOf(req), params.user_email, query)),
    update: async ({ req, res, params, body, headers }) =>
      ok(res, await updateUser(deps, tenantOf(req), params.user_id, body, versionsOf(headers))),
    delete: async ({ req, res, params, headers }) =>
      deleted(res, await deleteUser(deps, tenantOf(req), params.user_id, versionsOf(headers))),
    addMetadata: async ({ req, res, params, body, headers }) =>
      ok(
        res,
        await setUserMetadata(
          deps,
          tenantOf(req),
          { ...body, userId: params.user_id, valuePath: 'value' },
          versionsOf(headers),
        ),
      ),
    removeMetadata: async ({ req, res, params, body, headers }) =>
      ok(
        res,
        await removeUserMetadata(
          deps,
          tenantOf(req),
          { ...body, userId: params.user_id },
          versionsOf(headers),
        ),
      ),
  })
}

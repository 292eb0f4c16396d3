import { contract } from '@portico/contract/contract'
import { initServer } from '@ts-rest/express'
import type { Deps } from '../../delivery/deps.js'
import { created, deleted, listed, ok, versionsOf } from '../../delivery/events/answer.js'
import { callerOf, tenantOf } from '../../delivery/request-context.js'
import { checkSocialProvider } from './check-provider.js'
import { getSocialConnection, updateSocialConnection } from './connection.js'
import {
  createSocialProvider,
  deleteSocialProvider,
  getSocialProvider,
  listSocialProviders,
  updateSocialProvider,
} from './providers.js'

const s = initServer()

export function socialProviderRoutes(deps: Deps) {
  return s.router(contract.socialProviders, {
    create: async ({ req, res, body }) => created(res, await createSocialProvider(deps, callerOf(req), body)),
    list: async ({ req, query }) => listed(await listSocialProviders(deps, callerOf(req), query)),
    get: async ({ req, res, params }) =>
      ok(res, await getSocialProvider(deps, callerOf(req), params.provider_id)),
    update: async ({ req, res, params: { provider_id: id }, body, headers }) =>
      ok(res, await updateSocialProvider(deps, callerOf(req), id, body, versionsOf(headers))),
    check: async ({ req, res, params }) =>
      ok(res, await checkSocialProvider(deps, callerOf(req), params.provider_id)),
    delete: async ({ req, res, params: { provider_id: id }, body, headers }) =>
      deleted(res, await deleteSocialProvider(deps, callerOf(req), { ...body, id }, versionsOf(headers))),
  })
}

export function socialConnectionRoutes(deps: Deps) {
  return s.router(contract.socialConnection, {
    get: async ({ req, res }) => ok(res, await getSocialConnection(deps, tenantOf(req))),
    update: async ({ req, res, body, headers }) =>
      ok(res, await updateSocialConnection(deps, tenantOf(req), body, versionsOf(headers))),
  })
}

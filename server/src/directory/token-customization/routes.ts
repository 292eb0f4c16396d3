import { contract } from '@portico/contract/contract'
import { initServer } from '@ts-rest/express'
import type { Deps } from '../../delivery/deps.js'
import { created, deleted, listed, ok, versionsOf } from '../../delivery/events/answer.js'
import { tenantOf } from '../../delivery/request-context.js'
import { createMetaKey, deleteMetaKey, listMetaKeys } from './meta-keys.js'
import { createJwtSample } from './sample.js'
import { setNamedUserMetadata } from './user-metadata.js'

const s = initServer()

export function tokenCustomizationRoutes(deps: Deps) {
  return s.router(contract.tokenCustomization, {
    sample: async ({ req, query }) => ({
      status: 200,
      body: await createJwtSample(deps, tenantOf(req), query),
    }),
    createMetaKey: async ({ req, res, body }) => created(res, await createMetaKey(deps, tenantOf(req), body)),
    listMetaKeys: async ({ req, query }) => listed(await listMetaKeys(deps, tenantOf(req), query)),
    deleteMetaKey: async ({ req, res, body }) =>
      deleted(res, await deleteMetaKey(deps, tenantOf(req), body.key_name)),
    setUserMetadata: async ({ req, res, body, headers }) =>
      ok(res, await setNamedUserMetadata(deps, tenantOf(req), body, versionsOf(headers))),
  })
}

import { contract } from '@portico/contract/contract'
import { initServer } from '@ts-rest/express'
import type { Deps } from '../../delivery/deps.js'
import { deleted } from '../../delivery/events/answer.js'
import { tenantOf } from '../../delivery/request-context.js'
import { unlinkIdentity } from './identities.js'

const s = initServer()

export function identityRoutes(deps: Deps) {
  return s.router(contract.identities, {
    unlink: async ({ req, res, params: { user_id: userId, identity_id: id }, body }) =>
      deleted(res, await unlinkIdentity(deps, tenantOf(req), { ...body, userId, id })),
  })
}

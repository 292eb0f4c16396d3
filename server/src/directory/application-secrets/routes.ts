import { contract } from '@portico/contract/contract'
import { initServer } from '@ts-rest/express'
import type { Deps } from '../../delivery/deps.js'
import { created, deleted } from '../../delivery/events/answer.js'
import { tenantOf } from '../../delivery/request-context.js'
import {
  createApplicationSecret,
  deleteApplicationSecret,
  listApplicationSecrets,
} from './application-secrets.js'

const s = initServer()

export function applicationSecretRoutes(deps: Deps) {
  return s.router(contract.applicationSecrets, {
    create: async ({ req, res, params, body }) =>
      created(res, await createApplicationSecret(deps, tenantOf(req), params.client_id, body)),
    list: async ({ req, params }) => ({
      status: 200,
      body: await listApplicationSecrets(deps, tenantOf(req), params.client_id),
    }),
    delete: async ({ req, res, params: { client_id: clientId, secret_id: secretId } }) =>
      deleted(res, await deleteApplicationSecret(deps, tenantOf(req), { clientId, secretId })),
  })
}

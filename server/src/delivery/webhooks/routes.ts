import { contract } from '@portico/contract/contract'
import { initServer } from '@ts-rest/express'
import type { Deps } from '../deps.js'
import { created, deleted, listed, ok, versionsOf } from '../events/answer.js'
import { callerOf } from '../request-context.js'
import { listDeliveries, redeliver, redeliverAll, testWebhook } from './deliveries.js'
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  rotateSignatureKey,
  updateWebhook,
} from './webhooks.js'

const s = initServer()

export function webhookRoutes(deps: Deps) {
  return s.router(contract.webhooks, {
    create: async ({ req, res, body }) => created(res, await createWebhook(deps, callerOf(req), body)),
    list: async ({ req, query }) => listed(await listWebhooks(deps, callerOf(req), query)),
    get: async ({ req, res, params }) => ok(res, await getWebhook(deps, callerOf(req), params.webhook_id)),
    update: async ({ req, res, params, body, headers }) =>
      ok(res, await updateWebhook(deps, callerOf(req), params.webhook_id, body, versionsOf(headers))),
    delete: async ({ req, res, params, headers }) =>
      deleted(res, await deleteWebhook(deps, callerOf(req), params.webhook_id, versionsOf(headers))),
    rotateSignatureKey: async ({ req, res, params }) =>
      ok(res, await rotateSignatureKey(deps, callerOf(req), params.webhook_id)),
    test: async ({ req, res, params }) =>
      created(res, await testWebhook(deps, callerOf(req), params.webhook_id)),
    listDeliveries: async ({ req, params, query }) =>
      listed(await listDeliveries(deps, callerOf(req), params.webhook_id, query)),
    redeliver: async ({ req, res, params }) =>
      ok(res, await redeliver(deps, callerOf(req), params.webhook_id, params.delivery_id)),
    redeliverAll: async ({ req, res, params, body }) =>
      ok(res, await redeliverAll(deps, callerOf(req), params.webhook_id, body)),
  })
}

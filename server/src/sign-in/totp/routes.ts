import { contract } from '@portico/contract/contract'
import { initServer } from '@ts-rest/express'
import type { Deps } from '../../delivery/deps.js'
import { created, deleted, ok, versionsOf } from '../../delivery/events/answer.js'
import { callerOf, tenantOf } from '../../delivery/request-context.js'
import { createTotpChallenge } from './challenge.js'
import { getTotpConnection, updateTotpConnection } from './connection.js'
import { enrollTotp } from './enrollment.js'
import { removeTotpEnrollment } from './remove-enrollment.js'
import { validateTotpChallenge } from './validate-challenge.js'
import { validateTotpEnrollment } from './validate-enrollment.js'

const s = initServer()

export function totpRoutes(deps: Deps) {
  return s.router(contract.totp, {
    getConnection: async ({ req, res }) => ok(res, await getTotpConnection(deps, tenantOf(req))),
    postConnection: async ({ req, res, body }) =>
      created(res, await updateTotpConnection(deps, tenantOf(req), body, undefined)),
    updateConnection: async ({ req, res, body, headers }) =>
      ok(res, await updateTotpConnection(deps, tenantOf(req), body, versionsOf(headers))),
    enroll: async ({ req, res, params, body }) =>
      created(
        res,
        await enrollTotp(deps, tenantOf(req), {
          ...body,
          userId: params.user_id,
          scopes: callerOf(req).scopes,
        }),
      ),
    validateEnrollment: async ({ req, res, params, body }) =>
      ok(res, await validateTotpEnrollment(deps, tenantOf(req), params.user_id, body)),
    removeEnrollment: async ({ req, res, params }) =>
      deleted(
        res,
        await removeTotpEnrollment(deps, tenantOf(req), {
          userId: params.user_id,
          scopes: callerOf(req).scopes,
        }),
      ),
    createChallenge: async ({ req, res, params, body }) =>
      created(res, await createTotpChallenge(deps, tenantOf(req), params.user_id, body)),
    validateChallenge: async ({ req, res, params, body }) =>
      ok(res, await validateTotpChallenge(deps, tenantOf(req), params.user_id, body)),
  })
}

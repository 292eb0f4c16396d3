import { contract } from '@portico/contract/contract'
import { initServer } from '@ts-rest/express'
import type { Deps } from '../../delivery/deps.js'
import { created, ok, versionsOf } from '../../delivery/events/answer.js'
import { callerOf } from '../../delivery/request-context.js'
import { createDefaultRedirection, getDefaultRedirection } from './default-redirection.js'
import { createOnboarding, inviteToOnboarding, resetOnboarding, updateOnboarding } from './onboarding.js'
import {
  createSsoConnection,
  getSsoConnection,
  listSsoConnections,
  updateSsoConnection,
  useMetadata,
  useOidcClient,
} from './connections.js'

const s = initServer()

const {
  listLoginTraces: _traces,
  createSamlChallenge: _saml,
  createOauthChallenge: _oauth,
  ...connections
} = contract.ssoConnections

export function ssoConnectionRoutes(deps: Deps) {
  return s.router(connections, {
    create: async ({ req, res, body }) => created(res, await createSsoConnection(deps, callerOf(req), body)),
    list: async ({ req, query }) => ({
      status: 200,
      body: await listSsoConnections(deps, callerOf(req), query),
    }),
    get: async ({ req, res, params, query }) =>
      ok(res, await getSsoConnection(deps, callerOf(req), params.idp_id, query)),
    update: async ({ req, res, params, body, headers }) =>
      ok(
        res,
        await updateSsoConnection(deps, callerOf(req), params.idp_id, body, versionsOf(headers['if-match'])),
      ),
    setUserPolicy: async ({ req, res, params, body, headers }) =>
      ok(
        res,
        await updateSsoConnection(deps, callerOf(req), params.idp_id, body, versionsOf(headers['if-match'])),
      ),
    activate: async ({ req, res, params, headers }) =>
      ok(
        res,
        await updateSsoConnection(
          deps,
          callerOf(req),
          params.idp_id,
          { active: true },
          versionsOf(headers['if-match']),
        ),
      ),
    disable: async ({ req, res, params, headers }) =>
      ok(
        res,
        await updateSsoConnection(
          deps,
          callerOf(req),
          params.idp_id,
          { active: false },
          versionsOf(headers['if-match']),
        ),
      ),
    useMetadata: async ({ req, res, params, headers }) =>
      ok(
        res,
        await useMetadata(
          deps,
          callerOf(req),
          { idpId: params.idp_id, version: params.version },
          versionsOf(headers['if-match']),
        ),
      ),
    useOidcClient: async ({ req, res, params, headers }) =>
      ok(
        res,
        await useOidcClient(
          deps,
          callerOf(req),
          { idpId: params.idp_id, version: params.version },
          versionsOf(headers['if-match']),
        ),
      ),
    createDefaultRedirection: async ({ req, res, params, body }) =>
      created(res, await createDefaultRedirection(deps, callerOf(req), params.idp_id, body)),
    getDefaultRedirection: async ({ req, res, params }) =>
      ok(res, await getDefaultRedirection(deps, callerOf(req), params.idp_id)),
    createOnboarding: async ({ req, res, params, body }) =>
      created(res, await createOnboarding(deps, callerOf(req), params.idp_id, body)),
    updateOnboarding: async ({ req, res, params, body, headers }) =>
      ok(
        res,
        await updateOnboarding(deps, callerOf(req), params.idp_id, body, versionsOf(headers['if-match'])),
      ),
    inviteAdmin: async ({ req, res, params }) =>
      created(res, await inviteToOnboarding(deps, callerOf(req), params.idp_id)),
    resetOnboarding: async ({ req, res, params, headers }) =>
      ok(res, await resetOnboarding(deps, callerOf(req), params.idp_id, versionsOf(headers['if-match']))),
  })
}

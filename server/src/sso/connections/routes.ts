import { contract } from '@portico/contract/contract'
import type { SsoConnectionChanges } from '@portico/contract/sso-connections'
import { initServer } from '@ts-rest/express'
import type { Request, Response } from 'express'
import type { Deps } from '../../delivery/deps.js'
import { created, listed, ok, versionsOf } from '../../delivery/events/answer.js'
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

/** The parts of a request that a change of a connection needs; some routes stand for a body. */
interface UpdateRequest {
  readonly req: Request
  readonly res: Response
  readonly params: { readonly idp_id: string }
  readonly body: SsoConnectionChanges
  readonly headers: { readonly 'if-match'?: string | undefined }
}

export function ssoConnectionRoutes(deps: Deps) {
  const update = async ({ req, res, params, body, headers }: UpdateRequest) =>
    ok(res, await updateSsoConnection(deps, callerOf(req), params.idp_id, body, versionsOf(headers)))
  return s.router(connections, {
    create: async ({ req, res, body }) => created(res, await createSsoConnection(deps, callerOf(req), body)),
    list: async ({ req, query }) => listed(await listSsoConnections(deps, callerOf(req), query)),
    get: async ({ req, res, params, query }) =>
      ok(res, await getSsoConnection(deps, callerOf(req), params.idp_id, query)),
    update,
    setUserPolicy: update,
    activate: async (request) => update({ ...request, body: { active: true } }),
    disable: async (request) => update({ ...request, body: { active: false } }),
    useMetadata: async ({ req, res, params: { idp_id: idpId, version }, headers }) =>
      ok(res, await useMetadata(deps, callerOf(req), { idpId, version }, versionsOf(headers))),
    useOidcClient: async ({ req, res, params: { idp_id: idpId, version }, headers }) =>
      ok(res, await useOidcClient(deps, callerOf(req), { idpId, version }, versionsOf(headers))),
    createDefaultRedirection: async ({ req, res, params, body }) =>
      created(res, await createDefaultRedirection(deps, callerOf(req), params.idp_id, body)),
    getDefaultRedirection: async ({ req, res, params }) =>
      ok(res, await getDefaultRedirection(deps, callerOf(req), params.idp_id)),
    createOnboarding: async ({ req, res, params, body }) =>
      created(res, await createOnboarding(deps, callerOf(req), params.idp_id, body)),
    updateOnboarding: async ({ req, res, params, body, headers }) =>
      ok(res, await updateOnboarding(deps, callerOf(req), params.idp_id, body, versionsOf(headers))),
    inviteAdmin: async ({ req, res, params }) =>
      created(res, await inviteToOnboarding(deps, callerOf(req), params.idp_id)),
    resetOnboarding: async ({ req, res, params, headers }) =>
      ok(res, await resetOnboarding(deps, callerOf(req), params.idp_id, versionsOf(headers))),
  })
}

import { contract } from '@portico/contract/contract'
import { initServer } from '@ts-rest/express'
import type { Deps } from '../../delivery/deps.js'
import { created, listed } from '../../delivery/events/answer.js'
import { callerOf } from '../../delivery/request-context.js'
import { createOauthChallenge, createSamlChallenge } from './challenge.js'
import { listLoginTraces } from './login-attempts.js'

const s = initServer()

const {
  listLoginTraces: traces,
  createSamlChallenge: saml,
  createOauthChallenge: oauth,
} = contract.ssoConnections

/** The routes of SSO connections that are about sign-ins. */
export function ssoSignInRoutes(deps: Deps) {
  return s.router(
    { listLoginTraces: traces, createSamlChallenge: saml, createOauthChallenge: oauth },
    {
      listLoginTraces: async ({ req, params, query }) =>
        listed(await listLoginTraces(deps, callerOf(req), params.idp_id, query)),
      createSamlChallenge: async ({ req, res, body }) =>
        created(res, await createSamlChallenge(deps, callerOf(req), body)),
      createOauthChallenge: async ({ req, res, body }) =>
        created(res, await createOauthChallenge(deps, callerOf(req), body)),
    },
  )
}

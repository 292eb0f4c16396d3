import { contract } from '@portico/contract/contract'
import type {
  IntrospectionRequest,
  RevocationRequest,
  TokenRequest as TokenParameters,
} from '@portico/contract/oauth'
import { initServer } from '@ts-rest/express'
import type { Request, Response } from 'express'
import type { Deps } from '../../delivery/deps.js'
import { requestIdOf } from '../../delivery/request-context.js'
import { clientAuthentication, type AuthenticationHooks } from './client-authentication.js'
import { introspection, revoke } from './presented-token.js'
import { issueApiToken, issueTokens, issueUserTokens } from './token.js'
import { accountOf, organizationOf, type NamedIssuer } from '../../tokens/issuer.js'

const s = initServer()

export function oauthRoutes(deps: Deps, hooks: AuthenticationHooks = {}) {
  const authenticate = clientAuthentication(deps, hooks)
  const contextOf = (req: TokenRequest) => {
    const { authorization, origin } = req.headers
    return { authorization, origin, ip: req.ip ?? '', requestId: requestIdOf(req), authenticate }
  }
  const introspect = introspection(deps)
  const issue = (req: TokenRequest, body: TokenParameters, endpoint: NamedIssuer) =>
    issueUserTokens(deps, contextOf(req), body, endpoint)
  const introspectAt = (req: TokenRequest, body: IntrospectionRequest, endpoint?: NamedIssuer) =>
    introspect(contextOf(req), body, endpoint)
  const end = (req: TokenRequest, body: RevocationRequest, endpoint?: NamedIssuer) =>
    revoke(deps, contextOf(req), body, endpoint)
  return s.router(contract.oauth, {
    apiToken: async ({ req, res, body }) => uncached(res, await issueApiToken(deps, contextOf(req), body)),
    token: async ({ req, res, body }) => uncached(res, await issueTokens(deps, contextOf(req), body)),
    organizationToken: async ({ req, res, params, body }) =>
      uncached(res, await issue(req, body, organizationOf(params))),
    accountToken: async ({ req, res, params, body }) =>
      uncached(res, await issue(req, body, accountOf(params))),
    revoke: async ({ req, res, body }) => uncached(res, await end(req, body)),
    organizationRevoke: async ({ req, res, params, body }) =>
      uncached(res, await end(req, body, organizationOf(params))),
    accountRevoke: async ({ req, res, params, body }) =>
      uncached(res, await end(req, body, accountOf(params))),
    introspect: async ({ req, res, body }) => uncached(res, await introspectAt(req, body)),
    organizationIntrospect: async ({ req, res, params, body }) =>
      uncached(res, await introspectAt(req, body, organizationOf(params))),
    accountIntrospect: async ({ req, res, params, body }) =>
      uncached(res, await introspectAt(req, body, accountOf(params))),
  })
}

type TokenRequest = Pick<Request, 'headers' | 'params' | 'ip'>

/** RFC 6749 section 5.1. */
function uncached<Answer>(res: Response, body: Answer) {
  res.set('Cache-Control', 'no-store')
  return { status: 200 as const, body }
}

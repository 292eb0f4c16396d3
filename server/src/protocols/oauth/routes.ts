import { contract } from '@portico/contract/contract'
import type { IntrospectionRequest, RevocationRequest } from '@portico/contract/oauth'
import { initServer } from '@ts-rest/express'
import type { Request, Response } from 'express'
import type { Deps } from '../../delivery/deps.js'
import { requestIdOf } from '../../delivery/request-context.js'
import { clientAuthentication, type AuthenticationHooks } from './client-authentication.js'
import { introspection, revoke } from './presented-token.js'
import { issueApiToken, issueTokens, issueUserTokens } from './token.js'

const s = initServer()

export function oauthRoutes(deps: Deps, hooks: AuthenticationHooks = {}) {
  const authenticate = clientAuthentication(deps, hooks)
  const contextOf = (req: TokenRequest) => {
    const { authorization, origin } = req.headers
    return { authorization, origin, ip: req.ip ?? '', requestId: requestIdOf(req), authenticate }
  }
  const introspect = introspection(deps)
  const introspectAt = (req: TokenRequest, body: IntrospectionRequest, domain?: string) =>
    introspect(contextOf(req), body, domain)
  const end = (req: TokenRequest, body: RevocationRequest, domain?: string) =>
    revoke(deps, contextOf(req), body, domain)
  return s.router(contract.oauth, {
    apiToken: async ({ req, res, body }) => uncached(res, await issueApiToken(deps, contextOf(req), body)),
    token: async ({ req, res, body }) => uncached(res, await issueTokens(deps, contextOf(req), body)),
    organizationToken: async ({ req, res, params, body }) =>
      uncached(res, await issueUserTokens(deps, contextOf(req), body, params.org_domain)),
    revoke: async ({ req, res, body }) => uncached(res, await end(req, body)),
    organizationRevoke: async ({ req, res, params, body }) =>
      uncached(res, await end(req, body, params.org_domain)),
    introspect: async ({ req, res, body }) => uncached(res, await introspectAt(req, body)),
    organizationIntrospect: async ({ req, res, params, body }) =>
      uncached(res, await introspectAt(req, body, params.org_domain)),
  })
}

type TokenRequest = Pick<Request, 'headers' | 'params' | 'ip'>

/** RFC 6749 section 5.1. */
function uncached<Answer>(res: Response, body: Answer) {
  res.set('Cache-Control', 'no-store')
  return { status: 200 as const, body }
}

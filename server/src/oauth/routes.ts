import { contract } from '@portico/contract/contract'
import { initServer } from '@ts-rest/express'
import type { Request, Response } from 'express'
import type { Deps } from '../deps.js'
import { requestIdOf } from '../http/request-context.js'
import { issueApiToken, issueTokens, issueUserTokens } from './token.js'

const s = initServer()

export function oauthRoutes(deps: Deps) {
  return s.router(contract.oauth, {
    apiToken: async ({ req, res, body }) => uncached(res, await issueApiToken(deps, contextOf(req), body)),
    token: async ({ req, res, body }) => uncached(res, await issueTokens(deps, contextOf(req), body)),
    organizationToken: async ({ req, res, params, body }) =>
      uncached(res, await issueUserTokens(deps, contextOf(req), body, params.org_domain)),
  })
}

function contextOf(req: Pick<Request, 'headers' | 'params'>) {
  const { authorization, origin } = req.headers
  return { authorization, origin, requestId: requestIdOf(req) }
}

/** RFC 6749 section 5.1. */
function uncached<Tokens>(res: Response, body: Tokens) {
  res.set('Cache-Control', 'no-store')
  return { status: 200 as const, body }
}

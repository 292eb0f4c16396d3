import { contract } from '@portico/contract/contract'
import { initServer } from '@ts-rest/express'
import type { Request, Response } from 'express'
import type { Deps } from '../../delivery/deps.js'
import { requestIdOf } from '../../delivery/request-context.js'
import { getProviderMetadata } from './discovery.js'
import { getKeySet } from './key-set.js'
import { getUserInfo } from './userinfo.js'

const s = initServer()

export function oidcRoutes(deps: Deps) {
  const userInfo = (req: Pick<Request, 'headers' | 'params'>, organizationDomain: string) =>
    getUserInfo(deps, {
      organizationDomain,
      authorization: req.headers.authorization,
      requestId: requestIdOf(req),
    })
  return s.router(contract.oidc, {
    discovery: async ({ res, params }) => cached(res, await getProviderMetadata(deps, params.org_domain)),
    keySet: async ({ res, params }) => {
      const { keySet, etag } = await getKeySet(deps, params.org_domain)
      // Lets Express answer 304 to a matching If-None-Match.
      res.set('ETag', etag)
      return cached(res, keySet)
    },
    userInfo: async ({ req, res, params }) => uncached(res, await userInfo(req, params.org_domain)),
    postUserInfo: async ({ req, res, params }) => uncached(res, await userInfo(req, params.org_domain)),
  })
}

/** For the time that a new key is published before its first use. */
function cached<Body>(res: Response, body: Body) {
  res.set('Cache-Control', 'public, max-age=900')
  return { status: 200 as const, body }
}

/** Personal data must not be cached. */
function uncached<Body>(res: Response, body: Body) {
  res.set('Cache-Control', 'no-store')
  return { status: 200 as const, body }
}

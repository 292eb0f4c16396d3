import { contract } from '@portico/contract/contract'
import { initServer } from '@ts-rest/express'
import type { Request, Response } from 'express'
import type { Deps } from '../../delivery/deps.js'
import { requestIdOf } from '../../delivery/request-context.js'
import { cachingAbsence } from './cached-absence.js'
import { getProviderMetadata } from './discovery.js'
import { getKeySet } from './key-set.js'
import { tagOf } from './entity-tag.js'
import { getUserInfo } from './userinfo.js'

const s = initServer()

export function oidcRoutes(deps: Deps) {
  const userInfo = (
    req: Pick<Request, 'headers' | 'params'>,
    organizationDomain: string,
    formToken?: string,
  ) =>
    getUserInfo(deps, {
      organizationDomain,
      authorization: req.headers.authorization,
      formToken,
      requestId: requestIdOf(req),
    })
  const metadata = async ({ res, params }: { res: Response; params: { org_domain: string } }) => {
    const body = await getProviderMetadata(deps, params.org_domain)
    res.set('Cache-Control', 'public, max-age=300')
    res.set('ETag', tagOf(JSON.stringify(body)))
    return { status: 200 as const, body }
  }
  return s.router(contract.oidc, {
    discovery: metadata,
    discoveryAtRoot: metadata,
    serverMetadata: metadata,
    serverMetadataAtRoot: metadata,
    keySet: async ({ res, params }) => {
      const body = await cachingAbsence(res, getKeySet(deps, params.org_domain))
      // A next key is published for longer before its first use.
      res.set('Cache-Control', 'public, max-age=900')
      res.set('ETag', tagOf(body.keys.map(({ kid }) => kid).join(' ')))
      return { status: 200, body }
    },
    userInfo: async ({ req, res, params }) => uncached(res, await userInfo(req, params.org_domain)),
    postUserInfo: async ({ req, res, params, body }) =>
      uncached(res, await userInfo(req, params.org_domain, body.access_token)),
  })
}

/** Personal data must not be cached. */
function uncached<Body>(res: Response, body: Body) {
  res.set('Cache-Control', 'no-store')
  return { status: 200 as const, body }
}

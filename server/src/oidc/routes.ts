import { contract } from '@portico/contract/contract'
import { initServer } from '@ts-rest/express'
import type { Response } from 'express'
import type { Deps } from '../deps.js'
import { getProviderMetadata } from './discovery.js'
import { getKeySet } from './key-set.js'

const s = initServer()

export function oidcRoutes(deps: Deps) {
  return s.router(contract.oidc, {
    discovery: async ({ res, params }) => cached(res, await getProviderMetadata(deps, params.org_domain)),
    keySet: async ({ res, params }) => {
      const { keySet, etag } = await getKeySet(deps, params.org_domain)
      // Express answers 304 where If-None-Match names the tag.
      res.set('ETag', etag)
      return cached(res, keySet)
    },
  })
}

/** As long as a key that is to be used is published before. */
function cached<Body>(res: Response, body: Body) {
  res.set('Cache-Control', 'public, max-age=900')
  return { status: 200 as const, body }
}

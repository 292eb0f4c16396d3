import { routes } from '@portico/contract/walk'
import type { NextFunction, Request, Response } from 'express'

/** The addresses that scripts of any page may read: the user's token endpoints, discovery and key sets. */
const browserRoutes = routes()
  .filter(({ resource, path }) => resource === 'oidc' || (resource === 'oauth' && !path.startsWith('/api/')))
  .map(({ method, path }) => ({ method, pattern: patternOf(path) }))

const preflightSeconds = 7200

/**
 * Lets browsers read the answers of these addresses (Fetch Standard, CORS protocol). `*` and never credentials: no
 * cookie is read there, so that a page learns nothing that anybody could not ask for.
 */
export function corsForBrowsers(req: Request, res: Response, next: NextFunction): void {
  // Almost every request is for the API, which no page may read.
  const route = req.path.startsWith('/api/')
    ? undefined
    : browserRoutes.find(({ pattern }) => pattern.test(req.path))
  if (route === undefined) {
    next()
    return
  }
  res.set('Access-Control-Allow-Origin', '*')
  res.set('Access-Control-Expose-Headers', 'ETag, Retry-After, WWW-Authenticate, X-Request-Id')
  if (req.method !== 'OPTIONS') {
    next()
    return
  }
  res.set('Access-Control-Allow-Methods', route.method)
  // No Authorization: the key it would carry has no place in a page.
  res.set('Access-Control-Allow-Headers', 'Content-Type, X-Request-Id')
  res.set('Access-Control-Max-Age', String(preflightSeconds))
  res.status(204).end()
}

function patternOf(path: string): RegExp {
  const literal = path.replace(/[.]/g, '\\$&').replace(/:\w+/g, '[^/]+')
  return new RegExp(`^${literal}/?$`, 'i')
}

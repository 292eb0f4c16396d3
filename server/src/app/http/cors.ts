import { routes } from '@portico/contract/walk'
import type { NextFunction, Request, Response } from 'express'

/**
 * Routes that scripts of any origin may read: token, revocation and UserInfo endpoints of users, discovery and key
 * sets. Not introspection, which takes an API key.
 */
const browserRoutes = routes()
  .filter(({ resource, verb, path }) => {
    const isForKeys = path.startsWith('/api/') || /introspect$/i.test(verb)
    return resource === 'oidc' || (resource === 'oauth' && !isForKeys)
  })
  .map(({ method, path }) => ({ method, pattern: patternOf(path), takesToken: path.endsWith('/userinfo') }))

const preflightSeconds = 7200

/**
 * Allows cross-origin reads of these routes (Fetch Standard, CORS protocol). `*` without credentials: they read no
 * cookie, so another site gets only what an anonymous client gets.
 */
export function corsForBrowsers(req: Request, res: Response, next: NextFunction): void {
  // Most requests are for the API, which allows no cross-origin reads.
  const matching = req.path.startsWith('/api/')
    ? []
    : browserRoutes.filter(({ pattern }) => pattern.test(req.path))
  const [route] = matching
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
  res.set('Access-Control-Allow-Methods', matching.map(({ method }) => method).join(', '))
  // Authorization only where it carries a user's access token: an API key must not be in a browser.
  const token = route.takesToken ? 'Authorization, ' : ''
  res.set('Access-Control-Allow-Headers', `${token}Content-Type, X-Request-Id`)
  res.set('Access-Control-Max-Age', String(preflightSeconds))
  res.status(204).end()
}

function patternOf(path: string): RegExp {
  const literal = path.replace(/[.]/g, '\\$&').replace(/:\w+/g, '[^/]+')
  return new RegExp(`^${literal}/?$`, 'i')
}

import { routes } from '@portico/contract/walk'
import type { NextFunction, Request, Response } from 'express'

/**
 * The addresses that scripts of any page may read: the user's token, revocation and UserInfo endpoints, discovery and
 * key sets. Not introspection, which takes an API key.
 */
const browserRoutes = routes()
  .filter(({ resource, verb, path }) => {
    const isForKeys = path.startsWith('/api/') || /introspect$/i.test(verb)
    return resource === 'oidc' || (resource === 'oauth' && !isForKeys)
  })
  .map(({ method, path }) => ({ method, pattern: patternOf(path), takesToken: path.endsWith('/userinfo') }))

const preflightSeconds = 7200

/**
 * Lets browsers read the answers of these addresses (Fetch Standard, CORS protocol). `*` and never credentials: no
 * cookie is read there, so that a page learns nothing that anybody could not ask for.
 */
export function corsForBrowsers(req: Request, res: Response, next: NextFunction): void {
  // Almost every request is for the API, which no page may read.
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
  // No Authorization but for the token of the page's own user: the key it would carry elsewhere has no place in a page.
  const token = route.takesToken ? 'Authorization, ' : ''
  res.set('Access-Control-Allow-Headers', `${token}Content-Type, X-Request-Id`)
  res.set('Access-Control-Max-Age', String(preflightSeconds))
  res.status(204).end()
}

function patternOf(path: string): RegExp {
  const literal = path.replace(/[.]/g, '\\$&').replace(/:\w+/g, '[^/]+')
  return new RegExp(`^${literal}/?$`, 'i')
}

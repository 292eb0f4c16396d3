import { unknownOrders } from '@portico/contract/order'
import { isQueryParameter, queryOf, queryParametersOf, takesScopes, type Route } from '@portico/contract/walk'
import type { NextFunction, Request, Response } from 'express'
import { findCaller } from '../../delivery/request-context.js'
import {
  ignoredOrders,
  ignoredParameters,
  ignoredScopes,
  joinWarnings,
  queryOfUrl,
  warningHeader,
} from '../../platform/http/ignored-parameters.js'
import { methodScopes, unsupportedScopes } from '../../tokens/scopes.js'
import { routeOf } from './route-of.js'

/**
 * Names the query parameters and orders of a read that its operation does not have, and the scopes of a request for a code that it
 * does not grant, all of which are ignored. In the sandbox.
 */
export function warnOfIgnored(req: Request, res: Response, next: NextFunction): void {
  const route = routeOf(req)
  if (findCaller(req)?.environment === 'sandbox') {
    const warning = warningOf(route, req)
    if (warning !== undefined) res.set(warningHeader, warning)
  }
  next()
}

function warningOf(route: Route, req: Request): string | undefined {
  if (route.method === 'GET') {
    const query = queryOfUrl(req.originalUrl)
    const known = queryParametersOf(route)
    return joinWarnings([
      ignoredParameters(query, (name) => isQueryParameter(known, name)),
      ignoredOrders(unknownOrders(queryOf(route), query)),
    ])
  }
  const body: unknown = req.body
  const scope = typeof body === 'object' && body !== null && 'scope' in body ? body.scope : undefined
  if (typeof scope !== 'string' || !takesScopes(route)) return undefined
  return ignoredScopes(unsupportedScopes(scope).filter((name) => !methodScopes.includes(name)))
}

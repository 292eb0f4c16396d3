import { unknownOrders } from '@portico/contract/order'
import { queryOf, takesScopes, type Route } from '@portico/contract/walk'
import type { NextFunction, Request, Response } from 'express'
import { z } from 'zod/v4'
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
    return joinWarnings([
      ignoredParameters(query, (name) => isParameterOf(route, name)),
      ignoredOrders(unknownOrders(queryOf(route), query)),
    ])
  }
  const body: unknown = req.body
  const scope = typeof body === 'object' && body !== null && 'scope' in body ? body.scope : undefined
  if (typeof scope !== 'string' || !takesScopes(route)) return undefined
  return ignoredScopes(unsupportedScopes(scope).filter((name) => !methodScopes.includes(name)))
}

/** Whether a route takes a parameter, such as page or q[name]; any takes `environment`, which older callers repeat. */
function isParameterOf(route: Route, name: string): boolean {
  const [top = '', ...inner] = name.split(/[[\]]+/).filter((part) => part !== '')
  return top === 'environment' || hasMember(queryOf(route), [top, ...inner])
}

function hasMember(schema: z.core.$ZodType | undefined, [name, ...inner]: readonly string[]): boolean {
  let whole = schema
  while (whole instanceof z.ZodOptional || whole instanceof z.ZodCatch) whole = whole.unwrap()
  // Of other schemas nobody can say which members they have.
  if (name === undefined || !(whole instanceof z.ZodObject)) return true
  const shape: Readonly<Record<string, z.core.$ZodType>> = whole.shape
  return Object.hasOwn(shape, name) && hasMember(shape[name], inner)
}

import { queryOf, type Route } from '@portico/contract/walk'
import type { NextFunction, Request, Response } from 'express'
import { z } from 'zod/v4'
import { findCaller } from '../../delivery/request-context.js'
import { ignoredParameters, queryOfUrl, warningHeader } from '../../platform/http/ignored-parameters.js'
import { routeOf } from './route-of.js'

/** Names the query parameters of a read that its operation does not have, and that it therefore ignores, in the sandbox. */
export function warnOfIgnored(req: Request, res: Response, next: NextFunction): void {
  const route = routeOf(req)
  if (route.method === 'GET' && findCaller(req)?.environment === 'sandbox') {
    const warning = ignoredParameters(queryOfUrl(req.originalUrl), (name) => isParameterOf(route, name))
    if (warning !== undefined) res.set(warningHeader, warning)
  }
  next()
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

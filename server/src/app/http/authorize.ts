import type { Route } from '@portico/contract/walk'
import type { NextFunction, Request, Response } from 'express'
import { ApiError } from '../../platform/errors.js'
import type { Caller } from '../../platform/tenant.js'
import { callerOf, findCaller } from '../../delivery/request-context.js'
import { routeOf } from './route-of.js'

/** Checks the route's access against the caller's scopes, organizations and environment. */
export function authorize(req: Request, _res: Response, next: NextFunction): void {
  const route = routeOf(req)
  const { access } = route
  // What is open to everybody is in no role of staff.
  if (access.auth === 'none' && findCaller(req)?.staff === undefined) {
    next()
    return
  }
  const caller = callerOf(req)
  if (!isAllowed(caller, route))
    throw new ApiError('insufficient_scope', { message: whyRefused(caller, access) })
  if (access.sandboxOnly && caller.environment !== 'sandbox') throw new ApiError('sandbox_only')
  if (access.reach === 'account' && caller.organizationIds !== null)
    throw new ApiError('key_limited_to_organizations')
  next()
}

/** A key calls what its scopes open; a member of staff the routes of their roles. */
function isAllowed({ staff, scopes }: Caller, { name, access }: Route): boolean {
  return staff === undefined ? access.scope === null || scopes.includes(access.scope) : staff.routes.has(name)
}

function whyRefused({ staff }: Caller, { scope }: Route['access']): string {
  return staff === undefined ? `The API key lacks the scope ${scope}.` : 'Your role does not allow this.'
}

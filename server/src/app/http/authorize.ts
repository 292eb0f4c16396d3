import type { NextFunction, Request, Response } from 'express'
import { ApiError } from '../../platform/errors.js'
import { callerOf } from '../../delivery/request-context.js'
import { routeOf } from './route-of.js'

/** Checks the route's access against the caller's scopes, organizations and environment. */
export function authorize(req: Request, _res: Response, next: NextFunction): void {
  const { access } = routeOf(req)
  if (access.auth === 'none') {
    next()
    return
  }
  const caller = callerOf(req)
  if (access.scope !== null && !caller.scopes.includes(access.scope))
    throw new ApiError('insufficient_scope', { message: `The API key lacks the scope ${access.scope}.` })
  if (access.sandboxOnly && caller.environment !== 'sandbox') throw new ApiError('sandbox_only')
  if (access.reach === 'account' && caller.organizationIds !== null)
    throw new ApiError('key_limited_to_organizations')
  next()
}

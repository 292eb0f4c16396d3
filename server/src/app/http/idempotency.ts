import type { NextFunction, Request, RequestHandler, Response } from 'express'
import type { Deps } from '../../delivery/deps.js'
import { invalid } from '../../platform/errors.js'
import {
  claimIdempotencyKey,
  releaseIdempotencyKey,
  renewEveryMs,
  renewIdempotencyClaim,
} from '../../delivery/events/idempotency.js'
import { etagOf } from '../../delivery/events/answer.js'
import { callerOf, setCaller } from '../../delivery/request-context.js'
import { routeOf } from './route-of.js'

/**
 * Repeats the stored answer of an Idempotency-Key, or claims the key for this request. The request's transaction stores
 * its answer; a failed request releases the key.
 */
export function idempotency(deps: Deps): RequestHandler {
  return async (req: Request, res: Response, next: NextFunction) => {
    const route = routeOf(req)
    const key = req.headers['idempotency-key']
    if (key === undefined || !route.access.idempotent) {
      next()
      return
    }
    if (typeof key !== 'string' || key.length < 1 || key.length > 255)
      throw invalid('Idempotency-Key', 'too_long', 'must have 1 to 255 characters')

    const caller = callerOf(req)
    const content = JSON.stringify([route.name, req.params, req.body])
    const found = await claimIdempotencyKey(deps, { ...caller, callerId: caller.id, key, content })
    if ('record' in found) {
      res.set('Idempotent-Replayed', 'true')
      if (found.version !== null) res.set('ETag', etagOf(found.version))
      res.status(route.successStatus).json(found.record)
      return
    }
    const renewing = setInterval(() => {
      renewIdempotencyClaim(deps, found).catch((error: unknown) =>
        deps.log.warn({ err: error }, 'the claim of an idempotency key cannot be renewed'),
      )
    }, renewEveryMs)
    res.once('close', () => {
      clearInterval(renewing)
      if (res.writableFinished && res.statusCode < 300) return
      releaseIdempotencyKey(deps, found).catch((error: unknown) =>
        deps.log.warn({ err: error }, 'an idempotency key stays claimed until its lease ends'),
      )
    })
    setCaller(req, { ...caller, cause: { ...caller.cause, idempotency: found } })
    next()
  }
}

import type { NextFunction, Request, RequestHandler, Response } from 'express'
import type { Deps } from '../../delivery/deps.js'
import { ApiError } from '../../platform/errors.js'
import { setLimitHeaders } from '../../platform/http/limit-headers.js'
import { findCaller } from '../../delivery/request-context.js'

const windowMs = 60_000

/** Limits the requests of each API key per minute in this process, and reports the state in headers. */
export function rateLimit({ config, now, metrics }: Deps): RequestHandler {
  const limit = config.apiRatePerMinute
  let windowStart = 0
  let counts = new Map<string, number>()
  const hits = metrics.rateLimitHits.labels({ limit: 'api' })
  hits.inc(0)

  return (req: Request, res: Response, next: NextFunction) => {
    const caller = findCaller(req)
    if (caller === undefined) {
      next()
      return
    }
    const at = now().getTime()
    if (at - windowStart >= windowMs || at < windowStart) {
      windowStart = at
      counts = new Map()
    }
    const count = (counts.get(caller.id) ?? 0) + 1
    counts.set(caller.id, count)
    const resetSeconds = Math.ceil((windowStart + windowMs - at) / 1000)
    const remaining = Math.max(limit - count, 0)
    setLimitHeaders(res, { name: 'api', limit, windowSeconds: windowMs / 1000, remaining, resetSeconds })
    if (count > limit) {
      hits.inc()
      throw new ApiError('rate_limited', { retryAfterSeconds: resetSeconds })
    }
    next()
  }
}

import type { NextFunction, Request, RequestHandler, Response } from 'express'
import type { Config } from '../../platform/config/config.js'

const hstsSeconds = 365 * 24 * 60 * 60

/** Headers of every answer unless it overrides them: not cached, no MIME sniffing, and HSTS on https. */
export function answerHeaders({ isHttps }: Config): RequestHandler {
  return (_req: Request, res: Response, next: NextFunction) => {
    res.setHeader('Cache-Control', 'no-store')
    res.setHeader('X-Content-Type-Options', 'nosniff')
    if (isHttps) res.setHeader('Strict-Transport-Security', `max-age=${hstsSeconds}`)
    next()
  }
}

import type { NextFunction, Request, RequestHandler, Response } from 'express'
import type { Config } from '../../platform/config/config.js'

const hstsSeconds = 365 * 24 * 60 * 60

/**
 * What holds for every answer unless it says otherwise: it is kept by nobody, is of the type it says, and, on https,
 * this host is never asked in the clear again.
 */
export function answerHeaders({ isHttps }: Config): RequestHandler {
  return (_req: Request, res: Response, next: NextFunction) => {
    res.setHeader('Cache-Control', 'no-store')
    res.setHeader('X-Content-Type-Options', 'nosniff')
    if (isHttps) res.setHeader('Strict-Transport-Security', `max-age=${hstsSeconds}`)
    next()
  }
}

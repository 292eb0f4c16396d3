import type { NextFunction, Request, RequestHandler, Response } from 'express'
import type { Config } from '../../platform/config/config.js'
import { ApiError } from '../../platform/errors.js'

/** Refuses plain HTTP where the public address is https, before any credential is read. */
export function httpsOnly(config: Config): RequestHandler {
  return (req: Request, _res: Response, next: NextFunction) => {
    if (config.isHttps && !req.secure) throw new ApiError('https_required')
    next()
  }
}

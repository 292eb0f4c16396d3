import type { IncomingMessage } from 'node:http'
import type { Express, NextFunction, Request, Response } from 'express'
import { isKnown, isNoneWanted } from '../../platform/http/if-none-match.js'
import { routeOf } from './route-of.js'

/**
 * Has reads answered 304 by isKnown(). Express would not compare where the request has `Cache-Control: no-cache`, which is for
 * caches on the way (RFC 9111 section 5.2.1.4), and which fetch() adds to every If-None-Match.
 */
export function answerKnownReads(app: Express): void {
  Object.defineProperty(app.request, 'fresh', {
    configurable: true,
    enumerable: true,
    get(this: IncomingMessage & Pick<Request, 'res'>) {
      const { method, res, headers } = this
      if (res === undefined || res.statusCode !== 200 || (method !== 'GET' && method !== 'HEAD')) return false
      return isKnown(headers['if-none-match'], res.get('ETag'))
    },
  })
}

/** Of a record that must not be there, as `If-None-Match: *` has it, no version will do, whatever If-Match says. */
export function refuseWhatIsThere(req: Request, _res: Response, next: NextFunction): void {
  if (routeOf(req).access.versioned === 'checks' && isNoneWanted(req.headers['if-none-match']))
    req.headers['if-match'] = noVersion
  next()
}

/** A tag that no record has. */
const noVersion = '""'

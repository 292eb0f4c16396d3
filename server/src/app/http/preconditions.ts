import type { IncomingMessage } from 'node:http'
import type { Express, NextFunction, Request, Response } from 'express'
import { isKnown, isAnyExcluded } from '../../platform/http/if-none-match.js'
import { routeOf } from './route-of.js'

/**
 * Makes Express answer 304 by isKnown(). Its own check ignores If-None-Match beside `Cache-Control: no-cache`, which is
 * meant for intermediary caches (RFC 9111 section 5.2.1.4) and which fetch() adds to every If-None-Match.
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

/** Makes `If-None-Match: *` fail for existing records: no record has this version, whatever If-Match was sent. */
export function refuseWhatIsThere(req: Request, _res: Response, next: NextFunction): void {
  if (routeOf(req).access.versioned === 'checks' && isAnyExcluded(req.headers['if-none-match']))
    req.headers['if-match'] = noVersion
  next()
}

/** A tag that no record has. */
const noVersion = '""'

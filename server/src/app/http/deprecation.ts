import type { Access } from '@portico/contract/access'
import { deprecationHeaders } from '@portico/contract/deprecation'
import type { AppRoute } from '@ts-rest/core'
import type { NextFunction, Request, RequestHandler, Response } from 'express'
import type { Config } from '../../platform/config/config.js'

/** Sets the Deprecation and Sunset headers on every answer of a deprecated route, errors included. */
export function announceDeprecation({ baseUrl }: Pick<Config, 'baseUrl'>): RequestHandler {
  const known = new WeakMap<AppRoute, ReturnType<typeof deprecationHeaders> | null>()
  return (req: Request, res: Response, next: NextFunction) => {
    // ts-rest puts the matched definition on the request; middleware of other routes has none.
    const route = 'tsRestRoute' in req ? (req.tsRestRoute as AppRoute) : undefined
    if (route !== undefined) {
      let headers = known.get(route)
      if (headers === undefined) known.set(route, (headers = headersOf(route, baseUrl)))
      if (headers !== null) res.set(headers)
    }
    next()
  }
}

function headersOf({ metadata }: AppRoute, baseUrl: string) {
  // Every route of the contract has metadata made by access() or open().
  const { deprecated } = metadata as Access
  return deprecated === undefined ? null : deprecationHeaders(deprecated, `${baseUrl}/docs`)
}

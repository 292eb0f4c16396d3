import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { withoutUndeclared } from '@portico/contract/sensitivity'
import { routes } from '@portico/contract/walk'
import type { Deps } from '../../delivery/deps.js'
import { findRoute } from './route-of.js'

/**
 * Validates every answer against the contract. A mismatch fails the request in strict mode; in production undeclared
 * members are removed, and the mismatch is counted and logged.
 */
export function checkAnswers({ config, log, metrics }: Deps): RequestHandler {
  for (const { name } of routes()) metrics.answersRepaired.inc({ route: name }, 0)
  return (req: Request, res: Response, next: NextFunction) => {
    const send = res.json.bind(res)
    res.json = (body: unknown) => {
      const route = findRoute(req)
      if (route === undefined || res.statusCode >= 300) return send(body)
      const isDeclared = res.statusCode === route.successStatus
      const parsed = route.success.safeParse(body)
      if (isDeclared && parsed.success) return send(parsed.data)

      const issues = parsed.error?.issues ?? []
      const paths = [...(isDeclared ? [] : ['status']), ...issues.map((issue) => issue.path.join('.'))]
      log.error({ route: route.name, paths }, 'an answer does not fit the contract')
      if (config.isStrict)
        throw new Error(`the answer of ${route.name} does not match the contract: ${paths.join(', ')}`)
      metrics.answersRepaired.inc({ route: route.name })
      return send(withoutUndeclared(route.success, body))
    }
    next()
  }
}

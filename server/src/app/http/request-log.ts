import { randomUUID } from 'node:crypto'
import type { NextFunction, Request, RequestHandler, Response } from 'express'
import type { Deps } from '../../delivery/deps.js'
import { findCaller, findPageName, openContext } from '../../delivery/request-context.js'
import { loggedSpan, within } from '../../platform/observability/traces.js'
import { scimPath } from '../../protocols/scim/router.js'
import { findRoute } from './route-of.js'

/** Logged and measured when the client disconnected before its answer; never sent as a status. */
const clientGone = 499

const safeId = /^[\w.-]{1,128}$/

/** Gives every request an id and a span, and writes one log line when it closes, with only the fields listed here. */
export function requestLog(
  { log, metrics, traces }: Deps,
  { onKeyUse }: { readonly onKeyUse?: (apiKeyId: string) => void } = {},
): RequestHandler {
  return (req: Request, res: Response, next: NextFunction) => {
    const given = req.headers['x-request-id']
    const requestId = typeof given === 'string' && safeId.test(given) ? given : randomUUID()
    openContext(req, requestId)
    res.setHeader('X-Request-Id', requestId)
    const start = performance.now()
    const span =
      traces === undefined || quietRouteOf(req.originalUrl) !== undefined
        ? undefined
        : traces.startRequest(req.method, req.headers['traceparent'])
    res.once('close', () => {
      const quietRoute = quietRouteOf(req.originalUrl)
      const route = findRoute(req)?.name ?? findPageName(req) ?? quietRoute ?? 'none'
      const ms = performance.now() - start
      const status = res.writableFinished ? res.statusCode : clientGone
      const caller = findCaller(req)
      const apiKeyId = caller?.id
      if (apiKeyId !== undefined) onKeyUse?.(apiKeyId)
      metrics.requests.labels({ route, status }).observe(ms / 1000)
      span?.end({
        status: res.writableFinished ? status : undefined,
        route: templateOf(req),
        operation: route,
        requestId,
        accountId: caller?.accountId,
        environment: caller?.environment,
        apiKeyId,
      })
      log[quietRoute === undefined ? 'info' : 'debug'](
        {
          request_id: requestId,
          method: req.method,
          route,
          status,
          ms: Math.round(ms * 10) / 10,
          api_key_id: apiKeyId,
          ...loggedSpan(span),
        },
        'request',
      )
    })
    if (span === undefined) next()
    else within(span, () => next())
  }
}

/** The path as the contract or the page states it, with the names of its parameters; undefined where neither has it. */
function templateOf(req: Request): string | undefined {
  const template = findRoute(req)?.path ?? findPageName(req)?.replace(/^page /, '')
  return template ?? (req.originalUrl.startsWith(`${scimPath}/`) ? `${scimPath}/:directory_id` : undefined)
}

/** The name of a frequent request that says nothing about callers, logged at debug level: a probe or a static file. */
function quietRouteOf(url: string): string | undefined {
  const [path = ''] = url.split('?')
  if (path === '/healthz' || path === '/readyz') return path.slice(1)
  return (
    /^\/(docs|assets)(\/|$)/.exec(path)?.[1] ??
    (/^\/(?:openapi(?:-3\.0)?\.json|llms\.txt)$/.test(path) ? 'docs' : undefined)
  )
}

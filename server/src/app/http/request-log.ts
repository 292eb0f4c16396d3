import { randomUUID } from 'node:crypto'
import type { NextFunction, Request, RequestHandler, Response } from 'express'
import type { Deps } from '../../delivery/deps.js'
import { findCaller, openContext } from '../../delivery/request-context.js'
import { findRoute } from './route-of.js'

/** For the log and the figures: the client left before its answer was sent. No answer has this status. */
const clientGone = 499

const safeId = /^[\w.-]{1,128}$/

/** Names every request, and writes one line when it is answered: what is listed here and nothing else. */
export function requestLog(
  { log, metrics }: Deps,
  { onKeyUse }: { readonly onKeyUse?: (apiKeyId: string) => void } = {},
): RequestHandler {
  return (req: Request, res: Response, next: NextFunction) => {
    const given = req.headers['x-request-id']
    const requestId = typeof given === 'string' && safeId.test(given) ? given : randomUUID()
    openContext(req, requestId)
    res.setHeader('X-Request-Id', requestId)
    const start = performance.now()
    res.once('close', () => {
      const aside = asideOf(req.originalUrl)
      const route = findRoute(req)?.name ?? aside ?? 'none'
      const ms = performance.now() - start
      const status = res.writableFinished ? res.statusCode : clientGone
      const apiKeyId = findCaller(req)?.apiKeyId
      if (apiKeyId !== undefined) onKeyUse?.(apiKeyId)
      metrics.requests.labels({ route, status }).observe(ms / 1000)
      log[aside === undefined ? 'info' : 'debug'](
        {
          request_id: requestId,
          method: req.method,
          route,
          status,
          ms: Math.round(ms * 10) / 10,
          api_key_id: apiKeyId,
        },
        'request',
      )
    })
    next()
  }
}

/** The name of what is asked for all the time and tells nothing of the callers: probes, and files that are the same for all. */
function asideOf(url: string): string | undefined {
  const [path = ''] = url.split('?')
  if (path === '/healthz' || path === '/readyz') return path.slice(1)
  return (
    /^\/(docs|assets)(\/|$)/.exec(path)?.[1] ?? (/^\/openapi(-3\.0)?\.json$/.test(path) ? 'docs' : undefined)
  )
}

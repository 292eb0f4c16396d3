import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { Deps } from '../deps.js'
import { readinessOf } from './health.js'

export interface MetricsServerOptions {
  /** Why the process cannot do its work; undefined when it can. With it the server has /healthz and /readyz, too. */
  readonly whyNotReady?: () => Promise<string | undefined>
}

/** Makes the server of /metrics, to be bound to loopback: figures are for the operator alone. */
export function createMetricsServer(
  { metrics: { registry }, log }: Pick<Deps, 'metrics' | 'log'>,
  { whyNotReady }: MetricsServerOptions = {},
): Server {
  const paths: Record<string, (res: ServerResponse) => Promise<void>> = {
    async '/metrics'(res) {
      const text = await registry.metrics()
      res.writeHead(200, { 'Content-Type': registry.contentType }).end(text)
    },
    ...(whyNotReady && {
      async '/healthz'(res) {
        answerJson(res, 200, { status: 'up' })
      },
      async '/readyz'(res) {
        const reason = await whyNotReady()
        answerJson(res, reason === undefined ? 200 : 503, readinessOf(reason))
      },
    }),
  }
  const listener: RequestListener = (req, res) => {
    // Another host name for a loopback address is a page in somebody's browser (DNS rebinding).
    const isLocal = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i.test(req.headers.host ?? '')
    const path = req.url?.split('?')[0] ?? ''
    const answer = isLocal && req.method === 'GET' && Object.hasOwn(paths, path) ? paths[path] : undefined
    if (answer === undefined) {
      res.writeHead(404).end()
      return
    }
    answer(res).catch((error: unknown) => {
      log.error({ err: error, path }, 'a request of the operator cannot be answered')
      res.writeHead(500).end()
    })
  }
  return createServer(listener)
}

function answerJson(res: ServerResponse, status: number, body: object): void {
  res.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8' }).end(JSON.stringify(body))
}

import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { Deps } from '../../delivery/deps.js'
import { readinessOf } from './health.js'
import { isOfOneHost } from './server.js'

interface MetricsServerOptions {
  /** Why the process cannot do its work; undefined when it can. Adds /healthz and /readyz to the server. */
  readonly whyNotReady?: () => Promise<string | undefined>
}

/** Makes the server of /metrics for METRICS_HOST. It has no authentication: only operators may reach that host. */
export function createMetricsServer(
  { config, metrics: { registry }, log }: Pick<Deps, 'config' | 'metrics' | 'log'>,
  measureBacklog: () => Promise<void>,
  { whyNotReady }: MetricsServerOptions = {},
): Server {
  const isBoundToLoopback = /^(localhost|127\.[\d.]+|::1)$/.test(config.metricsHost)
  const paths: Record<string, (res: ServerResponse) => Promise<void>> = {
    async '/metrics'(res) {
      await measureBacklog()
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
    if (!isOfOneHost(req)) {
      res.writeHead(400, { Connection: 'close' }).end()
      return
    }
    // Another host name on a loopback address means a web page in a browser (DNS rebinding).
    const isExpected =
      !isBoundToLoopback || /^(localhost|127\.[\d.]+|\[::1\])(:\d+)?$/i.test(req.headers.host ?? '')
    const path = req.url?.split('?')[0] ?? ''
    const answer = isExpected && req.method === 'GET' && Object.hasOwn(paths, path) ? paths[path] : undefined
    if (answer === undefined) {
      res.writeHead(404).end()
      return
    }
    answer(res).catch((error: unknown) => {
      log.error({ err: error, path }, 'a request to the metrics server failed')
      res.writeHead(500).end()
    })
  }
  return createServer(listener)
}

function answerJson(res: ServerResponse, status: number, body: object): void {
  res.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8' }).end(JSON.stringify(body))
}

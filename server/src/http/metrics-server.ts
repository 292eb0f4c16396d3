import { createServer, type Server } from 'node:http'
import type { Deps } from '../deps.js'

/** Makes the server of /metrics, to be bound to loopback: figures are for the operator alone. */
export function createMetricsServer({ metrics: { registry }, log }: Pick<Deps, 'metrics' | 'log'>): Server {
  return createServer((req, res) => {
    // Another host name for a loopback address is a page in somebody's browser (DNS rebinding).
    const isLocal = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i.test(req.headers.host ?? '')
    if (!isLocal || req.method !== 'GET' || req.url?.split('?')[0] !== '/metrics') {
      res.writeHead(404).end()
      return
    }
    registry.metrics().then(
      (text) => res.writeHead(200, { 'Content-Type': registry.contentType }).end(text),
      (error: unknown) => {
        log.error({ err: error }, 'the metrics cannot be gathered')
        res.writeHead(500).end()
      },
    )
  })
}

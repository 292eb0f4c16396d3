import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { watchBacklog } from '@portico/server/backlog'
import { createMetricsServer } from '@portico/server/metrics-server'
import { atFileEnd } from '../file-end.js'
import type { Service } from './harness.js'

/** Starts the server of /metrics for a service; it ends with the file. @returns Its address. */
export async function startMetrics(
  service: Service,
  databases: Parameters<typeof watchBacklog>[1] = () => [service.deps.db],
): Promise<string> {
  const server = createMetricsServer(service.deps, watchBacklog(service.deps, databases, 0))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  atFileEnd(() => new Promise<void>((resolve) => server.close(() => resolve())))
  // Only the address of a pipe is a string.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`
}

/** The samples of a text in Prometheus' format, by name and labels. */
export function samplesIn(text: string): Map<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map((line) => {
      const [, sample = '', value = ''] = /^(\S+(?:\{.*\})?) (\S+)$/.exec(line) ?? []
      return [sample, Number(value)]
    }),
  )
}

import { once } from 'node:events'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { watchBacklog } from '../../operations/backlog.js'
import { readConfig } from '../../platform/config/config.js'
import { connect } from '../../platform/db/connect.js'
import { createLog } from '../../platform/observability/log.js'
import { createMetrics } from '../../platform/observability/metrics.js'
import { createMetricsServer } from './metrics-server.js'

/** The status of /metrics for a request that names this host. */
async function statusFor(host: string, variables: Record<string, string>): Promise<number | undefined> {
  const log = createLog({ logLevel: 'silent' })
  const db = connect({ url: 'postgres://portico@127.0.0.1:1/none', poolSize: 1, named: false, log })
  const config = readConfig(variables)
  const deps = { config, now: () => new Date(0), log, metrics: createMetrics() }
  const server = createMetricsServer(
    deps,
    watchBacklog(deps, () => [db]),
  )
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(async () => {
    server.close()
    await db.destroy()
  })
  // Only the address of a pipe is a string.
  const { port } = server.address() as AddressInfo
  const sent = request({ port, host: '127.0.0.1', path: '/metrics', headers: { host } }).end()
  return new Promise((resolve, reject) => {
    sent.once('error', reject).once('response', (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    })
  })
}

test.each([
  ['localhost:9464', '127.0.0.1', 200],
  ['127.0.0.1:9464', '127.0.0.1', 200],
  ['rebound.example', '127.0.0.1', 404],
  ['rebound.example', '127.0.0.5', 404],
  ['rebound.example', 'localhost', 404],
  ['rebound.example', '::1', 404],
  ['10.0.0.11:9464', '0.0.0.0', 200],
  ['portico.internal:9464', '10.0.0.11', 200],
])('a request to the host %s, where METRICS_HOST is %s: %i', async (host, METRICS_HOST, status) => {
  expect(await statusFor(host, { METRICS_HOST })).toBe(status)
})

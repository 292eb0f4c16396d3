import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startCollector } from '../given/collector.js'
import { freePort } from '../given/free-port.js'
import { givenFolder } from './portico.js'
import { given, type Variables } from './portico-given.js'
import { givenDataDir } from './serve-given.js'

/** A service that writes the modules of OpenTelemetry's SDK that it has loaded, when it ends. The API is loaded by prom-client, too. */
async function startWatched(variables: Variables) {
  const folder = givenFolder()
  const list = join(folder, 'loaded')
  const hook = join(folder, 'hook.cjs')
  writeFileSync(
    hook,
    `const { _cache } = require('node:module')
    process.on('exit', () => {
      const loaded = Object.keys(_cache).filter((name) => /@opentelemetry.(?!api)/.test(name))
      require('node:fs').writeFileSync(${JSON.stringify(list)}, loaded.join('\\n'))
    })`,
  )
  const service = await given.service({
    DATA_DIR: await givenDataDir(),
    NODE_OPTIONS: `--require ${hook}`,
    ...variables,
  })
  return { ...service, loaded: () => readFileSync(list, 'utf8') }
}

test('without a collector nothing of OpenTelemetry’s SDK is loaded', async () => {
  const service = await startWatched({})
  expect((await fetch(`${service.baseUrl}/api/v2/organizations`)).status).toBe(401)

  expect(await service.stop()).toBe(0)
  expect(service.loaded()).toBe('')
}, 60_000)

test('a process that is stopped sends the spans of its last requests first', async () => {
  const collector = await startCollector()
  const service = await startWatched({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_SERVICE_NAME: 'sign-in',
  })
  expect((await fetch(`${service.baseUrl}/api/v2/organizations`)).status).toBe(401)

  expect(await service.stop()).toBe(0)
  expect(collector.spans.map(({ name }) => name)).toContain('GET /api/v2/organizations')
  expect(collector.resource()).toMatchObject({ 'service.name': 'sign-in' })
  expect(service.loaded()).toContain('sdk-trace')
}, 60_000)

test('a collector that is away keeps no process from ending in time, nor a request from its answer', async () => {
  const OTEL_EXPORTER_OTLP_ENDPOINT = `http://127.0.0.1:${await freePort()}`
  const service = await startWatched({ OTEL_EXPORTER_OTLP_ENDPOINT })
  expect((await fetch(`${service.baseUrl}/api/v2/organizations`)).status).toBe(401)

  const stoppedAt = performance.now()
  expect(await service.stop()).toBe(0)
  expect(performance.now() - stoppedAt).toBeLessThan(8_000)
  expect(service.output()).toContain('the last spans were not sent to the collector')
}, 60_000)

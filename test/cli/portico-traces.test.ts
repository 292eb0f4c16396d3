import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startCollector } from '../given/collector.js'
import { freePort } from '../given/free-port.js'
import { givenFolder, portico } from './portico.js'

test('portico doctor asks the collector of traces, where there is one, whether it takes them', async () => {
  const collector = await startCollector()
  const { host } = new URL(collector.url)
  const variables = { DATA_DIR: join(givenFolder(), 'data'), OTEL_EXPORTER_OTLP_HEADERS: 'x-key=not%20told' }
  const examined = async (OTEL_EXPORTER_OTLP_ENDPOINT: string) => {
    const { code, stdout } = await portico(['doctor', '--json'], {
      ...variables,
      OTEL_EXPORTER_OTLP_ENDPOINT,
    })
    expect(stdout).not.toContain('not told')
    const findings = JSON.parse(stdout) as { check: string }[]
    return [code, ...findings.filter(({ check }) => check === 'Traces')]
  }

  expect(await examined('')).toEqual([0])
  expect(await examined(collector.url)).toEqual([
    0,
    { check: 'Traces', ok: true, detail: `${host} takes them` },
  ])
  expect(collector.headers).toMatchObject([{ 'x-key': 'not told' }])
  collector.answer(401)
  expect(await examined(collector.url)).toEqual([
    1,
    {
      check: 'Traces',
      ok: false,
      detail: `${host} does not take them (it answers 401)`,
      remedy: 'check OTEL_EXPORTER_OTLP_HEADERS',
    },
  ])
  const nobody = `127.0.0.1:${await freePort()}`
  expect(await examined(`http://${nobody}`)).toMatchObject([
    1,
    {
      ok: false,
      detail: `${nobody} does not take them (unreachable)`,
      remedy: expect.stringContaining('4318'),
    },
  ])
})

import { expect, test } from 'vitest'
import { createClient } from '@portico/sdk'
import { startService } from '../given/harness.js'
import { flowGivenOf } from '../given/flow-given.js'
import { until } from '../resilience/until.js'

const service = await startService()
const { account } = service
const client = await service.client()
const flows = flowGivenOf(service, client)

async function warningOf(path: string, environment: 'sandbox' | 'production' = 'sandbox') {
  const answer = await fetch(`${service.baseUrl}${path}`, {
    headers: { authorization: `Bearer ${await service.token({ account, environment })}` },
  })
  return [answer.status, answer.headers.get('portico-warning')]
}

test('a read of the sandbox names the query parameters that it ignores', async () => {
  expect({
    unknown: await warningOf('/api/v2/organizations?per-page=5&page=1&filters[name]=x'),
    nested: await warningOf('/api/v2/organizations?q[environments_status_in][]=up&q[status]=up'),
    known: await warningOf('/api/v2/organizations?page=1&per_page=5&environment=sandbox'),
    none: await warningOf('/api/v2/organizations'),
    refused: await warningOf('/api/v2/organizations/nobody-here?odd=1'),
  }).toEqual({
    unknown: [200, 'ignored parameters: per-page, filters[name]'],
    nested: [200, 'ignored parameters: q[status]'],
    known: [200, null],
    none: [200, null],
    refused: [404, 'ignored parameters: odd'],
  })
})

test('one of production does not', async () => {
  expect(await warningOf('/api/v2/organizations?per-page=5', 'production')).toEqual([200, null])
})

test('an authorization request of the sandbox has them on its redirect and in the log, without their values', async () => {
  const scene = await flows.scene()
  const members = { display: 'secret-value', resource: 'https://api.example', nonce: undefined }
  const requestId = 'ignored-at-authorize'

  const seen = await flows
    .visitorOf()
    .request(flows.authorizeUrl(scene, members), { headers: { 'x-request-id': requestId } })
  const plain = await flows.visitorOf().request(flows.authorizeUrl(scene))

  const warning = 'ignored parameters: display, resource'
  expect([seen.status, seen.headers.get('portico-warning')]).toEqual([303, warning])
  expect(plain.headers.get('portico-warning')).toBeNull()
  const lineOf = () => service.logLines.find((line) => line.includes(requestId) && line.includes('warning'))
  await until(() => lineOf() !== undefined)
  expect(JSON.parse(lineOf() ?? '{}')).toMatchObject({ level: 'info', warning })
  expect(lineOf()).not.toContain('secret-value')
})

test('the SDK tells them once for each operation and name', async () => {
  const warnings: string[] = []
  const { client_id, client_secret } = await service.apiKey({ account })
  const warned = createClient({
    baseUrl: service.baseUrl,
    domain: account.domain,
    clientId: client_id,
    clientSecret: client_secret,
    onWarning: (message) => warnings.push(message),
  })
  const input = { page: 1, ...{ perPage: 5 } }

  for (let index = 0; index < 2; index += 1) await warned.organizations.list(input)

  expect(warnings).toEqual(['organizations.list has no parameter perPage, and ignores it.'])
})

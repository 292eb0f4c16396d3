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

test('and the order that a list does not have', async () => {
  expect({
    unknown: await warningOf('/api/v2/organizations?sort=-bla&odd=1'),
    worded: await warningOf('/api/v2/organizations?sort=bla%20desc'),
    known: await warningOf('/api/v2/organizations?sort=-updated_at'),
    empty: await warningOf('/api/v2/organizations?sort='),
    logs: await warningOf(`/api/v2/org/${account.domain}/log-events?s=code%20desc`),
  }).toEqual({
    unknown: [200, 'ignored parameters: odd; ignored orders: bla'],
    worded: [200, 'ignored orders: bla'],
    known: [200, null],
    empty: [200, null],
    logs: [200, null],
  })
})

test('one of production does not', async () => {
  expect(await warningOf('/api/v2/organizations?per-page=5&sort=bla', 'production')).toEqual([200, null])
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

test('an authorization request of the sandbox has the scopes that are not granted there as well', async () => {
  const scene = await flows.scene()
  const scope = 'openid email groups read:users'

  const seen = await flows.visitorOf().request(flows.authorizeUrl(scene, { scope, display: 'page' }))
  const refused = await flows.visitorOf().request(flows.authorizeUrl(scene, { scope: 'groups' }))
  const discovery = await fetch(`${service.baseUrl}/t/${scene.org_domain}/.well-known/openid-configuration`)
  const { scopes_supported } = (await discovery.json()) as { scopes_supported: string[] }
  const known = await flows
    .visitorOf()
    .request(flows.authorizeUrl(scene, { scope: scopes_supported.join(' ') }))

  expect(seen.headers.get('portico-warning')).toBe(
    'ignored parameters: display; ignored scopes: groups, read:users',
  )
  expect(refused.headers.get('portico-warning')).toBe('ignored scopes: groups')
  expect(known.headers.get('portico-warning')).toBeNull()
})

test('a call of the API that asks for a code has them, too, in the sandbox alone', async () => {
  async function warningOfLink(environment: 'sandbox' | 'production', scope: string) {
    const as = await service.client({ environment })
    const { domain: org_domain } = await as.organizations.create({ name: `Scopes ${Math.random()}` })
    const { email: user_email } = await service.given.user({ org_domain }, as)
    await service.given.application({ org_domain }, as)
    const answer = await fetch(`${service.baseUrl}/api/v2/magic-link-challenge`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await service.token({ account, environment })}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ org_domain, user_email, scope, send_email: false }),
    })
    return [answer.status, answer.headers.get('portico-warning')]
  }

  expect(await warningOfLink('sandbox', 'openid groups magic_link email')).toEqual([
    201,
    'ignored scopes: groups',
  ])
  expect(await warningOfLink('production', 'openid groups')).toEqual([201, null])
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

import { oauthErrorStatuses } from '@portico/contract/oauth'
import { exampleOf } from '@portico/contract/record'
import { User } from '@portico/contract/users'
import { mayWarn } from '@portico/contract/openapi-answers'
import { queryParametersOf, routes, type Route } from '@portico/contract/walk'
import { createClient, isApiError, type ClientOptions } from '@portico/sdk'
import { createMock, createMockHandlers, type Overrides } from '@portico/sdk/mock'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { z } from 'zod/v4'
import { sampled } from '../../sampled.js'

const baseUrl = 'https://auth.example'
const service = setupServer()

beforeAll(() => service.listen({ onUnhandledRequest: 'error' }))
afterEach(() => service.resetHandlers())
afterAll(() => service.close())

function prepared(overrides: Overrides = {}) {
  const bodies: string[] = []
  const client = givenClient({
    fetch: async (input, init) => {
      const response = await fetch(input, init)
      bodies.push(await response.clone().text())
      return response
    },
  })
  return { handlers: createMockHandlers({ baseUrl, overrides }), client, bodies }
}

/** Shared by tests without overrides: handlers for every operation, and a client that needs only one token. */
const plain = prepared()

function given(overrides?: Overrides) {
  const { handlers, client, bodies } = overrides === undefined ? plain : prepared(overrides)
  service.use(...handlers)
  return { client, bodies }
}

function givenClient(options: Partial<ClientOptions> = {}) {
  return createClient({
    baseUrl,
    domain: 'acme',
    clientId: '0190c8b0-0000-7000-8000-000000000000',
    clientSecret: 'keysandbox_x',
    maxRetries: 0,
    ...options,
  })
}

/** Calls an operation by its name, with a value for each path parameter. */
async function call(client: object, route: Route, prefer?: string): Promise<unknown> {
  const group: unknown = Reflect.get(client, route.resource)
  const method: unknown = Reflect.get(group as object, route.verb)
  const input = Object.fromEntries(route.pathParameters.map((name) => [name, 'some-value']))
  const options = prefer === undefined ? {} : { headers: { prefer } }
  return (method as (...parameters: unknown[]) => Promise<unknown>)(input, options)
}

const everyRoute = routes().map((route) => ({ name: route.name, route }))

const everyRefusal = everyRoute.flatMap(({ name, route }) =>
  Object.entries(route.definition.responses)
    .filter(([status]) => Number(status) !== route.successStatus)
    .map(([status, schema]) => ({ name, status: Number(status), route, schema: schema as z.ZodType })),
)

test.each(everyRoute)('$name answers what the contract says', async ({ route }) => {
  const { client } = given()

  const answer = await call(client, route)

  expect(route.success.parse(answer)).toEqual(answer)
})

/** One refusal of each status first, because the mock composes those of all operations in the same way. */
const firstRefusals = everyRefusal.filter(
  ({ status, name }, index) =>
    everyRefusal.findIndex((other) => other.status === status) === index || name === 'users.create',
)
const otherRefusals = everyRefusal.filter((refusal) => !firstRefusals.includes(refusal))

test.each(sampled([...firstRefusals, ...otherRefusals], firstRefusals.length))(
  '$name answers $status on demand',
  async ({ route, status, schema }) => {
    const { client, bodies } = given()

    await expect(call(client, route, `status=${status}`)).rejects.toMatchObject({ status })
    const body: unknown = JSON.parse(bodies.at(-1) ?? '')
    expect(schema.parse(body)).toEqual(body)
  },
)

test('a code can be asked for, where a status has several', async () => {
  const { client } = given()

  const error: unknown = await client.users
    .get(
      { org_domain: 'awesome-company', user_id: 'u1' },
      { headers: { prefer: 'status=404, code=user_not_found' } },
    )
    .catch((reason: unknown) => reason)

  expect(isApiError(error, 'users.get') && error.code).toBe('user_not_found')
})

test('a code is enough to ask for an error, which has one status', async () => {
  const { client } = given()

  for (const prefer of [
    'code=user_not_found',
    'Code="user_not_found"',
    'return=minimal; code=user_not_found',
  ])
    await expect(
      client.users.get({ org_domain: 'awesome-company', user_id: 'u1' }, { headers: { prefer } }),
      prefer,
    ).rejects.toMatchObject({ status: 404, code: 'user_not_found' })
})

test('a code of an OAuth endpoint is enough, too', async () => {
  given()
  const ask = (prefer: string) =>
    fetch(`${baseUrl}/api/v2/oauth/token`, { method: 'POST', headers: { prefer } })

  const answer = await ask('code=invalid_scope')
  expect([answer.status, await answer.json()]).toEqual([
    400,
    expect.objectContaining({ error: 'invalid_scope' }),
  ])
  expect((await ask('status=503, code=temporarily_unavailable')).status).toBe(503)
  expect((await ask('code=insufficient_scope')).status).toBe(501)
})

test.each([
  ['a code that it does not declare', 'code=email_taken'],
  ['a code that does not exist', 'code=user-not-found'],
  ['a code beside another status', 'status=404, code=invalid_token'],
  ['a code beside the status of success', 'status=200, code=user_not_found'],
  ['a status that it does not declare', 'status=409'],
  ['a status that is none', 'status=4040'],
])('501: %s, with those that there are', async (_, prefer) => {
  const { bodies, client } = given()

  await expect(
    client.users.get({ org_domain: 'awesome-company', user_id: 'u1' }, { headers: { prefer } }),
  ).rejects.toMatchObject({ status: 501 })
  expect(bodies.at(-1)).toContain(`users.get does not declare ${prefer}. It declares `)
  expect(bodies.at(-1)).toContain('user_not_found (404)')
})

test('the mock answers each OAuth code with the status that the service has for it', async () => {
  given()
  const row = new Map(Object.entries(oauthErrorStatuses))
  const introspection = routes().find(({ name }) => name === 'oauth.introspect')

  for (const [code, status] of row) {
    const answer = await fetch(baseUrl + String(introspection?.path), {
      method: 'POST',
      headers: { prefer: `code=${code}` },
    })
    expect([code, answer.status]).toEqual([code, status])
  }
  expect(row.size).toBeGreaterThan(8)
})

test('a status that the operation does not declare is told, and not made up', async () => {
  const { client } = given()

  const attempt = client.organizations.list({}, { headers: { prefer: 'status=409' } })

  await expect(attempt).rejects.toMatchObject({ status: 501, code: 'unexpected_answer' })
})

test('401: an operation of the API without a bearer token', async () => {
  given()

  const { status } = await fetch(`${baseUrl}/api/v2/organizations`)

  expect(status).toBe(401)
})

test('an override answers in place of the example, as a record or as a function of the request', async () => {
  const { client } = given({
    'users.get': ({ params }) => ({ ...someUser, id: String(params['user_id']) }),
    'users.getByEmail': someUser,
    'organizations.get': () => new Response('{}', { status: 418, headers: { 'content-type': 'text/plain' } }),
  })

  const got = await client.users.get({ org_domain: 'awesome-company', user_id: 'a b' })
  const found = await client.users.getByEmail({ org_domain: 'awesome-company', user_email: 'a@b.example' })

  expect([got.id, found]).toEqual(['a b', someUser])
  await expect(client.organizations.get({ org_domain: 'x' })).rejects.toMatchObject({ status: 418 })
})

test('a parameter that an operation does not have is named, as in the sandbox, and none that it has', async () => {
  given()
  const headers = { authorization: 'Bearer x' }
  const warningOf = async (path: string, query: string) =>
    (await fetch(`${baseUrl}${path.replace(/:\w+/g, 'x')}?${query}`, { headers })).headers.get(
      'portico-warning',
    )

  expect(
    await warningOf('/api/v2/organizations', 'pages=2&page=2&per-page=5&environment=sandbox&%00=1'),
  ).toBe('ignored parameters: pages, per-page')
  expect(await warningOf('/api/v2/organizations', 'a=1&b=1&a=2&c=1&d=1&e=1&f=1')).toBe(
    'ignored parameters: a, b, c, d, e',
  )
  const warned: string[] = []
  for (const route of routes().filter(({ method }) => method === 'GET')) {
    const known = queryParametersOf(route) ?? []
    const query = known.map((name) => `${encodeURIComponent(name)}=1`).join('&')
    expect([route.name, await warningOf(route.path, query)]).toEqual([route.name, null])
    if ((await warningOf(route.path, 'unknown[one]=1')) !== null) warned.push(route.name)
  }
  const reads = routes().filter(
    (route) => route.method === 'GET' && mayWarn(route) && queryParametersOf(route) !== undefined,
  )
  expect(warned).toEqual(reads.map(({ name }) => name))
})

test('all records of a list are those of its one page', async () => {
  const { client } = given()

  const found: User[] = []
  for await (const user of client.users.list.all({ org_domain: 'awesome-company' })) found.push(user)

  expect(found).toHaveLength(1)
})

const someUser: User = { ...exampleOf(User), id: 'u1', email: 'grace@awesome.example' }

test('what was asked is recorded by operation, without credentials, until the mock is reset', async () => {
  const mock = createMock({ baseUrl, overrides: { 'users.getByEmail': someUser } })
  service.use(...mock.handlers)
  const client = givenClient()

  await client.users.create({ org_domain: 'awesome-company', email: 'grace@awesome.example' })
  await client.users.list({ org_domain: 'awesome-company', per_page: 5 })

  const [created] = mock.calls('users.create')
  expect(created).toMatchObject({
    params: { org_domain: 'awesome-company' },
    body: { email: 'grace@awesome.example' },
    status: 201,
  })
  expect(created?.headers).toHaveProperty('idempotency-key')
  expect(created?.headers).not.toHaveProperty('authorization')
  expect(mock.calls('users.list')).toMatchObject([{ query: { per_page: '5' }, body: {} }])
  expect(mock.allCalls().map(({ operation }) => operation)).toEqual([
    'oauth.apiToken',
    'users.create',
    'users.list',
  ])

  mock.override({ 'users.getByEmail': { ...someUser, id: 'u2' } })
  expect((await client.users.getByEmail({ org_domain: 'x', user_email: 'a@b.example' })).id).toBe('u2')
  mock.reset()
  expect(mock.allCalls()).toEqual([])
  expect((await client.users.getByEmail({ org_domain: 'x', user_email: 'a@b.example' })).id).toBe('u1')
})

test('a refusal is recorded with its status', async () => {
  const mock = createMock({ baseUrl })
  service.use(...mock.handlers)

  await fetch(`${baseUrl}/api/v2/organizations`)

  expect(mock.calls('organizations.list')).toMatchObject([{ status: 401 }])
})

test('an answer takes as long as its operation was told to, and no other', async () => {
  service.use(...createMockHandlers({ baseUrl, latencyMs: { 'users.list': 60_000 } }))
  const client = givenClient({ timeoutMs: 200 })

  const slow = client.users.list({ org_domain: 'x' })

  await expect(slow).rejects.toMatchObject({ reason: 'timeout' })
  await expect(client.organizations.list({})).resolves.toMatchObject({ total: 1 })
})

import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { ApiError, ConnectionError, isApiError, OAuthError } from './api-error.js'
import { createClient, type ClientOptions } from './client.js'
import { etagOf } from './etag.js'

const secret = 'keysandbox_thisIsTheSecretOfTheTest'
const token = 'header.thisIsTheToken.signature'

interface SeenRequest {
  readonly method: string
  readonly url: string
  readonly headers: Headers
  readonly body: string
}

type Reply = (request: SeenRequest) => Response | Promise<Response>

/** A client whose service is a list of replies, one for each request that is not for a token. */
function given(replies: readonly Reply[], options: Partial<ClientOptions> = {}) {
  const seen: SeenRequest[] = []
  const pauses: number[] = []
  const time = { ms: Date.parse('2026-03-14T09:26:53.589Z') }
  const tokenRequests: SeenRequest[] = []
  const client = createClient({
    baseUrl: 'https://auth.example',
    domain: 'acme',
    clientId: '0190c8b0-0000-7000-8000-000000000000',
    clientSecret: secret,
    fetch: async (input, init) => {
      const request = new Request(input, init)
      const shown = {
        method: request.method,
        url: request.url,
        headers: request.headers,
        body: await request.text(),
      }
      if (request.url.endsWith('/api/v2/oauth/token')) {
        tokenRequests.push(shown)
        return json(200, { access_token: `${token}${tokenRequests.length}`, expires_in: 3600 })
      }
      seen.push(shown)
      const reply = replies[seen.length - 1]
      if (!reply) throw new Error('a request too many')
      return reply(shown)
    },
    ...options,
    clock: {
      now: () => time.ms,
      random: () => 0.5,
      sleep: (ms) => {
        pauses.push(ms)
        return Promise.resolve()
      },
    },
  })
  return { client, seen, pauses, tokenRequests, time }
}

function json(status: number, body: object, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  })
}

const refused =
  (status: number, code: string, headers: Record<string, string> = {}): Reply =>
  () =>
    json(
      status,
      { error: { code, message: 'No.', docs_url: 'https://docs.example', request_id: 'r1' } },
      headers,
    )

const answered =
  (body: object = { id: 'u1' }, headers: Record<string, string> = {}): Reply =>
  () =>
    json(200, body, headers)

const unreachable: Reply = () => Promise.reject(new TypeError('fetch failed'))

const user = { org_domain: 'awesome-company', user_id: 'u1' }

test('path parameters go into the path, the rest of a read into the query', async () => {
  const { client, seen } = given([answered({ data: [], next_cursor: null })])

  await client.organizations.list({ page: 2, q: { environments_status_in: ['up', 'down'] } })

  const { method, url, headers } = seen[0] ?? expect.unreachable()
  expect(method).toBe('GET')
  expect(decodeURIComponent(url)).toBe(
    'https://auth.example/api/v2/organizations?page=2&q[environments_status_in][]=up&q[environments_status_in][]=down',
  )
  expect(headers.get('authorization')).toBe(`Bearer ${token}1`)
})

test('the rest of a write goes into a JSON body, without the path parameters', async () => {
  const { client, seen } = given([answered()])

  await client.users.create({ org_domain: 'awesome-company', email: 'ada@awesome.example', active: true })

  const { url, headers, body } = seen[0] ?? expect.unreachable()
  expect(url).toBe('https://auth.example/api/v2/org/awesome-company/users')
  expect(headers.get('content-type')).toBe('application/json')
  expect(JSON.parse(body)).toEqual({ email: 'ada@awesome.example', active: true })
})

test('a code is exchanged with a form, and no API token is asked for or sent', async () => {
  const { client, seen, tokenRequests } = given([answered({ access_token: 'a' })])

  await client.oauth.token({ grant_type: 'authorization_code', code: 'c&d' })

  const { headers, body } = seen[0] ?? expect.unreachable()
  expect(body).toBe('grant_type=authorization_code&code=c%26d')
  expect(headers.get('content-type')).toBe('application/x-www-form-urlencoded')
  expect(headers.has('authorization')).toBe(false)
  expect(tokenRequests).toHaveLength(0)
})

test.each(['', '.', '..'])('the path parameter %j is refused before anything is sent', async (user_id) => {
  const { client, seen, tokenRequests } = given([])

  const attempt = client.users.get({ org_domain: 'awesome-company', user_id })

  await expect(attempt).rejects.toThrow(TypeError)
  expect([...seen, ...tokenRequests]).toHaveLength(0)
})

test.each(['../admin?x=1#y', 'a/b', '%2e%2e', 'a b', 'é', '..;/x', 'a\\b', '\r\nx: y'])(
  'the hostile id %j stays one segment of the path',
  async (user_id) => {
    const { client, seen } = given([answered()])

    await client.users.get({ org_domain: 'awesome-company', user_id })

    const segments = new URL(seen[0]?.url ?? '').pathname.split('/')
    expect(segments).toHaveLength(7)
    expect(decodeURIComponent(segments[6] ?? '')).toBe(user_id)
  },
)

test('concurrent calls share one token request, and later ones its token', async () => {
  const { client, tokenRequests } = given([answered(), answered(), answered()])

  await Promise.all([client.users.get(user), client.users.get(user)])
  await client.users.get(user)

  expect(tokenRequests.map(({ body }) => body)).toEqual([
    `grant_type=client_credentials&domain=acme&client_id=0190c8b0-0000-7000-8000-000000000000&client_secret=${secret}`,
  ])
})

test('the token is renewed before it expires', async () => {
  const { client, tokenRequests, time, seen } = given([answered(), answered(), answered()])
  await client.users.get(user)

  time.ms += 3_539_000
  await client.users.get(user)
  time.ms += 1_000
  await client.users.get(user)

  expect(tokenRequests).toHaveLength(2)
  expect(seen[2]?.headers.get('authorization')).toBe(`Bearer ${token}2`)
})

test('401 invalid_token: one more attempt with a new token', async () => {
  const { client, seen, tokenRequests } = given([refused(401, 'invalid_token'), answered()])

  await client.users.get(user)

  expect(tokenRequests).toHaveLength(2)
  expect(seen[1]?.headers.get('authorization')).toBe(`Bearer ${token}2`)
})

test('401 invalid_token twice is an error, and not a loop', async () => {
  const { client, seen } = given([refused(401, 'invalid_token'), refused(401, 'invalid_token')])

  await expect(client.users.get(user)).rejects.toMatchObject({ status: 401, code: 'invalid_token' })
  expect(seen).toHaveLength(2)
})

test('401 with another code is not repeated', async () => {
  const { client, seen, tokenRequests } = given([refused(401, 'code_rejected')])

  await expect(client.users.get(user)).rejects.toMatchObject({ status: 401, code: 'code_rejected' })
  expect([seen.length, tokenRequests.length]).toEqual([1, 1])
})

test.each([429, 502, 503, 504])('%i on a read is repeated after a pause that grows', async (status) => {
  const { client, pauses } = given([refused(status, 'any'), refused(status, 'any'), answered()])

  await expect(client.users.get(user)).resolves.toEqual({ id: 'u1' })
  expect(pauses).toEqual([125, 250])
})

test('a network failure on a read is repeated, and after the last attempt it is a ConnectionError', async () => {
  const { client, seen } = given([unreachable, unreachable, unreachable])

  const attempt = client.users.get(user)

  await expect(attempt).rejects.toBeInstanceOf(ConnectionError)
  await expect(attempt).rejects.toMatchObject({ reason: 'network' })
  expect(seen).toHaveLength(3)
})

test.each([500, 400, 404, 409, 412])('%i is not repeated', async (status) => {
  const { client, seen } = given([refused(status, 'any')])

  await expect(client.users.get(user)).rejects.toMatchObject({ status })
  expect(seen).toHaveLength(1)
})

test('Retry-After in seconds lengthens the pause', async () => {
  const { client, pauses } = given([refused(429, 'rate_limited', { 'retry-after': '7' }), answered()])

  await client.users.get(user)

  expect(pauses).toEqual([7_125])
})

test('Retry-After as a date lengthens the pause', async () => {
  const date = 'Sat, 14 Mar 2026 09:27:03 GMT'
  const { client, pauses } = given([refused(503, 'unavailable', { 'retry-after': date }), answered()])

  await client.users.get(user)

  expect(pauses).toEqual([10_125])
})

test('a Retry-After of more than a minute is left to the caller', async () => {
  const { client, pauses } = given([refused(429, 'rate_limited', { 'retry-after': '3600' })])

  await expect(client.users.get(user)).rejects.toMatchObject({ retryAfterSeconds: 3600 })
  expect(pauses).toEqual([])
})

test('a POST that creates keeps its Idempotency-Key when it is repeated', async () => {
  const { client, seen } = given([unreachable, refused(503, 'unavailable'), answered()])

  await client.users.create({ org_domain: 'awesome-company', email: 'ada@awesome.example' })

  const keys = seen.map(({ headers }) => headers.get('idempotency-key'))
  expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/)
  expect(new Set(keys).size).toBe(1)
  expect(new Set(seen.map(({ body }) => body)).size).toBe(1)
})

test('two calls have two Idempotency-Keys, and a given one is sent as it is', async () => {
  const { client, seen } = given([answered(), answered(), answered()])
  const input = { org_domain: 'awesome-company', email: 'ada@awesome.example' }

  await client.users.create(input)
  await client.users.create(input)
  await client.users.create(input, { idempotencyKey: 'order-1815' })

  const keys = seen.map(({ headers }) => headers.get('idempotency-key'))
  expect(new Set(keys).size).toBe(3)
  expect(keys[2]).toBe('order-1815')
})

test('a repetition that meets its own first attempt waits for it', async () => {
  const { client, seen } = given([unreachable, refused(409, 'idempotency_in_flight'), answered()])

  await client.users.create({ org_domain: 'awesome-company', email: 'ada@awesome.example' })

  expect(seen).toHaveLength(3)
})

test.each([
  ['an unreachable service', unreachable],
  ['503', refused(503, 'unavailable')],
  ['429', refused(429, 'rate_limited')],
])('a POST without an Idempotency-Key is never repeated: %s', async (_, reply) => {
  const { client, seen } = given([reply])

  await expect(client.magicLink.createChallenge({ user_email: 'ada@awesome.example' })).rejects.toThrow()
  expect(seen).toHaveLength(1)
})

test('a change under If-Match is not repeated when its answer is lost, only when it was refused', async () => {
  const lost = given([unreachable])
  const refusedFirst = given([refused(503, 'unavailable'), answered()])
  const change = { ...user, active: false }

  await expect(lost.client.users.update(change, { ifMatch: '"3"' })).rejects.toBeInstanceOf(ConnectionError)
  await refusedFirst.client.users.update(change, { ifMatch: '"3"' })

  expect(lost.seen).toHaveLength(1)
  expect(refusedFirst.seen.map(({ headers }) => headers.get('if-match'))).toEqual(['"3"', '"3"'])
})

test('the ETag of an answer is known beside the record, and not of a copy', async () => {
  const { client } = given([answered({ id: 'u1' }, { etag: '"3"' })])

  const record = await client.users.get(user)

  expect(etagOf(record)).toBe('"3"')
  expect(record).toEqual({ id: 'u1' })
  expect(() => etagOf({ ...record })).toThrow(TypeError)
})

test('an error carries what the service said', async () => {
  const fields = [{ path: 'email', code: 'invalid', message: 'must be an e-mail address' }]
  const body = {
    error: {
      code: 'invalid_parameters',
      message: 'No.',
      docs_url: 'https://d.example',
      request_id: 'r7',
      fields,
    },
  }
  const { client } = given([() => json(422, body)])

  const error: unknown = await client.users
    .create({ org_domain: 'awesome-company', email: 'x' })
    .catch((reason: unknown) => reason)

  expect(error).toBeInstanceOf(ApiError)
  expect(JSON.parse(JSON.stringify(error))).toEqual({
    name: 'ApiError',
    operation: 'users.create',
    status: 422,
    code: 'invalid_parameters',
    message: 'users.create: 422 invalid_parameters: No.',
    fields,
    requestId: 'r7',
    docsUrl: 'https://d.example',
  })
  expect(isApiError(error, 'users.create')).toBe(true)
  expect(isApiError(error, 'users.get')).toBe(false)
})

test('the codes of an error are narrowed to those of the operation', async () => {
  const { client } = given([refused(409, 'email_taken')])

  const error: unknown = await client.users
    .create({ org_domain: 'awesome-company', email: 'ada@awesome.example' })
    .catch((reason: unknown) => reason)

  if (!isApiError(error, 'users.create')) expect.unreachable()
  // @ts-expect-error No answer of users.create has this code, and the compiler knows.
  expect(error.code === 'meta_key_taken').toBe(false)
  expect(error.code === 'email_taken').toBe(true)
})

test('an OAuth endpoint’s refusal is an OAuthError', async () => {
  const { client } = given([() => json(400, { error: 'invalid_grant', error_description: 'Used.' })])

  const attempt = client.oauth.token({ grant_type: 'authorization_code', code: 'c' })

  await expect(attempt).rejects.toBeInstanceOf(OAuthError)
  await expect(attempt).rejects.toMatchObject({ status: 400, code: 'invalid_grant' })
})

test.each([
  [
    'the page of a proxy',
    () => new Response('<html>', { status: 500, headers: { 'content-type': 'text/html' } }),
  ],
  [
    'a redirect',
    () => new Response(null, { status: 302, headers: { location: 'https://elsewhere.example' } }),
  ],
  ['a success that is no JSON', () => new Response('ok', { headers: { 'content-type': 'text/plain' } })],
  [
    'a success that is broken JSON',
    () => new Response('{', { headers: { 'content-type': 'application/json' } }),
  ],
  ['a success that is a list', () => new Response('[]', { headers: { 'content-type': 'application/json' } })],
])('%s is an unexpected answer', async (_, reply) => {
  const { client } = given([reply])

  await expect(client.users.get(user)).rejects.toMatchObject({ code: 'unexpected_answer' })
})

test('all records of a list come page by page', async () => {
  const { client, seen } = given([
    answered({ data: [{ id: 'u1' }, { id: 'u2' }], next_cursor: 'c2' }),
    answered({ data: [{ id: 'u3' }], next_cursor: null }),
  ])

  const ids: string[] = []
  for await (const { id } of client.users.list.all({ org_domain: 'awesome-company' })) ids.push(id)

  expect(ids).toEqual(['u1', 'u2', 'u3'])
  expect(seen.map(({ url }) => new URL(url).search)).toEqual(['?per_page=100', '?per_page=100&after=c2'])
})

test('a cursor that leads to itself is an error, and not a loop', async () => {
  const page = answered({ data: [], next_cursor: 'c1' })
  const { client } = given([page, page, page])

  const walk = async () => {
    for await (const record of client.users.list.all({ org_domain: 'awesome-company' })) expect(record)
  }

  await expect(walk()).rejects.toThrow('does not go on')
})

test('printing or serializing the client or its errors shows no secret and no token', async () => {
  const { client } = given([
    answered(),
    refused(404, 'user_not_found'),
    unreachable,
    unreachable,
    unreachable,
  ])
  await client.users.get(user)
  const error: unknown = await client.users.get(user).catch((reason: unknown) => reason)
  const failure: unknown = await client.users.get(user).catch((reason: unknown) => reason)

  const shown = [client, client.users, error, failure].flatMap((value) => [
    inspect(value, { depth: Infinity, showHidden: true }),
    JSON.stringify(value),
    String(value),
  ])

  expect(shown.join()).not.toMatch(/thisIsThe/)
})

test('a call whose signal is aborted already sends nothing', async () => {
  const { client, seen, tokenRequests } = given([])

  const attempt = client.users.get(user, { signal: AbortSignal.abort(new Error('not any more')) })

  await expect(attempt).rejects.toThrow('not any more')
  expect([...seen, ...tokenRequests]).toHaveLength(0)
})

test.each([
  'http://auth.example',
  'https://user:password@auth.example',
  'https://auth.example/?x=1',
  'ftp://auth.example',
  'auth.example',
])('the address %s is refused', (baseUrl) => {
  expect(() => given([], { baseUrl })).toThrow(TypeError)
})

test('a header of the caller does not replace one of the client', async () => {
  const { client, seen } = given([answered()])

  await client.users.get(user, { headers: { authorization: 'Bearer mine', 'x-request-id': 'mine' } })

  expect(seen[0]?.headers.get('authorization')).toBe(`Bearer ${token}1`)
  expect(seen[0]?.headers.get('x-request-id')).toBe('mine')
})

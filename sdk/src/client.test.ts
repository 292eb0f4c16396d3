import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { ApiError, isApiError, OAuthError } from './api-error.js'
import { etagOf } from './etag.js'
import { answered, given, json, refused, token, unreachable, user } from './client.given.js'

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

test('a warning is told once for each operation and parameter', async () => {
  const warnings: string[] = []
  const warned = (names: string) => () =>
    json(200, { data: [] }, { 'portico-warning': `ignored parameters: ${names}` })
  const { client } = given([warned('a, q[b]'), warned('a, c-d'), warned('a')], {
    onWarning: (message) => warnings.push(message),
  })

  await client.users.list({ org_domain: 'awesome-company' })
  await client.users.list({ org_domain: 'awesome-company' })
  await client.organizations.list()

  expect(warnings).toEqual(
    ['users.list a', 'users.list q[b]', 'users.list c-d', 'organizations.list a'].map((warning) => {
      const [operation, name] = warning.split(' ')
      return `${operation} has no parameter ${name}, and ignores it.`
    }),
  )
})

test('a warning about scopes is told as one, also behind one about parameters', async () => {
  const warnings: string[] = []
  const warning = 'ignored parameters: a; ignored scopes: read:users, groups'
  const { client } = given([() => json(200, { data: [] }, { 'portico-warning': warning })], {
    onWarning: (message) => warnings.push(message),
  })

  await client.users.list({ org_domain: 'awesome-company' })

  expect(warnings).toEqual([
    'users.list has no parameter a, and ignores it.',
    'users.list has no scope read:users, and ignores it.',
    'users.list has no scope groups, and ignores it.',
  ])
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
    message: 'users.create: 422 invalid_parameters: email must be an e-mail address',
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
  // @ts-expect-error The compiler knows that no answer of users.create has this code.
  expect(error.code === 'meta_key_taken').toBe(false)
  expect(error.code === 'email_taken').toBe(true)
})

test('a password challenge has no code before valid? was looked at', async () => {
  const { client } = given([answered({ 'valid?': false, error: 'invalid_credentials' })])

  const challenge = await client.password.createChallenge({
    user_email: 'ada@awesome.example',
    plain_text: 'x',
  })

  // @ts-expect-error The compiler knows that a refused challenge has no code.
  expect(challenge.code).toBeUndefined()
  if (challenge['valid?']) expect(challenge.code).toBeDefined()
  // @ts-expect-error The other branch has none either.
  else expect(challenge.code).toBeUndefined()
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

import { errorCodes } from '@portico/contract/errors'
import { bodyOf, routes, type Route } from '@portico/contract/walk'
import { readFile } from 'node:fs/promises'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { anyEmail, anything } from '../given.js'
import { startService, type Service } from '../harness.js'
import { bodyFor, pathOf, send, type References } from '../request-of.js'
import { createWorld } from '../world.js'

let service: Service
let token: string
let world: References
let users: string

beforeAll(async () => {
  service = await startService()
  token = await service.token()
  world = await createWorld(service)
  users = `/api/v2/org/${world['org_domain'] ?? ''}/users`
})

const keyed = routes().filter((route) => route.access.auth === 'api_key')
const organizations = '/api/v2/organizations'

interface Answer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

/** As they are sent: an array is a header for each of its items. */
type Headers = Record<string, string | number | string[] | undefined>

interface RawRequest {
  readonly method?: string
  readonly path?: string
  readonly headers?: Headers
  readonly body?: string | Buffer
  readonly of?: Service
}

/** A request as no client library would send it: path and headers go out as they are. */
function raw({
  method = 'GET',
  path = organizations,
  headers,
  body,
  of = service,
}: RawRequest): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { host: '127.0.0.1', port: of.deps.config.port, method, path, headers: { ...bearer(), ...headers } },
      (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
        )
      },
    )
    request.on('error', reject).end(body)
  })
}

function bearer(): Headers {
  return { authorization: `Bearer ${token}` }
}

function post(body: string | Buffer, type = 'application/json', headers: Headers = {}): Promise<Answer> {
  const length = { 'content-type': type, 'content-length': Buffer.byteLength(body) }
  return raw({ method: 'POST', path: users, body, headers: { ...length, ...headers } })
}

/** Expects the error body, the status of its code, and nothing of what is behind it. */
function expectError(answer: Answer, code: keyof typeof errorCodes): void {
  expect([answer.status, answer.text]).toEqual([
    errorCodes[code].status,
    expect.stringContaining(`"${code}"`),
  ])
  const { error } = JSON.parse(answer.text) as { error: Record<string, unknown> }
  expect(error).toMatchObject({
    code,
    message: expect.stringMatching(/\w/),
    docs_url: `${service.baseUrl}/docs#${code}`,
    request_id: answer.headers['x-request-id'],
  })
  expectNothingInside(answer.text)
}

function expectNothingInside(text: string): void {
  expect(text).not.toMatch(/node_modules|node:|\bat \w+.* \(|\.[jt]s:\d|Error:/)
  expect(text).not.toMatch(/express|kysely|zod|ts-rest|body-parser|postgres|select .* from|constraint/i)
}

describe('X-Request-Id', () => {
  test.each(['a', 'A-1_b.c', 'x'.repeat(128)])('%s is used', async (id) => {
    const answer = await raw({ headers: { 'x-request-id': id } })
    expect(answer.headers['x-request-id']).toBe(id)
  })

  test.each([
    ['empty', ''],
    ['too long', 'x'.repeat(129)],
    ['spaced', 'a b'],
    ['marked', 'a"b'],
    ['foreign', 'é'],
  ])('one that is %s gives way to a new one', async (_what, id) => {
    const answers = await Promise.all([1, 2].map(() => raw({ headers: { 'x-request-id': id } })))
    const [first, second] = answers.map((answer) => answer.headers['x-request-id'])
    expect(first).toMatch(/^[0-9a-f-]{36}$/)
    expect(second).not.toBe(first)
  })

  test('two of them give way to a new one, and every failure names its own', async () => {
    const twice = await raw({ headers: { 'x-request-id': ['a', 'b'] } })
    expect(twice.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
    const headers = { 'x-request-id': 'mine' }
    expectError(await raw({ path: '/nowhere', headers }), 'route_not_found')
    expectError(await raw({ headers: { ...headers, authorization: 'none' } }), 'invalid_token')
  })
})

describe('methods and paths', () => {
  test.each(keyed.filter((route) => route.method === 'GET').map((route) => [route.name, route] as const))(
    'HEAD of %s answers the headers of its GET and no body',
    async (_name, route) => {
      const path = pathOf(route, world)
      const [get, head] = await Promise.all([raw({ path }), raw({ path, method: 'HEAD' })])
      const compared = ({ status, headers }: Answer) => [status, headers['content-type'], headers.etag]
      expect(compared(head)).toEqual(compared(get))
      expect(head.headers['content-length']).toBe(get.headers['content-length'])
      expect(head.text).toBe('')
    },
  )

  test('405 names the methods that the path takes, to everybody', async () => {
    for (const path of new Set(routes().map((route) => route.path))) {
      const sharing = routes().filter((route) => route.path === path)
      const allowed = sharing.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
      const others = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((method) => !allowed.includes(method))
      const filled = path.replace(/:(\w+)/g, (_match, name: string) => world[name] ?? '')
      for (const method of others) {
        const answer = await raw({ method, path: filled, headers: { authorization: '' } })
        expect([path, method, answer.status]).toEqual([path, method, 405])
        expect(answer.headers.allow?.split(', ').sort()).toEqual([...allowed].sort())
        expectError(answer, 'method_not_allowed')
      }
    }
  })

  test.each([
    '/',
    '/api',
    '/api/v2',
    '/api/v2/nowhere',
    '/api/v1/organizations',
    '//',
    '/api/v2//organizations',
  ])('404: no operation has the path %s', async (path) => {
    for (const method of ['GET', 'POST', 'DELETE'])
      expectError(await raw({ method, path }), 'route_not_found')
  })

  test.each([
    ['%zz', 400],
    ['%00', 404],
    ['%F0%28', 400],
    ['%ED%A0%80', 400],
    ['..%2f..%2fetc%2fpasswd', 404],
    ['x'.repeat(12_000), 404],
    ["'%20or%20true%20--", 404],
    ['%F0%9F%92%A5', 404],
  ])('a path with %s is %i and never a 500', async (segment, status) => {
    for (const path of [`${organizations}/${segment}`, `${users}/${segment}`]) {
      const answer = await raw({ path })
      expect([path.slice(0, 60), answer.status]).toEqual([path.slice(0, 60), status])
      expectNothingInside(answer.text)
    }
  })

  test('a path longer than all headers may be is refused', async () => {
    const answer = await raw({ path: `${organizations}/${'x'.repeat(100_000)}` })
    expect([414, 431]).toContain(answer.status)
    expectNothingInside(answer.text)
  })

  test('an environment that is not the key’s: 422 on every single read, an empty list on every list', async () => {
    for (const route of keyed.filter(({ method }) => method === 'GET')) {
      const path = pathOf(route, world)
      const same = await raw({ path: `${path}?environment=SANDBOX` })
      const other = await raw({ path: `${path}?environment=production` })
      const isList = 'total' in (JSON.parse(same.text) as object)
      expect.soft([route.name, same.status, other.status]).toEqual([route.name, 200, isList ? 200 : 422])
      if (isList) expect.soft([route.name, JSON.parse(other.text)]).toMatchObject([route.name, { data: [] }])
    }
  })
})

describe('bodies', () => {
  const user = () => JSON.stringify({ email: anyEmail() })

  test.each([
    'text/plain',
    'text/xml',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'application/json; charset=latin1',
    'application/json; charset=nonsense',
    'nonsense',
    '',
  ])('415: the type %j', async (type) => {
    expectError(await post(user(), type), 'media_type_unsupported')
  })

  test('JSON in UTF-8 is read under the names that it has', async () => {
    for (const type of [
      'application/json',
      'application/json; charset=utf-8',
      'APPLICATION/JSON;CHARSET="UTF-8"',
    ])
      expect([type, (await post(user(), type)).status]).toEqual([type, 201])
  })

  test('415: an encoding that nobody reads; a gzip body is read', async () => {
    const encoded = (coding: string, body: Buffer) => post(body, undefined, { 'content-encoding': coding })
    expectError(await encoded('nonsense', Buffer.from(user())), 'media_type_unsupported')
    expect((await encoded('gzip', gzipSync(user()))).status).toBe(201)
    expectError(await encoded('gzip', gzipSync(user()).subarray(0, 20)), 'malformed_request')
    expectError(await encoded('gzip', Buffer.from(user())), 'malformed_request')
  })

  test('413: more than 100 kB, however it is sent: announced, in pieces, or packed', async () => {
    const large = JSON.stringify({ email: anyEmail(), given_name: 'x'.repeat(110_000) })
    expectError(await post(large), 'body_too_large')
    expectError(
      await post(`email=${'x'.repeat(110_000)}`, 'application/x-www-form-urlencoded'),
      'body_too_large',
    )
    const pieces = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' }
    expectError(await raw({ method: 'POST', path: users, headers: pieces, body: large }), 'body_too_large')
    const bomb = gzipSync(Buffer.alloc(50_000_000, 'x'))
    expectError(await post(bomb, undefined, { 'content-encoding': 'gzip' }), 'body_too_large')
  })

  test.each(['{', '{"email":}', 'nonsense', '"text"', '7', 'null', '{"a":1}}', '\u0000', '{"a":"\n"}'])(
    '400: %j is no JSON object',
    async (body) => {
      expectError(await post(body), 'malformed_request')
    },
  )

  test('a body that is not there is one without members', async () => {
    for (const headers of [{ 'content-length': 0 }, { 'content-length': 0, 'content-type': 'text/plain' }])
      expectError(await raw({ method: 'POST', path: users, headers }), 'invalid_parameters')
  })

  test.each([
    ['an array', '[]'],
    ['ten thousand levels', `{"email":${'['.repeat(10_000)}${']'.repeat(10_000)}}`],
    ['ten thousand objects in each other', `{"profile":${'{"profile":'.repeat(8000)}1${'}'.repeat(8000)}}`],
    ['a prototype', '{"__proto__":{"polluted":1}}'],
    ['a prototype inside', '{"profile":{"__proto__":{"polluted":1}}}'],
    ['a constructor', '{"constructor":{"prototype":{"polluted":1}}}'],
    ['members of every object', '{"toString":1,"hasOwnProperty":1,"valueOf":1}'],
    ['half a surrogate pair', '{"given_name":"\\ud800"}'],
    ['the other half', '{"given_name":"x\\udc00"}'],
    ['half a pair as a name', '{"\\ud800":1}'],
    ['a NUL', '{"given_name":"a\\u0000b"}'],
    ['a NUL as a name', '{"a\\u0000b":1}'],
    ['a NUL deep down', '{"metadata":[{"key":"k","value":"\\u0000"}]}'],
    ['a huge number', '{"active":1e999}'],
  ])('422: %s', async (_what, body) => {
    expectError(
      await post(body.replace(/^\{/, `{"email":"${anyEmail()}",`).replace(',}', '}')),
      'invalid_parameters',
    )
    expect('polluted' in {}).toBe(false)
  })

  test('20,000 members are refused with an answer no larger than the request', async () => {
    const members = Array.from({ length: 12_000 }, (_, index) => `"${index.toString(36)}":0`).join(',')
    const answer = await post(`{${members}}`)
    expectError(answer, 'invalid_parameters')
    expect.soft(answer.text.length).toBeLessThan(100_000)
    const form = await post('a=1&'.repeat(20_000), 'application/x-www-form-urlencoded')
    expect(form.status).toBeGreaterThanOrEqual(400)
    expect(form.status).toBeLessThan(500)
    expectNothingInside(form.text)
  })

  test.each([
    ['__proto__[polluted]=1', 201],
    ['constructor[prototype][polluted]=1', 422],
    ['toString=1', 422],
    ['given_name=%00', 422],
    ['profile[given_name]=a%00b', 422],
    ['no_such_member=1', 422],
    [`${'profile[x]'.padEnd(500, '[x]')}=1`, 422],
  ])('in the query string of a write, %s is %i', async (query, status) => {
    const body = user()
    const headers = { 'content-type': 'application/json' }
    const answer = await raw({ method: 'POST', path: `${users}?${query}`, headers, body })
    expect([201, status]).toContain(answer.status)
    expectNothingInside(answer.text)
    expect('polluted' in {}).toBe(false)
  })

  test.each([
    ['emoji joined to families', '👩‍👩‍👧‍👦🏳️‍🌈'],
    ['right to left with marks', '\u202Eשלום\u202C عربى\u200F'],
    ['combining, not composed', 'e\u0301 A\u030A'],
    ['composed, not combining', 'é Å'],
    ['separators and spaces', '  a\u2028b\u2029c\u00A0\uFEFF\t\r\n '],
    ['outside the plane, private and unassigned', '𝔘𠜎\uE000\uFFFF\u{10FFFF}'],
    ['controls', '\u0001\u001F\u007F\u0085'],
    ['what means something elsewhere', '<b>&amp;\'"\\ %25 ${x} {{y}} $1 \\u0000 --'],
  ])('text is stored exactly: %s', async (_what, text) => {
    const client = await service.client()
    const org_domain = world['org_domain'] ?? ''
    const byJson = await client.users.create({ org_domain, email: anyEmail(), nickname: text })
    const read = await client.users.get({ org_domain, user_id: byJson.id })
    expect(read).toMatchObject({ profile: { nickname: text } })
    const form = new URLSearchParams({ email: anyEmail(), nickname: text }).toString()
    const byForm = await post(form, 'application/x-www-form-urlencoded')
    expect(JSON.parse(byForm.text)).toMatchObject({ profile: { nickname: text } })
  })
})

describe('headers', () => {
  test('sent twice, they are never an error of the service', async () => {
    const twice: Headers[] = [
      { 'idempotency-key': ['a', 'b'] },
      { 'if-match': ['"1"', '"2"'] },
      { 'content-type': ['application/json', 'text/xml'] },
      { 'x-forwarded-proto': ['https', 'http'] },
      { authorization: [`Bearer ${token}`, 'Bearer other'] },
    ]
    for (const headers of twice) {
      const body = JSON.stringify({ email: anyEmail() })
      const type = { 'content-type': 'application/json' }
      const answer = await raw({ method: 'POST', path: users, headers: { ...type, ...headers }, body })
      expect([headers, answer.status]).toEqual([headers, expect.toSatisfy((status) => status < 500)])
      expectNothingInside(answer.text)
    }
  })

  test('422: an Idempotency-Key is 1 to 255 characters', async () => {
    const withKey = (key: string) =>
      post(JSON.stringify({ email: anyEmail() }), undefined, { 'idempotency-key': key })
    expect((await withKey('k'.repeat(255))).status).toBe(201)
    for (const key of ['', 'k'.repeat(256)]) expectError(await withKey(key), 'invalid_parameters')
  })

  test('no operation of the API is open to scripts of other origins', async () => {
    const headers = { origin: 'https://evil.example', 'access-control-request-method': 'GET' }
    for (const route of keyed) {
      const path = pathOf(route, world)
      const answers = await Promise.all([raw({ path, method: 'OPTIONS', headers }), raw({ path, headers })])
      const names = answers.flatMap((answer) => Object.keys(answer.headers))
      expect([route.name, names.filter((name) => name.startsWith('access-control-'))]).toEqual([
        route.name,
        [],
      ])
    }
  })
})

describe('secrets', () => {
  const withSecrets = routes().filter((route) => secretMembersOf(route).length > 0)

  function secretMembersOf(route: Route): string[] {
    const { shape = {} } = (bodyOf(route) ?? {}) as unknown as { shape?: Record<string, Marked> }
    return Object.keys(shape).filter((name) => shape[name]?.meta()?.['x-sensitivity'] === 'secret')
  }

  interface Marked {
    meta(): Record<string, unknown> | undefined
  }

  test.each(withSecrets.map((route) => [route.name, route] as const))(
    '%s refuses each of its secrets in the query string',
    async (_name, route) => {
      for (const name of secretMembersOf(route)) {
        const secret = `secret-${anything()}`
        const { [name]: _, ...body } = bodyFor(route, world) ?? {}
        const answer = await raw({
          method: route.method,
          path: `${pathOf(route, world)}?${name}=${secret}`,
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        })
        expect([name, answer.status, answer.text]).toEqual([
          name,
          400,
          expect.stringContaining('invalid_request'),
        ])
        expect(answer.text).not.toContain(secret)
      }
    },
  )

  test('a token is not taken from the query string or from the body', async () => {
    const authorization = { authorization: '' }
    expectError(
      await raw({ path: `${organizations}?access_token=${token}`, headers: authorization }),
      'invalid_token',
    )
    const form = `access_token=${token}&name=x`
    const headers = { ...authorization, 'content-type': 'application/x-www-form-urlencoded' }
    expectError(await raw({ method: 'POST', headers, body: form }), 'invalid_token')
  })
})

describe('HTTPS', () => {
  const https = { BASE_URL: 'https://localhost' }

  test('where the public address is https, plain requests are refused before any credential is read', async () => {
    const strict = await startService({
      databaseUrl: service.databaseUrl,
      variables: { ...https, TRUSTED_PROXIES: '127.0.0.1' },
    })
    const ask = (headers: Headers, path = organizations) => raw({ of: strict, path, headers })
    for (const headers of [{}, { authorization: '' }, { 'x-forwarded-proto': 'http' }]) {
      const answer = await ask(headers)
      expect([answer.status, answer.text]).toEqual([403, expect.stringContaining('https_required')])
    }
    expect((await ask({}, '/t/nowhere/.well-known/jwks.json')).status).toBe(403)
    expect((await ask({ 'x-forwarded-proto': 'https', authorization: '' })).status).toBe(401)
    for (const path of ['/healthz', '/readyz']) expect((await ask({}, path)).status).toBe(200)
  })

  test('a header that no trusted proxy has sent proves nothing', async () => {
    const open = await startService({ databaseUrl: service.databaseUrl, variables: https })
    expect((await raw({ of: open, headers: { 'x-forwarded-proto': 'https' } })).status).toBe(403)
  })

  test('links are built from the configured address, whatever Host and forwarded headers say', async () => {
    const headers = {
      ...{ host: 'evil.example', 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' },
      'content-type': 'application/json',
    }
    const { org_domain, user_email } = world
    const body = JSON.stringify({ org_domain, user_email, send_email: false })
    const challenge = await raw({ method: 'POST', path: '/api/v2/magic-link-challenge', headers, body })
    const { magic_link } = JSON.parse(challenge.text) as { magic_link: string }
    expect(magic_link.startsWith(`${service.baseUrl}/t/`)).toBe(true)
    const discovery = await raw({ path: `/t/${org_domain ?? ''}/.well-known/openid-configuration`, headers })
    expect([challenge.text, discovery.text].join()).not.toContain('evil')
    expectError(await raw({ path: '/nowhere', headers }), 'route_not_found')
  })
})

test('every error code has its place in the reference that docs_url leads to', async () => {
  const page = await readFile(new URL('../../docs/site/index.html', import.meta.url), 'utf8')
  expect(Object.keys(errorCodes).filter((code) => !page.includes(`id="${code}"`))).toEqual([])
  const answer = await raw({ path: '/docs' })
  expect([answer.status, answer.headers['content-type']]).toEqual([200, expect.stringContaining('text/html')])
})

test('GET takes no body, and a write without a schema no members', async () => {
  const removal = routes().find((route) => route.name === 'users.delete')
  if (removal === undefined) throw new Error('users.delete is not in the contract')
  const answer = await send(removal, { baseUrl: service.baseUrl, token, references: world, body: { x: 1 } })
  expect(answer.status).toBe(422)
  const headers = { 'content-type': 'application/json', 'content-length': 1 }
  expect((await raw({ headers, body: '{' })).status).toBe(200)
})

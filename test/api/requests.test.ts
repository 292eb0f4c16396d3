import { bodyOf, routes, type Route } from '@portico/contract/walk'
import { describe, expect, test } from 'vitest'
import { longTest } from '../sampled.js'
import { anyEmail, anything } from '../given/given.js'
import { startService } from '../given/harness.js'
import { bodyFor, pathOf, send } from '../given/request-of.js'
import { createWorld } from '../given/world.js'
import { bareOf, expectNothingInside, organizations, type Answer, type Headers } from './bare-request.js'

const service = await startService()
const token = await service.token()
const world = await createWorld(service)
const users = `/api/v2/org/${world['org_domain'] ?? ''}/users`
const { raw, post, expectError } = bareOf(service, token, users)

const keyed = routes().filter((route) => route.access.auth === 'api_key')

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

  longTest('405 names the methods that the path takes, to everybody', async () => {
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

  test('a creation in an organization of %00 is 404, as in any that is not there', async () => {
    const creations: [string, object][] = [
      ['users', { email: 'ada@people.example' }],
      ['directory-sync', { provider_type: 'custom_scim' }],
      [
        'applications',
        {
          name: 'App',
          application_type: 'spa',
          allowed_redirect_urls: [],
          allowed_origins_cors: [],
          allowed_logout_urls: [],
        },
      ],
    ]
    for (const [path, body] of creations) {
      const answer = await raw({
        ...{ method: 'POST', path: `/api/v2/org/%00/${path}`, body: JSON.stringify(body) },
        headers: { 'content-type': 'application/json' },
      })
      expect([path, answer.status]).toEqual([path, 404])
    }
  })

  test('a path longer than all headers may be is refused', async () => {
    const answer = await raw({ path: `${organizations}/${'x'.repeat(20_000)}` })
    expect([414, 431]).toContain(answer.status)
    expectNothingInside(answer.text)
  })

  test('an environment that is not the key’s: 422 on every single read, an empty list on every list', async () => {
    for (const route of keyed.filter(({ method }) => method === 'GET')) {
      const path = pathOf(route, world)
      const same = await raw({ path: `${path}?environment=SANDBOX` })
      const other = await raw({ path: `${path}?environment=production` })
      const isList = /"total(_count)?":/.test(same.text)
      expect.soft([route.name, same.status, other.status]).toEqual([route.name, 200, isList ? 200 : 422])
      if (isList) expect.soft([route.name, JSON.parse(other.text)]).toMatchObject([route.name, { data: [] }])
    }
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

  longTest('no operation of the API is open to scripts of other origins', async () => {
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
        const isOfApi = route.access.auth === 'api_key'
        expect([name, answer.status, answer.text]).toEqual([
          name,
          isOfApi ? 422 : 400,
          expect.stringContaining(isOfApi ? 'secret_in_query' : 'invalid_request'),
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

test('GET takes no body, and a write without a schema no members', async () => {
  const removal = routes().find((route) => route.name === 'users.delete')
  if (removal === undefined) throw new Error('users.delete is not in the contract')
  const answer = await send(removal, { baseUrl: service.baseUrl, token, references: world, body: { x: 1 } })
  expect(answer.status).toBe(422)
  const headers = { 'content-type': 'application/json', 'content-length': 1 }
  expect((await raw({ headers, body: '{' })).status).toBe(200)
})

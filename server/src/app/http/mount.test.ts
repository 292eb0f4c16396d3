import { once } from 'node:events'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { initContract, type AppRouter } from '@ts-rest/core'
import { createExpressEndpoints, initServer, type TsRestExpressOptions } from '@ts-rest/express'
import express, { type ErrorRequestHandler, type Express } from 'express'
import { afterAll, describe, expect, test } from 'vitest'
import { z } from 'zod/v4'
import { allowedMethods, mountContract } from './mount.js'

const c = initContract()
const s = initServer()

const Answer = z.object({ route: z.string(), params: z.record(z.string(), z.string()).optional() })
const one = { responses: { 200: Answer } }

const contract = c.router({
  users: {
    list: {
      ...one,
      method: 'GET',
      path: '/api/v2/org/:org_domain/users',
      query: z.object({ page: z.coerce.number().optional() }),
    },
    create: {
      ...one,
      method: 'POST',
      path: '/api/v2/org/:org_domain/users',
      body: z.object({ email: z.string() }),
    },
    get: { ...one, method: 'GET', path: '/api/v2/org/:org_domain/users/:user_id' },
    remove: { ...one, method: 'DELETE', path: '/api/v2/org/:org_domain/users/:user_id' },
    // Declared after the parameter, which takes it: as in Express, the first that fits answers.
    hidden: { ...one, method: 'GET', path: '/api/v2/org/:org_domain/users/hidden' },
    search: { ...one, method: 'POST', path: '/api/v2/org/:org_domain/users/search', body: z.object({}) },
    sessions: { ...one, method: 'GET', path: '/api/v2/org/:org_domain/users/:user_id/sessions' },
  },
  applications: {
    // Declared before the parameter, so that it has a path of its own.
    sample: { ...one, method: 'GET', path: '/api/v2/org/:org_domain/applications/sample' },
    get: { ...one, method: 'GET', path: '/api/v2/org/:org_domain/applications/:application_id' },
    change: {
      ...one,
      method: 'PUT',
      path: '/api/v2/org/:org_domain/applications/:application_id',
      body: z.object({}),
    },
  },
  organizations: {
    list: { ...one, method: 'GET', path: '/api/v2/org' },
    get: { ...one, method: 'GET', path: '/api/v2/org/:org_domain' },
    fails: { ...one, method: 'GET', path: '/api/v2/org/:org_domain/fails' },
  },
  token: { ...one, method: 'POST', path: '/oauth/token', body: z.object({}) },
  discovery: { ...one, method: 'GET', path: '/t/:org_domain/.well-known/openid-configuration' },
  anyTwo: { ...one, method: 'GET', path: '/:first/:second' },
})

const implementation = s.router(contract, {
  users: {
    list: async ({ params, query }) => answer(`users.list ${query.page}`, params),
    create: async ({ params, body }) => answer(`users.create ${body.email}`, params),
    get: async ({ params }) => answer('users.get', params),
    remove: async ({ params }) => answer('users.remove', params),
    hidden: async ({ params }) => answer('users.hidden', params),
    search: async ({ params }) => answer('users.search', params),
    sessions: {
      middleware: [(_, res, next) => void (res.set('x-middleware', 'sessions'), next())],
      handler: async ({ params }) => answer('users.sessions', params),
    },
  },
  applications: {
    sample: async ({ params }) => answer('applications.sample', params),
    get: async ({ params }) => answer('applications.get', params),
    change: async ({ params }) => answer('applications.change', params),
  },
  organizations: {
    list: async () => answer('organizations.list'),
    get: async ({ params }) => answer('organizations.get', params),
    fails: async () => {
      throw new Error('failed')
    },
  },
  token: async () => answer('token'),
  discovery: async ({ params }) => answer('discovery', params),
  anyTwo: async ({ params }) => answer('anyTwo', params),
})

function answer(route: string, params?: Record<string, string>) {
  return { status: 200 as const, body: { route, params } }
}

const options: TsRestExpressOptions<typeof contract> = {
  responseValidation: true,
  globalMiddleware: [(req, res, next) => void (res.set('x-path', req.tsRestRoute.path), next())],
  requestValidationErrorHandler: (error, _, res) => void res.status(422).json(error.body ?? error.query),
}

type Mount = (app: Express) => void

const stock: Mount = (app) => createExpressEndpoints(contract, implementation, app, options)

const servers: Server[] = []
afterAll(() => servers.forEach((server) => server.close()))

async function serve(mount: Mount): Promise<number> {
  const app = express()
  app.use(express.json())
  mount(app)
  app.use((req, res) => void res.status(404).json({ nothing: req.path }))
  const handleError: ErrorRequestHandler = (
    error: { message: string; status?: number },
    _req,
    res,
    _next,
  ) => {
    res.status(error.status ?? 500).json({ failed: error.message })
  }
  app.use(handleError)
  const server = createServer(app).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** The method and the path exactly as given, which fetch would correct. */
function ask(port: number, method: string, path: string) {
  return new Promise((resolve, reject) => {
    const body = method === 'GET' || method === 'HEAD' ? undefined : '{"email":"ada@example.com"}'
    const headers = body ? { 'content-type': 'application/json', 'content-length': body.length } : {}
    const sent = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, (received) => {
      const chunks: Buffer[] = []
      received.on('data', (chunk: Buffer) => chunks.push(chunk))
      received.on('end', () => {
        const { date: _, ...others } = received.headers
        resolve({ status: received.statusCode, headers: others, body: Buffer.concat(chunks).toString() })
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

const requests = [
  'GET /api/v2/org',
  'GET /api/v2/org/',
  'GET /api/v2/org//',
  'GET /api/v2/org/acme',
  'GET /api/v2/org/acme/',
  'GET /API/V2/Org/Acme/USERS/Ada',
  'GET /api/v2/org/acme/users?page=2',
  'GET /api/v2/org/acme/users?page=two',
  'GET /api/v2/org/acme/users/',
  'GET /api/v2/org/acme/users//',
  'GET /api/v2/org//users',
  'POST /api/v2/org/acme/users',
  'GET /api/v2/org/acme/users/7',
  'HEAD /api/v2/org/acme/users/7',
  'DELETE /api/v2/org/acme/users/7',
  'PUT /api/v2/org/acme/users/7',
  'OPTIONS /api/v2/org/acme/users/7',
  'OPTIONS /api/v2/org/acme/users/search',
  'GET /api/v2/org/acme/users/hidden',
  'GET /api/v2/org/acme/users/search',
  'POST /api/v2/org/acme/users/search',
  'POST /api/v2/org/acme/users/other',
  'DELETE /api/v2/org/acme/users/search',
  'GET /api/v2/org/acme/users/search/sessions',
  'GET /api/v2/org/acme/users/7/sessions',
  'GET /api/v2/org/acme/users/7/sessions/',
  'GET /api/v2/org/acme/users/7/sessions/1',
  'GET /api/v2/org/acme/applications/sample',
  'GET /api/v2/org/acme/applications/SAMPLE',
  'PUT /api/v2/org/acme/applications/sample',
  'GET /api/v2/org/acme/applications/sampler',
  'GET /api/v2/org/acme/applications',
  'GET /api/v2/org/users/users/users',
  'GET /api/v2/org/%2F/users/a%2Fb%3Fc',
  'GET /api/v2/org/%zz/users',
  'GET /api/v2/org/%C3%A9/users/%F0%9F%98%80',
  'GET /api/v2/org/a.b-c~d:e@f/users/..',
  'GET /api/v2/org/:org_domain/users/:user_id',
  'GET /api/v2/org/__proto__/users/constructor',
  'GET /api/v2/%75sers/acme',
  'GET /api/v2/org/acme/fails',
  'POST /oauth/token',
  'POST /oauth/token/',
  'GET /oauth/token',
  'GET /oauth/other',
  'GET /oauth',
  'GET /t/acme/.well-known/openid-configuration',
  'GET /t/acme',
  'GET /api/v2',
  'GET /api/v3',
  'GET /api/v2/nothing',
  'GET /',
  'GET //',
  'GET ///',
  'PATCH /x/y',
  'GET http://other.example/api/v2/org/acme',
]

test.each([0, 1, 3, 4, 5, 12])(
  'with a depth of %i every answer is the one that one Express router gives',
  async (depth) => {
    const expectedPort = await serve(stock)
    const port = await serve((app) => mountContract(app, contract, implementation, options, depth))

    for (const line of requests) {
      const [method = '', path = ''] = line.split(' ')
      expect({ line, answer: await ask(port, method, path) }).toEqual({
        line,
        answer: await ask(expectedPort, method, path),
      })
    }
  },
)

test('a literal in a path wins over a parameter only when it comes first in the contract', async () => {
  const port = await serve((app) => mountContract(app, contract, implementation, options))

  expect(await ask(port, 'GET', '/api/v2/org/acme/users/hidden')).toMatchObject({
    body: '{"route":"users.get","params":{"org_domain":"acme","user_id":"hidden"}}',
  })
  expect(await ask(port, 'GET', '/api/v2/org/acme/applications/sample')).toMatchObject({
    body: '{"route":"applications.sample","params":{"org_domain":"acme"}}',
  })
})

test('the routes can be mounted below a path', async () => {
  const port = await serve((app) => {
    const router = express.Router()
    mountContract(router, contract, implementation, options)
    app.use('/below/:anything', router)
  })

  expect(await ask(port, 'GET', '/below/x/api/v2/org/acme')).toMatchObject({ status: 200 })
  expect(await ask(port, 'GET', '/api/v2/org/acme')).toMatchObject({ status: 404 })
})

test('a route without a handler is refused at the start, by its name', () => {
  const incomplete: Partial<typeof implementation> = { ...implementation }
  delete incomplete.applications

  // @ts-expect-error The compiler refuses it too.
  const mount = () => mountContract(express(), contract, incomplete, options)

  expect(mount).toThrow('The route applications.sample has no handler.')
})

test.each(['/a/:b?', '/a/*rest', '/a/:b.json', '/a{/:b}', 'a', '/a/', '/a//b', '/'])(
  'the path "%s" is refused at the start, because the index cannot hold it',
  (path) => {
    const odd: AppRouter = { odd: { method: 'GET', path, responses: { 200: Answer } } }

    expect(() => allowedMethods(odd)).toThrow(`The path of odd, ${path}, is not made of`)
  },
)

describe('allowed methods', () => {
  const methodsOf = allowedMethods(contract)

  test.each([
    ['/api/v2/org/acme/users', ['GET', 'HEAD', 'POST']],
    ['/api/v2/org/acme/users/', ['GET', 'HEAD', 'POST']],
    ['/API/v2/ORG/acme/Users', ['GET', 'HEAD', 'POST']],
    ['/api/v2/org/acme/users/7', ['GET', 'HEAD', 'DELETE']],
    ['/api/v2/org/acme/users/search', ['GET', 'HEAD', 'DELETE', 'POST']],
    ['/api/v2/org/acme/applications/sample', ['GET', 'HEAD', 'PUT']],
    ['/api/v2/org/a%2Fb', ['GET', 'HEAD']],
    ['/oauth/token', ['POST', 'GET', 'HEAD']],
  ])('the path %s takes %j', (path, methods) => {
    expect(methodsOf(path)).toEqual(methods)
  })

  test.each([
    '/',
    '',
    '/api',
    '/api/v2/org/acme/nothing',
    '/api/v2/org//users',
    '/api/v2/org/acme/users//',
    '/api/v2/org/acme/users/7/sessions/1',
  ])('the path "%s" is none of the contract', (path) => {
    expect(methodsOf(path)).toBeUndefined()
  })
})

import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { access } from '@portico/contract/access'
import type { Deprecation } from '@portico/contract/deprecation'
import { openApiDocument } from '@portico/contract/openapi'
import { routes } from '@portico/contract/walk'
import { initContract } from '@ts-rest/core'
import { initServer } from '@ts-rest/express'
import express from 'express'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod/v4'
import { announceDeprecation } from './deprecation.js'
import { mountContract } from './mount.js'

// Nothing in the contract is deprecated yet, so these routes are a contract of their own.
const deprecated: Deprecation = { since: '2027-01-01', sunset: '2028-01-01', instead: 'users.find' }
const of = { tag: { name: 'Users', description: 'People.' }, scope: 'read:users' } as const

const contract = initContract().router({
  users: {
    get: {
      method: 'GET',
      path: '/users/:user_id',
      summary: 'Get a user',
      responses: { 200: z.object({ id: z.string() }) },
      metadata: access({ ...of, deprecated }),
    },
    find: {
      method: 'GET',
      path: '/people/:user_id',
      responses: { 200: z.object({ id: z.string() }) },
      metadata: access(of),
    },
  },
})

let server: Server
let address: string

beforeAll(async () => {
  const app = express()
  const answer = async ({ params }: { params: { user_id: string } }) => {
    if (params.user_id === 'nobody') throw new Error('nobody')
    return { status: 200 as const, body: { id: params.user_id } }
  }
  const handlers = initServer().router(contract, { users: { get: answer, find: answer } })
  mountContract(app, contract, handlers, {
    globalMiddleware: [announceDeprecation({ baseUrl: 'https://auth.example' })],
    logInitialization: false,
  })
  const refuse: express.ErrorRequestHandler = (_error, _req, res, _next) => void res.status(404).json({})
  app.use(refuse)
  server = createServer(app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A server that listens on a port has such an address.
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterAll(() => server.close())

test.each([
  ['a success', '/users/7', 200],
  ['a refusal', '/users/nobody', 404],
])('a deprecated route says on %s since when it is, and until when it stays', async (_kind, path, status) => {
  const response = await fetch(`${address}${path}`)

  expect(response.status).toBe(status)
  // 2027-01-01 in seconds since 1970, by `date -u -d 2027-01-01 +%s`.
  expect(response.headers.get('deprecation')).toBe('@1798761600')
  expect(response.headers.get('sunset')).toBe('Sat, 01 Jan 2028 00:00:00 GMT')
  expect(response.headers.get('link')).toBe(
    '<https://auth.example/docs>; rel="deprecation"; type="text/html", <https://auth.example/docs>; rel="sunset"; type="text/html"',
  )
})

test('other routes say nothing of the kind', async () => {
  const response = await fetch(`${address}/people/7`)

  expect(response.status).toBe(200)
  for (const name of ['deprecation', 'sunset', 'link']) expect(response.headers.get(name)).toBeNull()
})

test('the documents say so, too, and to generators of clients', () => {
  const { paths, components } = openApiDocument(
    { target: '3.1', serverUrl: 'https://auth.example', version: '1' },
    routes(contract),
  )

  expect(paths['/users/{user_id}']?.['get']).toMatchObject({
    deprecated: true,
    description: expect.stringContaining(
      'Deprecated since 2027-01-01, and may be gone from 2028-01-01 on: use `users.find` instead.',
    ),
    responses: { 200: { headers: { Deprecation: {}, Sunset: {}, Link: {} } } },
  })
  expect(Object.keys(components.headers)).toEqual(expect.arrayContaining(['Deprecation', 'Sunset', 'Link']))
  expect(JSON.stringify(paths['/people/{user_id}'])).not.toMatch(/deprecat|sunset/i)
})

test.each([
  ['a day that is none', { ...deprecated, since: '2027-02-30' }],
  ['an end before its beginning', { ...deprecated, sunset: '2026-12-31' }],
  ['nothing to use instead', { ...deprecated, instead: '' }],
])('a deprecation with %s is refused where it is written', (_fault, wrong) => {
  expect(() => access({ ...of, deprecated: wrong })).toThrow(/deprecation/)
})

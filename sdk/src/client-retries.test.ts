import { expect, test } from 'vitest'
import { ConnectionError } from './api-error.js'
import { answered, given, refused, secret, token, unreachable, user } from './client.given.js'

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
  expect(pauses).toEqual([188, 375])
})

test('a network failure on a read is repeated, and after the last attempt it is a ConnectionError', async () => {
  const { client, seen, pauses } = given(Array.from({ length: 7 }, () => unreachable))

  const attempt = client.users.get(user)

  await expect(attempt).rejects.toBeInstanceOf(ConnectionError)
  await expect(attempt).rejects.toMatchObject({ reason: 'network' })
  expect(seen).toHaveLength(7)
  // Long enough for a killed process to restart.
  expect(pauses).toEqual([188, 375, 750, 1_500, 3_000, 6_000])
})

test.each([500, 400, 404, 409, 412])('%i is not repeated', async (status) => {
  const { client, seen } = given([refused(status, 'any')])

  await expect(client.users.get(user)).rejects.toMatchObject({ status })
  expect(seen).toHaveLength(1)
})

test('Retry-After in seconds lengthens the pause', async () => {
  const { client, pauses } = given([refused(429, 'rate_limited', { 'retry-after': '7' }), answered()])

  await client.users.get(user)

  expect(pauses).toEqual([7_188])
})

test('Retry-After as a date lengthens the pause', async () => {
  const date = 'Sat, 14 Mar 2026 09:27:03 GMT'
  const { client, pauses } = given([refused(503, 'unavailable', { 'retry-after': date }), answered()])

  await client.users.get(user)

  expect(pauses).toEqual([10_188])
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

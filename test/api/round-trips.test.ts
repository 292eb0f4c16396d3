import { expect, test } from 'vitest'
import { anyEmail, anything } from '../given/given.js'
import { startService } from '../given/harness.js'
import { roundTrips } from '../given/counted.js'
import { codeGivenOf, exchange } from '../protocols/code-given.js'

// Each round trip waits for the database. The number per request is part of the service's promises, and the
// only figure of docs/benchmarks.md that is the same on every machine.

const service = await startService()
const { domain: orgDomain } = await service.given.organization()
const token = await service.token()
const usersPath = `/api/v2/org/${orgDomain}/users`

test('a user is read in one round trip', async () => {
  const user = await service.given.user({ org_domain: orgDomain })

  expect(await roundTripsOf(() => send('GET', `${usersPath}/${user.id}`))).toBe(1)
})

test('a user is created, with its event, in one round trip', async () => {
  expect(await roundTripsOf(() => send('POST', usersPath, { email: anyEmail() }))).toBe(1)
})

test('a user is created under an Idempotency-Key in at most four round trips', async () => {
  const create = () => send('POST', usersPath, { email: anyEmail() }, { 'idempotency-key': anything() })

  expect(await roundTripsOf(create)).toBeLessThanOrEqual(4)
})

test('a page of users is read with its exact total in one round trip', async () => {
  expect(await roundTripsOf(() => send('GET', usersPath))).toBe(1)
})

test('an API key is exchanged for a token, and that is logged, in one round trip', async () => {
  const { account } = service
  const key = await service.apiKey()
  const grant = { grant_type: 'client_credentials', domain: account.domain, ...key }

  expect(await roundTripsOf(() => send('POST', '/api/v2/oauth/token', grant))).toBe(1)
})

test('a code is exchanged for tokens, and that is logged, in two round trips', async () => {
  const given = codeGivenOf(service, await service.client())
  const scene = await given.scene()
  const codes = await Promise.all(Array.from({ length: attempts }, () => given.code(scene)))

  const trips = await roundTripsOf(async () => {
    const { status } = await exchange(service, { code: codes.pop() ?? '' })
    expect(status).toBe(200)
  })

  expect(trips).toBe(2)
})

test('a provider finds a user by userName in three round trips, creates one in five and changes one in seven', async () => {
  const client = await service.client()
  const made = await client.directorySync.create({ org_domain: orgDomain, provider_type: 'custom_scim' })
  const headers = { authorization: `Bearer ${made.auth_secret_token?.value}` }
  const path = `/scim/v2/${made.id}/Users`
  const newUser = () => ({ userName: anyEmail(), title: 'Engineer' })
  const user = newUser()
  const { id } = (await send('POST', path, user, headers)) as { readonly id: string }
  const filter = encodeURIComponent(`userName eq "${user.userName}"`)
  const titled = () => ({ Operations: [{ op: 'replace', path: 'title', value: anyEmail() }] })

  expect(await roundTripsOf(() => send('GET', `${path}?filter=${filter}`, undefined, headers))).toBe(3)
  expect(await roundTripsOf(() => send('POST', path, newUser(), headers))).toBeLessThanOrEqual(5)
  expect(await roundTripsOf(() => send('PATCH', `${path}/${id}`, titled(), headers))).toBeLessThanOrEqual(7)
})

test('fifty probes of /readyz at once share their looks at the database', async () => {
  const probe = async () => expect((await fetch(`${service.baseUrl}/readyz`)).status).toBe(200)
  const trips = await roundTripsOf(async () => void (await Promise.all(Array.from({ length: 50 }, probe))))

  // Connections are accepted one after the other, so a few probes may arrive after the first query.
  expect(trips).toBeLessThanOrEqual(10)
})

const attempts = 5

/** The waits of one request among the warm ones: with its bearer, its keys and its connections known. */
async function roundTripsOf(request: () => Promise<unknown>): Promise<number> {
  const counts: number[] = []
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const before = await roundTrips(service)
    await request()
    counts.push((await roundTrips(service)) - before)
  }
  // The cached bearer expires within seconds, which adds a round trip to one of the attempts.
  return Math.min(...counts)
}

async function send(
  method: 'GET' | 'POST' | 'PATCH',
  path: string,
  body?: object,
  headers?: Readonly<Record<string, string>>,
): Promise<unknown> {
  const answer = await fetch(service.baseUrl + path, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
  return answer.json()
}

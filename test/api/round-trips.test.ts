import { expect, test } from 'vitest'
import { anyEmail } from '../given/given.js'
import { startService } from '../given/harness.js'
import { roundTrips } from '../given/counted.js'

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

test('a user is created, with its event, in at most three round trips', async () => {
  const trips = await roundTripsOf(() => send('POST', usersPath, { email: anyEmail() }))

  expect(trips).toBeLessThanOrEqual(3)
})

test('a page of users is read with its exact total in two round trips', async () => {
  expect(await roundTripsOf(() => send('GET', usersPath))).toBe(2)
})

test('an API key is exchanged for a token, and that is logged, in at most two round trips', async () => {
  const { account } = service
  const key = await service.apiKey()
  const grant = { grant_type: 'client_credentials', domain: account.domain, ...key }

  expect(await roundTripsOf(() => send('POST', '/api/v2/oauth/token', grant))).toBeLessThanOrEqual(2)
})

test('fifty probes of /readyz at once share their looks at the database', async () => {
  const probe = async () => expect((await fetch(`${service.baseUrl}/readyz`)).status).toBe(200)
  const trips = await roundTripsOf(async () => void (await Promise.all(Array.from({ length: 50 }, probe))))

  // Connections are accepted one after the other, so a few probes may arrive after the first query.
  expect(trips).toBeLessThanOrEqual(10)
})

/** Round trips of one warm request, with cached bearer, keys and connections. */
async function roundTripsOf(request: () => Promise<void>): Promise<number> {
  const counts: number[] = []
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const before = await roundTrips(service)
    await request()
    counts.push((await roundTrips(service)) - before)
  }
  // The cached bearer expires within seconds, which adds a round trip to one of the attempts.
  return Math.min(...counts)
}

async function send(method: 'GET' | 'POST', path: string, body?: object): Promise<void> {
  const answer = await fetch(service.baseUrl + path, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
  await answer.arrayBuffer()
}

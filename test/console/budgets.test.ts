import { beforeAll, expect, test } from 'vitest'
import { consoleGivenOf } from '../given/console-given.js'
import { roundTrips } from '../given/counted.js'
import { anyEmail } from '../given/given.js'
import { startService, type Service } from '../given/harness.js'
import type { References } from '../given/request-of.js'
import { createWorld } from '../given/world.js'

let service: Service
let staff: Awaited<ReturnType<ReturnType<typeof consoleGivenOf>['owner']>>
let world: References

beforeAll(async () => {
  service = await startService()
  world = await createWorld(service)
  const client = await service.client()
  const org_domain = world['org_domain'] ?? ''
  for (let count = 0; count < 30; count += 1) await client.users.create({ org_domain, email: anyEmail() })
  staff = await consoleGivenOf(service).owner(service.account)
})

const organization = (): string => `organizations/${world['org_domain']}`

/** The most waits for the database, and the most bytes, whatever the number of rows. */
test.each<readonly [string, () => string, { readonly trips: number; readonly bytes: number }]>([
  ['a list', () => `${organization()}/users`, { trips: 4, bytes: 45_000 }],
  ['a deep page of a list', () => `${organization()}/users?page=2`, { trips: 4, bytes: 45_000 }],
  ['a record', () => `${organization()}/users/${world['user_id']}`, { trips: 6, bytes: 45_000 }],
  [
    'the form of a record',
    () => `${organization()}/users/${world['user_id']}/_edit`,
    { trips: 6, bytes: 45_000 },
  ],
  ['the home page', () => '', { trips: 7, bytes: 45_000 }],
  ['the page about a person', () => `people?email=${world['user_email']}`, { trips: 14, bytes: 45_000 }],
])('%s costs at most what it may', async (_, path, most) => {
  const url = `/console/${staff.account.domain}/sandbox/${path()}`.replace(/\/$/, '')
  await staff.visitor.request(url)
  const before = await roundTrips(service)
  const seen = await staff.visitor.request(url)
  const trips = (await roundTrips(service)) - before
  expect(seen.status).toBe(200)
  expect(trips).toBeLessThanOrEqual(most.trips)
  expect(seen.html.length).toBeLessThanOrEqual(most.bytes)
})

test('a page that sends to sign in costs one wait for the database', async () => {
  const stranger = consoleGivenOf(service).visitorOf()
  const before = await roundTrips(service)
  const seen = await stranger.request(`/console/${staff.account.domain}/sandbox`)
  expect([seen.status, (await roundTrips(service)) - before]).toEqual([303, 1])
})

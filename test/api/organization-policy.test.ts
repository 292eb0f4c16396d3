import { etagOf, type Client } from '@portico/sdk'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { givenFolder, portico } from '../cli/portico.js'
import { anyEmail } from '../given/given.js'
import { startService } from '../given/harness.js'

const service = await startService()
let client: Client
beforeAll(async () => {
  client = await service.client()
})

test('a policy is always there, of one environment, and changes as its version demands', async () => {
  const organization = await service.given.organization()
  const org_domain = organization.domain
  const first = await client.organizationPolicy.get({ org_domain })
  expect(first).toMatchObject({
    seats_limit: 0,
    inserted_at: organization.inserted_at,
    updated_at: organization.inserted_at,
  })

  const changed = await client.organizationPolicy.update(
    { org_domain, seats_limit: 25 },
    { ifMatch: etagOf(first) ?? '' },
  )
  expect(changed.seats_limit).toBe(25)
  expect(await client.organizationPolicy.get({ org_domain })).toEqual(changed)
  const late = client.organizationPolicy.update(
    { org_domain, seats_limit: 1 },
    { ifMatch: etagOf(first) ?? '' },
  )
  await expect(late).rejects.toMatchObject({ status: 412, code: 'precondition_failed' })
  expect(await client.organizationPolicy.update({ org_domain })).toMatchObject({ seats_limit: 25 })
  const production = await service.client({ environment: 'production' })
  expect(await production.organizationPolicy.get({ org_domain })).toMatchObject({ seats_limit: 0 })

  const { data } = await client.events.list({ limit: 100 })
  const told = data.filter(
    ({ code, __domain__ }) => code === 'organization.policy.update.success' && __domain__ === org_domain,
  )
  expect(told.map((event) => (event.data as { seats_limit: number }).seats_limit)).toEqual([25, 25])
})

test('of many first changes of one version one succeeds', async () => {
  const { domain: org_domain } = await service.given.organization()
  const ifMatch = etagOf(await client.organizationPolicy.get({ org_domain })) ?? ''
  const outcomes = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      client.organizationPolicy.update({ org_domain, seats_limit: index + 1 }, { ifMatch }).then(
        () => 'changed',
        (error: unknown) => (error as { code: string }).code,
      ),
    ),
  )
  expect(outcomes.toSorted()).toEqual(['changed', ...Array.from({ length: 9 }, () => 'precondition_failed')])
})

test.each([-1, 1_000_001, 1.5, 'many'])('422: %s is no limit of seats', async (seats_limit) => {
  const { domain: org_domain } = await service.given.organization()
  // Also what the types of the client refuse.
  const refused = client.organizationPolicy.update({ org_domain, seats_limit } as never)
  await expect(refused).rejects.toMatchObject({ status: 422, code: 'invalid_parameters' })
})

test.each([
  { session_lifetime_in_seconds: 899 },
  { session_lifetime_in_seconds: 2_592_001 },
  { session_idle_in_seconds: 299 },
  // At most the lifetime: the one that is sent, and the one that is there.
  { session_lifetime_in_seconds: 900, session_idle_in_seconds: 901 },
  { session_idle_in_seconds: 28_801 },
  { session_lifetime_in_seconds: 3_599 },
])('422: %j is no policy of sessions', async (members) => {
  const { domain: org_domain } = await service.given.organization()
  const refused = client.organizationPolicy.update({ org_domain, ...members })
  await expect(refused).rejects.toMatchObject({ status: 422, code: 'invalid_parameters' })
  expect(await client.organizationPolicy.get({ org_domain })).toMatchObject({
    session_lifetime_in_seconds: 28_800,
    session_idle_in_seconds: 3_600,
  })
})

test('self-service is on until it is switched off, and stays so with other changes', async () => {
  const { domain: org_domain } = await service.given.organization()
  expect(await client.organizationPolicy.get({ org_domain })).toMatchObject({ self_service: true })
  await client.organizationPolicy.update({ org_domain, self_service: false })
  expect(await client.organizationPolicy.update({ org_domain, seats_limit: 3 })).toMatchObject({
    self_service: false,
  })
})

test('403: a key that gives seats changes neither the second factor nor sessions', async () => {
  const { domain: org_domain } = await service.given.organization()
  const limited = await service.client({ scopes: ['write:memberships'] })
  for (const [members, scope] of [
    [{ second_factor: 'optional' }, 'write:totp'],
    [{ second_factor_grace_days: 90 }, 'write:totp'],
    [{ session_lifetime_in_seconds: 2_592_000 }, 'write:sessions'],
    [{ session_idle_in_seconds: 300 }, 'write:sessions'],
  ] as const)
    await expect(limited.organizationPolicy.update({ org_domain, ...members })).rejects.toMatchObject({
      ...{ status: 403, code: 'insufficient_scope' },
      message: expect.stringContaining(scope) as string,
    })
  await expect(limited.organizationPolicy.update({ org_domain, seats_limit: 3 })).resolves.toMatchObject({
    seats_limit: 3,
  })
})

test('a limit counts all users, and a deleted one makes room; with metadata and under an Idempotency-Key alike', async () => {
  const { domain: org_domain } = await service.given.organization()
  await service.given.metaKey({ org_domain, name: 'level' })
  const metadata = [{ key: 'level', value: '7' }]
  const first = await client.users.create({ org_domain, email: anyEmail() })
  await client.organizationPolicy.update({ org_domain, seats_limit: 2 })
  await client.users.create({ org_domain, email: anyEmail(), metadata })
  const more = [
    client.users.create({ org_domain, email: anyEmail() }),
    client.users.create({ org_domain, email: anyEmail() }, { idempotencyKey: anyEmail() }),
    client.users.create({ org_domain, email: anyEmail(), metadata }),
  ]
  const seats = { status: 403, code: 'seats_exhausted' }
  await Promise.all(more.map((refused) => expect(refused).rejects.toMatchObject(seats)))

  await client.users.delete({ org_domain, user_id: first.id })
  await client.users.create({ org_domain, email: anyEmail() }, { idempotencyKey: anyEmail() })

  const total = async () => (await client.users.list({ org_domain })).total
  expect(await total()).toBe(2)
  await client.organizationPolicy.update({ org_domain, seats_limit: 1 })
  expect(await total()).toBe(2)
})

test('an import says of each line without a seat, and makes the others', async () => {
  const { domain: org_domain } = await service.given.organization()
  const known = await client.users.create({ org_domain, email: anyEmail() })
  await client.organizationPolicy.update({ org_domain, seats_limit: 3 })
  const emails = ['a@people.example', 'b@people.example', 'c@people.example', 'd@people.example']
  const file = join(givenFolder(), 'users.jsonl')
  writeFileSync(file, [known.email, ...emails].map((email) => JSON.stringify({ email })).join('\n'))
  const scope = ['--account', service.account.domain, '--environment', 'sandbox']
  const run = () =>
    portico(['import-users', file, ...scope, '--organization', org_domain, '--json'], {
      DATABASE_URL: service.databaseUrl,
      MASTER_KEYS: service.masterKeys,
    })

  const first = await run()
  expect(JSON.parse(first.stdout)).toMatchObject({ made: 2, already_there: 1, refused: 2 })
  expect(first.stderr).toContain('as many users as its policy allows')
  expect(JSON.parse((await run()).stdout)).toMatchObject({ made: 0, already_there: 3, refused: 2 })
})

import { scopes, unlistedScopes } from '@portico/contract/access'
import { KeyQuery, KeyRotation, NewKey } from '@portico/contract/api-key-routes'
import {
  createAccountKey,
  getAccountKey,
  listAccountKeys,
  revokeAccountKey,
  rotateAccountKey,
} from '@portico/server/account-keys'
import { describe, expect, test } from 'vitest'
import { startService } from '../given/harness.js'
import { staffOf, statusWith } from './staff-given.js'

const service = await startService()
const staff = staffOf(service.account)
const dayMs = 86_400_000

const input = (members: Partial<typeof NewKey._zod.input> = {}) =>
  NewKey.parse({ name: 'Backend', scopes: ['read:organizations'], ...members })

async function givenKey(caller = staff, members: Parameters<typeof input>[0] = {}) {
  const { record } = await createAccountKey(service.deps, caller, input(members))
  return record
}

function at(ms: number): string {
  return new Date(service.clock.now().getTime() + ms).toISOString()
}

describe('a new key', () => {
  test('calls the API with the secret that its creation alone shows', async () => {
    const key = await givenKey()

    expect(await statusWith(service, key)).toBe(200)
    const { record: read } = await getAccountKey(service.deps, staff, key.id)
    expect(read).toMatchObject({ name: 'Backend', scopes: ['read:organizations'], organization_ids: null })
    expect(read).not.toHaveProperty('client_secret')
    const { data: events } = await (
      await service.client()
    ).events.list({ code: 'api_key.api_key.create.success' })
    const event = events.find(({ data }) => data !== null && 'id' in data && data.id === key.id)
    expect(event?.data).toEqual(read)
  })

  test('ends in a year, at the time that was chosen, or never', async () => {
    const year = await givenKey()
    expect(Date.parse(year.expires_at ?? '')).toBeCloseTo(service.clock.now().getTime() + 365 * dayMs, -5)
    const soon = at(dayMs)
    expect(await givenKey(staff, { expires_at: soon })).toMatchObject({ expires_at: soon })
    expect(await givenKey(staff, { expires_at: null })).toMatchObject({ expires_at: null })
  })

  test.each([
    ['now', 0],
    ['in more than five years', 5 * 366 * dayMs],
  ])('does not end %s', async (_when, ms) => {
    await expect(givenKey(staff, { expires_at: at(ms) })).rejects.toMatchObject({
      code: 'invalid_parameters',
      fields: [{ path: 'expires_at' }],
    })
  })

  test('can do no more than its maker', async () => {
    const support = staffOf(service.account, { scopes: ['read:users', 'write:api_keys'] })
    expect(await givenKey(support, { scopes: ['read:users'] })).toMatchObject({ scopes: ['read:users'] })
    for (const wider of [['read:users', 'write:users'], ['read:sessions'], null])
      await expect(givenKey(support, { scopes: wider as never })).rejects.toMatchObject({
        code: 'insufficient_scope',
      })
    const owner = staffOf(service.account, { scopes: [...unlistedScopes, 'write:api_keys'] })
    expect(await givenKey(owner, { scopes: null })).toMatchObject({ scopes: null })
    await expect(givenKey(owner, { scopes: [...scopes] })).rejects.toThrow('write:impersonations')
  })

  test('sees the organizations of the account that it is limited to, and none of another account', async () => {
    const { domain } = await service.given.organization()
    const { id } = await (await service.client()).organizations.get({ org_domain: domain })
    expect(await givenKey(staff, { organization_ids: [id, id] })).toMatchObject({ organization_ids: [id] })

    const other = staffOf(await service.createAccount())
    await expect(givenKey(other, { organization_ids: [id] })).rejects.toMatchObject({
      code: 'invalid_parameters',
      fields: [{ path: 'organization_ids' }],
    })
  })

  test.each([
    { name: '' },
    { name: 'x'.repeat(101) },
    { scopes: [] },
    { scopes: undefined },
    { scopes: ['read:staff'] },
    { organization_ids: [] },
    { expires_at: 'tomorrow' },
    { id: '7d1f0c52-6b0e-4c57-9a55-3f2f7c1f5a10' },
  ])('is not made of %j', (members) => {
    expect(NewKey.safeParse({ name: 'Backend', scopes: null, ...members }).success).toBe(false)
  })
})

test('the list has the keys of the account and environment, newest first, and of a state alone', async () => {
  const account = await service.createAccount()
  const caller = staffOf(account)
  const [active, expired, revoked] = [
    await givenKey(caller),
    await givenKey(caller, { expires_at: at(1000) }),
    await givenKey(caller),
  ]
  await revokeAccountKey(service.deps, caller, revoked.id)
  await givenKey(staffOf(account, { environment: 'production' }))
  await service.clock.advance(1)

  const ids = async (query: object) => {
    const { data, total } = await listAccountKeys(service.deps, caller, KeyQuery.parse(query))
    expect(total).toBe(data.length)
    return data.map(({ id }) => id)
  }
  const all = await ids({})
  expect(all).toHaveLength(3)
  expect(all.at(-1)).toBe(active.id)
  expect(await ids({ state: 'active' })).toEqual([active.id])
  expect(await ids({ state: 'expired' })).toEqual([expired.id])
  expect(await ids({ state: 'revoked' })).toEqual([revoked.id])
  expect(await ids({ state: 'lost' })).toEqual([])
})

describe('a rotation', () => {
  test('replaces the secret; the one before is accepted during the overlap', async () => {
    const key = await givenKey()
    const { record } = await rotateAccountKey(
      service.deps,
      staff,
      key.id,
      KeyRotation.parse({ overlap_in_seconds: 60 }),
    )

    expect(record.client_secret).not.toBe(key.client_secret)
    expect([await statusWith(service, record), await statusWith(service, key)]).toEqual([200, 200])
    await service.clock.advance(60)
    expect([await statusWith(service, record), await statusWith(service, key)]).toEqual([200, 401])
  })

  test('overlaps for a day, and for 30 days at most', () => {
    expect(KeyRotation.parse({})).toEqual({ overlap_in_seconds: 86_400 })
    expect(KeyRotation.safeParse({ overlap_in_seconds: 2_592_000 }).success).toBe(true)
    expect(KeyRotation.safeParse({ overlap_in_seconds: 2_592_001 }).success).toBe(false)
  })

  test('shows nobody the secret of a key that can do more than they', async () => {
    const key = await givenKey()
    const support = staffOf(service.account, { scopes: ['write:api_keys'] })

    await expect(
      rotateAccountKey(service.deps, support, key.id, KeyRotation.parse({})),
    ).rejects.toMatchObject({
      code: 'insufficient_scope',
    })
    expect(await statusWith(service, key)).toBe(200)
  })
})

test('a revoked key gets no token, and is neither rotated nor revoked again', async () => {
  const key = await givenKey()
  const { record } = await revokeAccountKey(service.deps, staff, key.id)

  expect(record.revoked_at).not.toBeNull()
  expect(await statusWith(service, key)).toBe(401)
  const refused = { code: 'api_key_revoked' }
  await expect(revokeAccountKey(service.deps, staff, key.id)).rejects.toMatchObject(refused)
  await expect(rotateAccountKey(service.deps, staff, key.id, KeyRotation.parse({}))).rejects.toMatchObject(
    refused,
  )
})

test.each(['another account', 'the other environment'])('404: a key of %s', async (where) => {
  const key = await givenKey()
  const stranger =
    where === 'another account'
      ? staffOf(await service.createAccount())
      : staffOf(service.account, { environment: 'production' })

  const missing = { code: 'api_key_not_found' }
  await expect(getAccountKey(service.deps, stranger, key.id)).rejects.toMatchObject(missing)
  await expect(revokeAccountKey(service.deps, stranger, key.id)).rejects.toMatchObject(missing)
  await expect(rotateAccountKey(service.deps, stranger, key.id, KeyRotation.parse({}))).rejects.toMatchObject(
    missing,
  )
  expect(await statusWith(service, key)).toBe(200)
})

import { etagOf, type MetaKey } from '@portico/sdk'
import { describe, expect, test } from 'vitest'
import { longTest } from '../sampled.js'
import { faultsOf } from '../given/faults.js'
import { anything } from '../given/given.js'
import { startService } from '../given/harness.js'

const service = await startService()
const client = await service.client()

/** An organization whose production environment is up, and a client of it. */
async function givenProductionUp() {
  const org_domain = await service.given.domain()
  const production = await service.client({ environment: 'production' })
  await service.given.application({ org_domain, organization_domain_scope: org_domain }, production)
  return { org_domain, production }
}

describe('declaring a metadata key', () => {
  test('201: of a type in any case, optional unless it is required', async () => {
    const org_domain = await service.given.domain()
    const key = await client.tokenCustomization.createMetaKey({
      org_domain,
      name: 'Employee number',
      type: 'INTEGER' as 'integer',
    })
    expect(key).toEqual({
      __type__: 'MetaKey',
      __domain__: org_domain,
      id: key.id,
      name: 'Employee number',
      type: 'integer',
      required: false,
    })
  })

  test('201: also wrapped in user_metakey, and from a form', async () => {
    const org_domain = await service.given.domain()
    const token = await service.token()
    const url = `${service.baseUrl}/api/v2/org/${org_domain}/token-customization/user-metakey`
    const send = (type: string, body: string) =>
      fetch(url, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': type },
        body,
      })
    const json = JSON.stringify({ user_metakey: { name: 'wrapped', type: 'date', required: true } })
    const answers = [
      await send('application/json', json),
      await send('application/x-www-form-urlencoded', 'name=form&type=json&required=true'),
      await send(
        'application/x-www-form-urlencoded',
        'user_metakey[name]=wrapped_form&user_metakey[type]=url&user_metakey[required]=true',
      ),
    ]
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201])
    expect(await Promise.all(answers.map((answer) => answer.json()))).toMatchObject([
      { name: 'wrapped', type: 'date', required: true },
      { name: 'form', type: 'json', required: true },
      { name: 'wrapped_form', type: 'url', required: true },
    ])
  })

  test('201: the key is of both environments', async () => {
    const org_domain = await service.given.domain()
    const key = await service.given.metaKey({ org_domain })
    const production = await service.client({ environment: 'production' })
    expect((await production.tokenCustomization.listMetaKeys({ org_domain })).data).toEqual([key])
  })

  test('201: repeated under one Idempotency-Key, it is one key', async () => {
    const org_domain = await service.given.domain()
    const input = { org_domain, name: 'once', type: 'string' as const }
    const idempotencyKey = anything()
    const first = await client.tokenCustomization.createMetaKey(input, { idempotencyKey })
    expect(await client.tokenCustomization.createMetaKey(input, { idempotencyKey })).toEqual(first)
    await expect(client.tokenCustomization.createMetaKey(input)).rejects.toMatchObject({ status: 409 })
  })

  test('404: under an organization that is not there', async () => {
    const stranger = await service.client({ account: await service.createAccount() })
    const input = { org_domain: await service.given.domain(), name: 'key', type: 'string' as const }
    await expect(stranger.tokenCustomization.createMetaKey(input)).rejects.toMatchObject({
      status: 404,
      code: 'organization_not_found',
    })
  })

  test('409: a name is declared once in an organization, and freely in another', async () => {
    const [org_domain, other] = await Promise.all([service.given.domain(), service.given.domain()])
    await service.given.metaKey({ org_domain, name: 'team' })
    await expect(service.given.metaKey({ org_domain, name: 'team' })).rejects.toMatchObject({
      status: 409,
      code: 'meta_key_taken',
    })
    await expect(service.given.metaKey({ org_domain: other, name: 'team' })).resolves.toMatchObject({
      name: 'team',
    })
  })

  longTest('422: 50 keys are declared, however many are asked for at once', async () => {
    const org_domain = await service.given.domain()
    const attempts = Array.from({ length: 55 }, () => service.given.metaKey({ org_domain }))
    const outcomes = await Promise.allSettled(attempts)
    const refusals = outcomes.filter((outcome) => outcome.status === 'rejected')
    expect(refusals.map(({ reason }) => (reason as { code: string }).code)).toEqual(
      Array(5).fill('meta_keys_exhausted'),
    )
    expect(await client.tokenCustomization.listMetaKeys({ org_domain })).toMatchObject({ total: 50 })
  })

  test('422: a name and a known type are demanded', async () => {
    const org_domain = await service.given.domain()
    const create = (members: object) =>
      client.tokenCustomization.createMetaKey({ org_domain, name: 'key', type: 'string', ...members })
    expect(await faultsOf(create({ name: ' padded ' }))).toEqual(['name'])
    expect(await faultsOf(create({ name: '' }))).toContain('name')
    expect(await faultsOf(create({ type: 'money' }))).toEqual(['type'])
    expect(await faultsOf(create({ required: 'perhaps' }))).toEqual(['required'])
  })

  test.each(['__proto__', 'constructor', 'prototype'])('422: %s is no name of a key', async (name) => {
    const input = { org_domain: await service.given.domain(), name, type: 'string' as const }
    expect(await faultsOf(client.tokenCustomization.createMetaKey(input))).toEqual(['name'])
  })

  test('409: production that is up gets no required key from the sandbox, but an optional one', async () => {
    const { org_domain, production } = await givenProductionUp()
    await expect(service.given.metaKey({ org_domain, required: true })).rejects.toMatchObject({
      status: 409,
      code: 'production_is_up',
    })
    await expect(service.given.user({ org_domain }, production)).resolves.toMatchObject({ metadata: [] })
    await expect(service.given.metaKey({ org_domain })).resolves.toMatchObject({ required: false })
    const input = { org_domain, name: 'required', type: 'string', required: true } as const
    await expect(production.tokenCustomization.createMetaKey(input)).resolves.toMatchObject({
      required: true,
    })
  })
})

describe('listing metadata keys', () => {
  test('200: newest first, in pages', async () => {
    const org_domain = await service.given.domain()
    const keys: MetaKey[] = []
    for (let count = 0; count < 3; count++) keys.unshift(await service.given.metaKey({ org_domain }))
    const first = await client.tokenCustomization.listMetaKeys({ org_domain, per_page: 2 })
    expect(first).toMatchObject({ data: keys.slice(0, 2), total: 3, pagination: { total_pages: 2 } })
    const next = { org_domain, per_page: 2, after: first.next_cursor ?? '' }
    expect((await client.tokenCustomization.listMetaKeys(next)).data).toEqual(keys.slice(2))
  })

  test('404: under an organization that is not there', async () => {
    await expect(client.tokenCustomization.listMetaKeys({ org_domain: 'nowhere' })).rejects.toMatchObject({
      status: 404,
      code: 'organization_not_found',
    })
  })
})

describe('deleting a metadata key', () => {
  test('200: its values are gone with it, in both environments', async () => {
    const org_domain = await service.given.domain()
    const key = await service.given.metaKey({ org_domain })
    const production = await service.client({ environment: 'production' })
    const metadata = [{ key: key.name, value: 'value' }]
    const users = [
      [client, await service.given.user({ org_domain, metadata })],
      [production, await service.given.user({ org_domain, metadata }, production)],
    ] as const
    expect(await client.tokenCustomization.deleteMetaKey({ org_domain, key_name: key.name })).toEqual({
      deleted: true,
      resource: key,
      type: '__Deleted__',
    })
    for (const [as, { id }] of users)
      expect(await as.users.get({ org_domain, user_id: id })).toMatchObject({ metadata: [] })
  })

  test('200: a user who loses a value has changed, and no other has', async () => {
    const org_domain = await service.given.domain()
    const { name: key_name } = await service.given.metaKey({ org_domain })
    const metadata = [{ key: key_name, value: 'value' }]
    const bereft = await service.given.user({ org_domain, metadata })
    const other = await service.given.user({ org_domain })
    await client.tokenCustomization.deleteMetaKey({ org_domain, key_name })

    const after = await client.users.get({ org_domain, user_id: bereft.id })
    expect(after).toMatchObject({ metadata: [] })
    expect('updated_at' in after && after.updated_at > bereft.updated_at).toBe(true)
    const stale = { ifMatch: etagOf(bereft) }
    await expect(
      client.users.update({ org_domain, user_id: bereft.id, active: false }, stale),
    ).rejects.toMatchObject({ status: 412 })
    expect(await client.users.get({ org_domain, user_id: other.id })).toEqual(other)
  })

  test('200: values that are being set meanwhile are gone as well', async () => {
    const org_domain = await service.given.domain()
    const { name: key_name } = await service.given.metaKey({ org_domain })
    const users = await Promise.all(Array.from({ length: 8 }, () => service.given.user({ org_domain })))
    const settings = users.map(({ id: user_id }) =>
      client.tokenCustomization.setUserMetadata({ org_domain, user_id, key_name, key_value: 'value' }),
    )
    await client.tokenCustomization.deleteMetaKey({ org_domain, key_name })
    const outcomes = await Promise.allSettled(settings)
    for (const [index, outcome] of outcomes.entries()) {
      const user = await client.users.get({ org_domain, user_id: users[index]?.id ?? '' })
      expect(user).toMatchObject({ metadata: [] })
      if (outcome.status === 'fulfilled') expect(etagOf(user)).not.toBe(etagOf(outcome.value))
      else expect(outcome.reason).toMatchObject({ code: 'meta_key_not_found' })
    }
  })

  test('409: a key that production depends on stays where a sandbox key would delete it', async () => {
    const { org_domain, production } = await givenProductionUp()
    const { name: key_name } = await service.given.metaKey({ org_domain })
    const metadata = [{ key: key_name, value: 'value' }]
    const { id: user_id } = await service.given.user({ org_domain, metadata }, production)
    await expect(client.tokenCustomization.deleteMetaKey({ org_domain, key_name })).rejects.toMatchObject({
      status: 409,
      code: 'production_is_up',
    })
    expect(await production.users.get({ org_domain, user_id })).toMatchObject({
      metadata: [{ value: 'value' }],
    })
    await expect(
      production.tokenCustomization.deleteMetaKey({ org_domain, key_name }),
    ).resolves.toMatchObject({
      deleted: true,
    })
  })

  test('200: the name may come in the query string', async () => {
    const org_domain = await service.given.domain()
    const { name } = await service.given.metaKey({ org_domain })
    const path = `/api/v2/org/${org_domain}/token-customization/user-metakey?key_name=${name}`
    const headers = { authorization: `Bearer ${await service.token()}` }
    const answer = await fetch(`${service.baseUrl}${path}`, { method: 'DELETE', headers })
    expect(answer.status).toBe(200)
  })

  test('404: a key that is not declared, or declared elsewhere', async () => {
    const [org_domain, other] = await Promise.all([service.given.domain(), service.given.domain()])
    const { name: key_name } = await service.given.metaKey({ org_domain: other })
    await expect(client.tokenCustomization.deleteMetaKey({ org_domain, key_name })).rejects.toMatchObject({
      status: 404,
      code: 'meta_key_not_found',
    })
    await expect(
      client.tokenCustomization.deleteMetaKey({ org_domain: 'nowhere', key_name }),
    ).rejects.toMatchObject({ status: 404, code: 'organization_not_found' })
  })
})

describe('setting a metadata value', () => {
  test('200: the user with its metadata; a value there is replaced', async () => {
    const org_domain = await service.given.domain()
    const key = await service.given.metaKey({ org_domain, type: 'integer' })
    const { id: user_id } = await service.given.user({ org_domain })
    const set = (key_value: string) =>
      client.tokenCustomization.setUserMetadata({ org_domain, user_id, key_name: key.name, key_value })
    await set('1')
    const user = await set('2')
    expect(user.metadata).toMatchObject([{ key, value: '2' }])
    expect(await client.users.get({ org_domain, user_id })).toEqual(user)
  })

  test('404: a user of the other environment, and a key that is not declared', async () => {
    const org_domain = await service.given.domain()
    const { name: key_name } = await service.given.metaKey({ org_domain })
    const production = await service.client({ environment: 'production' })
    const { id: user_id } = await service.given.user({ org_domain })
    const input = { org_domain, user_id, key_name, key_value: 'value' }
    await expect(production.tokenCustomization.setUserMetadata(input)).rejects.toMatchObject({
      status: 404,
      code: 'user_not_found',
    })
    await expect(
      client.tokenCustomization.setUserMetadata({ ...input, key_name: 'undeclared' }),
    ).rejects.toMatchObject({ status: 404, code: 'meta_key_not_found' })
  })

  test('412: for an earlier version of the user', async () => {
    const org_domain = await service.given.domain()
    const { name: key_name } = await service.given.metaKey({ org_domain })
    const user = await service.given.user({ org_domain })
    const input = { org_domain, user_id: user.id, key_name, key_value: 'value' }
    const ifMatch = etagOf(user)
    await client.tokenCustomization.setUserMetadata(input, { ifMatch })
    await expect(
      client.tokenCustomization.setUserMetadata({ ...input, key_value: 'late' }, { ifMatch }),
    ).rejects.toMatchObject({ status: 412, code: 'precondition_failed' })
    expect(await client.users.get({ org_domain, user_id: user.id })).toMatchObject({
      metadata: [{ value: 'value' }],
    })
  })

  test('422: a value that does not fit its key is named as this operation names it', async () => {
    const org_domain = await service.given.domain()
    const { name: key_name } = await service.given.metaKey({ org_domain, type: 'date' })
    const { id: user_id } = await service.given.user({ org_domain })
    const attempt = client.tokenCustomization.setUserMetadata({
      org_domain,
      user_id,
      key_name,
      key_value: '2023-02-29',
    })
    expect(await faultsOf(attempt)).toEqual(['key_value'])
  })

  test('422: JSON that would change the objects of a program which merges it', async () => {
    const org_domain = await service.given.domain()
    const { name: key_name } = await service.given.metaKey({ org_domain, type: 'json' })
    const { id: user_id } = await service.given.user({ org_domain })
    const set = (key_value: string) =>
      client.tokenCustomization.setUserMetadata({ org_domain, user_id, key_name, key_value })
    expect(await faultsOf(set('{"a":[{"__proto__":{"admin":true}}]}'))).toEqual(['key_value'])
    await expect(set('{"a":["__proto__"]}')).resolves.toMatchObject({ id: user_id })
  })
})

test('replacing the values of a user leaves those that stay as they are, with their ids', async () => {
  const org_domain = await service.given.domain()
  const keys = await Promise.all(Array.from({ length: 4 }, () => service.given.metaKey({ org_domain })))
  const [kept = '', changed = '', removed = '', added = ''] = keys.map(({ name }) => name)
  const valuesOf = (names: string[], value: string) => names.map((key) => ({ key, value }))
  const before = await service.given.user({
    org_domain,
    metadata: valuesOf([kept, changed, removed], 'before'),
  })
  const after = await client.users.update({
    org_domain,
    user_id: before.id,
    metadata: [...valuesOf([kept], 'before'), ...valuesOf([changed, added], 'after')],
  })

  const idsOf = (metadata: typeof before.metadata) =>
    Object.fromEntries(metadata.map(({ id, key }) => [key.name, id]))
  const [earlier, later] = [idsOf(before.metadata), idsOf(after.metadata)]
  expect(Object.keys(later).toSorted()).toEqual([kept, changed, added].toSorted())
  expect([later[kept], later[changed]]).toEqual([earlier[kept], earlier[changed]])
  expect(Object.fromEntries(after.metadata.map(({ key, value }) => [key.name, value]))).toEqual({
    [kept]: 'before',
    [changed]: 'after',
    [added]: 'after',
  })
  expect((await client.users.update({ org_domain, user_id: before.id, metadata: [] })).metadata).toEqual([])
})

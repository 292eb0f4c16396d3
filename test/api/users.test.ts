import { schemaWriter, type JsonSchema } from '@portico/contract/json-schema'
import { exampleOf } from '@portico/contract/record'
import { NewUser } from '@portico/contract/user-input'
import { User } from '@portico/contract/users'
import { etagOf, openMagicLink, type Client } from '@portico/sdk'
import { describe, expect, test } from 'vitest'
import { fieldPaths } from '../given/faults.js'
import { anyEmail, anything, givenOf } from '../given/given.js'
import { startService } from '../given/harness.js'
import { rawSenderOf, type RawAnswer } from '../given/raw.js'

const service = await startService()
const client = await service.client()
const raw = rawSenderOf(service.baseUrl, await service.token())
/** One organization for all tests with independent users. */
const org_domain = (await service.given.organization()).domain

describe('round trip', () => {
  test('writing what the example shows and reading it back gives the example’s values', async () => {
    const example = exampleOf(User)
    const { domain } = await organizationWithKeyOf(example)
    const writable = writablePartOf(example)
    const names = ['active', 'address', 'email', 'metadata', 'phone_number', 'phone_numbers', 'profile']
    expect(Object.keys(writable)).toEqual(expect.arrayContaining(names))

    const created = await raw('POST', `/api/v2/org/${domain}/users`, writable)
    expect([created.status, created.body]).toMatchObject([201, shownOf(example)])
    const user = await client.users.getByEmail({ org_domain: domain, user_email: example.email })
    expect(user).toEqual(created.body)
    expect(Object.keys(user).sort()).toEqual(Object.keys(example).sort())

    const other = await createUser({ org_domain: domain })
    await client.users.delete({ org_domain: domain, user_id: user.id })
    const updated = await raw('PUT', `/api/v2/org/${domain}/users/${other.id}`, writable)
    expect([updated.status, updated.body]).toMatchObject([200, shownOf(example)])
  })

  test.each(['profile', 'address', 'phone_numbers'] as const)(
    '%s as it is read can be written back, and changes nothing',
    async (name) => {
      const user = await createUser({ phone_number: '+33612345678', given_name: 'Ada', city: 'Lyon' })
      const answer = await put(user.id, { [name]: user[name] })
      expect([answer.status, answer.body]).toMatchObject([200, { [name]: user[name] }])
    },
  )

  test('metadata as it is read can be written back', async () => {
    const key = await service.given.metaKey({ org_domain })
    const user = await createUser({ metadata: [{ key: key.name, value: 'x' }] })
    const answer = await put(user.id, { metadata: user.metadata })
    expect([answer.status, answer.body]).toMatchObject([200, { metadata: [{ key, value: 'x' }] }])
  })

  async function organizationWithKeyOf(example: User): Promise<{ domain: string }> {
    const organization = await service.given.organization()
    for (const { key } of example.metadata)
      await service.given.metaKey({ org_domain: organization.domain, name: key.name, type: key.type })
    return organization
  }

  /** A user without the members that the service sets, for comparison with the example. */
  function shownOf({ email, active, phone_number, phone_numbers, address, profile, metadata }: User): object {
    const values = metadata.map(({ value, key }) => ({ value, key: { name: key.name, type: key.type } }))
    return { email, active, phone_number, phone_numbers, address, profile, metadata: values }
  }
})

describe('PUT', () => {
  test('leaves what is absent, clears what is null, replaces arrays, merges profile and address', async () => {
    const user = await createUser({
      phone_number: '+33612345678',
      profile: { given_name: 'Ada', family_name: 'Lovelace', nickname: 'Countess' },
      address: { locality: 'Lyon', country: 'France' },
    })
    const change = async (members: object) => {
      const answer = await put(user.id, members)
      expect(answer.status).toBe(200)
      return answer.body
    }
    expect(await change({})).toEqual({ ...user, updated_at: expect.any(String) })
    expect(await change({ profile: { nickname: null, gender: 'other' } })).toMatchObject({
      profile: {
        given_name: 'Ada',
        family_name: 'Lovelace',
        name: 'Ada Lovelace',
        nickname: null,
        gender: 'other',
      },
      address: user.address,
      phone_numbers: user.phone_numbers,
    })
    expect(await change({ city: 'Paris' })).toMatchObject({
      address: { locality: 'Paris', country: 'France' },
    })
    expect(await change({ profile: { family_name: null } })).toMatchObject({ profile: { name: 'Ada' } })
    expect(await change({ phone_numbers: [{ value: '+4930901820', type: 'work' }] })).toMatchObject({
      phone_number: '+4930901820',
      phone_numbers: [{ value: '+4930901820', type: 'work', primary: true, default: true }],
    })
    expect(await change({ phone_number: null, address: null, profile: null })).toMatchObject({
      phone_number: null,
      phone_numbers: [],
      address: { locality: null, country: null },
      profile: { given_name: null, gender: null, name: null, phone_number: null, email: user.email },
    })
  })

  test.each<[string, unknown]>([
    ['email', null],
    ['email', 'no address'],
    ['email', 'a@b'],
    ['active', 'perhaps'],
    ['active', null],
    ['birthdate', '2026-02-30'],
    ['gender', 'x'],
    ['locale', 'x'],
    ['zoneinfo', 'Mars/Base'],
    ['picture', 'http://a.example/p.png'],
    ['given_name', 'x'.repeat(101)],
    ['phone_number', '0612345678'],
    ['phone_numbers', [{ value: '+999123456789' }]],
    ['phone_numbers', Array.from({ length: 11 }, () => ({ value: '+33612345678' }))],
    ['id', '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46'],
    ['email_verified', true],
  ])('refuses %s %j and leaves the user as it was', async (name, value) => {
    const user = await createUser({})
    const answer = await put(user.id, { given_name: 'Changed', [name]: value })
    expect(answer.status).toBe(422)
    expect(fieldPaths(answer.body).some((path) => path.startsWith(name))).toBe(true)
    expect(await client.users.get({ org_domain, user_id: user.id })).toEqual(user)
  })

  test('of 20 changes of different members at once none is lost', async () => {
    const user = await createUser({})
    const members = [
      { given_name: 'Ada' },
      { family_name: 'L' },
      { nickname: 'C' },
      { city: 'Lyon' },
      { region: 'R' },
    ]
    await Promise.all([...members, ...members, ...members, ...members].map((change) => put(user.id, change)))
    expect(await client.users.get({ org_domain, user_id: user.id })).toMatchObject({
      profile: { given_name: 'Ada', family_name: 'L', nickname: 'C' },
      address: { locality: 'Lyon', region: 'R' },
    })
  })
})

describe('e-mail addresses', () => {
  test('are unique in any case, per organization and environment, and kept as they were written', async () => {
    const email = `Ada.${anything()}@People.Example`
    const user = await createUser({ email })
    expect(user.email).toBe(email)
    expect(await post({ email: email.toUpperCase() })).toMatchObject({
      status: 409,
      body: { error: { code: 'email_taken' } },
    })
    const other = await createUser({})
    expect(await put(other.id, { email: email.toLowerCase() })).toMatchObject({ status: 409 })

    const { domain } = await service.given.organization()
    const production = await service.client({ environment: 'production' })
    await client.users.create({ org_domain: domain, email })
    await production.users.create({ org_domain, email })
    for (const user_email of [email, email.toLowerCase(), email.toUpperCase()])
      expect(await client.users.getByEmail({ org_domain, user_email })).toEqual(user)
  })

  test('of 20 creations with one address at once, one happens', async () => {
    const email = anyEmail()
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => post({ email: index % 2 ? email : email.toUpperCase() })),
    )
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, ...Array<number>(19).fill(409)])
  })

  test('are verified by a link that was used, and not any more when they change', async () => {
    const { domain } = await service.given.organization()
    await service.given.application({ org_domain: domain })
    const user = await createUser({ org_domain: domain })
    expect(user.email_verified).toBe(false)
    const { magic_link } = await client.magicLink.createChallenge({
      org_domain: domain,
      user_email: user.email,
      send_email: false,
    })
    await openMagicLink(magic_link ?? '')
    const at = { org_domain: domain, user_id: user.id }
    expect(await client.users.get(at)).toMatchObject({ email_verified: true })
    const sameAddress = await client.users.update({ ...at, email: user.email.toUpperCase() })
    expect(sameAddress).toMatchObject({ email: user.email.toUpperCase(), email_verified: true })
    expect(await client.users.update({ ...at, email: anyEmail() })).toMatchObject({ email_verified: false })
  })
})

describe('deletion', () => {
  test('answers the user as it was, then a subset; by e-mail and in lists there is nothing', async () => {
    const { domain } = await service.given.organization()
    const user = await createUser({ org_domain: domain })
    const at = { org_domain: domain, user_id: user.id }
    const deletion = await client.users.delete(at, { ifMatch: etagOf(await client.users.get(at)) })
    expect(deletion).toEqual({ deleted: true, type: '__Deleted__', resource: user })
    expect(await client.users.get(at)).toEqual({
      __type__: 'User',
      id: user.id,
      email: user.email,
      deleted: true,
    })
    expect(await client.users.list({ org_domain: domain })).toMatchObject({ data: [], total: 0 })
    const byEmail = client.users.getByEmail({ org_domain: domain, user_email: user.email })
    await expect(byEmail).rejects.toMatchObject({ status: 404, code: 'user_not_found' })
    const missing = { status: 404, code: 'user_not_found' }
    await expect(client.users.delete(at)).rejects.toMatchObject(missing)
    await expect(client.users.update({ ...at, active: true })).rejects.toMatchObject(missing)

    const next = await createUser({ org_domain: domain, email: user.email.toUpperCase() })
    expect(next.id).not.toBe(user.id)
  })
})

describe('metadata', () => {
  test.each([
    ['string', ['', 'x', 'é💥'], ['x'.repeat(2001)]],
    ['integer', ['0', '-1', '9007199254740991'], ['1.5', '01', 'x', '', ' 1', '9007199254740992']],
    ['float', ['3.14', '-1', '1e3'], ['.5', 'NaN', 'Infinity', '1e999', '']],
    ['boolean', ['true', 'false'], ['TRUE', '1', '']],
    ['date', ['1815-12-10'], ['1815-12-32', '2026-02-30', '10.12.1815']],
    [
      'datetime',
      ['1815-12-10T09:30:00Z', '2026-01-01T00:00:00.5+02:00'],
      ['1815-12-10', '2026-01-01T25:00:00Z'],
    ],
    ['url', ['https://a.example'], ['http://a.example', 'a.example']],
    ['email', ['a@b.example'], ['a@b']],
    ['json', ['null', '{"a":[1]}'], ['{', '']],
  ] as const)('a key of the type %s takes %j and refuses %j', async (type, good, bad) => {
    const key = await service.given.metaKey({ org_domain, type })
    const user = await createUser({})
    const at = { org_domain, user_id: user.id }
    for (const value of good)
      expect(await client.users.addMetadata({ ...at, key: key.name, value })).toMatchObject({
        metadata: [{ key, value }],
      })
    for (const value of bad) {
      const [single, whole] = await Promise.all([
        raw('PUT', `/api/v2/org/${org_domain}/users/${user.id}/add-metadata`, { key: key.name, value }),
        put(user.id, { metadata: [{ key: key.name, value }] }),
      ])
      expect([value, single.status, fieldPaths(single.body)]).toEqual([value, 422, ['value']])
      expect([value, whole.status, fieldPaths(whole.body)]).toEqual([value, 422, ['metadata.0.value']])
    }
  })

  test('a required key is demanded of new users, cannot be removed, and locks nobody out', async () => {
    const { domain } = await service.given.organization()
    const at = { org_domain: domain, user_id: (await createUser({ org_domain: domain })).id }
    const key = await service.given.metaKey({ org_domain: domain, required: true })
    const required = { status: 422, code: 'metadata_required' }
    await expect(createUser({ org_domain: domain })).rejects.toMatchObject(required)
    await createUser({ org_domain: domain, metadata: [{ key: key.name, value: 'x' }] })
    expect(await client.users.update({ ...at, given_name: 'Ada' })).toMatchObject({
      profile: { name: 'Ada' },
    })
    await client.users.addMetadata({ ...at, key: key.name, value: 'x' })
    await expect(client.users.removeMetadata({ ...at, key: key.name })).rejects.toMatchObject(required)
    await expect(client.users.update({ ...at, metadata: [] })).rejects.toMatchObject(required)
  })

  test('the list replaces all values; the two writers of one value replace that', async () => {
    const { domain } = await service.given.organization()
    const keys = await Promise.all(
      ['a', 'b'].map((name) => service.given.metaKey({ org_domain: domain, name })),
    )
    const user = await createUser({
      org_domain: domain,
      metadata: keys.map(({ name }) => ({ key: name, value: '1' })),
    })
    const at = { org_domain: domain, user_id: user.id }
    const values = ({ metadata }: User) => metadata.map(({ key, value }) => [key.name, value])
    expect(values(await client.users.update({ ...at, metadata: [{ key: 'b', value: '2' }] }))).toEqual([
      ['b', '2'],
    ])
    expect(values(await client.users.addMetadata({ ...at, key: 'b', value: '3' }))).toEqual([['b', '3']])
    const set = { ...at, key_name: 'b', key_value: '4' }
    expect(values(await client.tokenCustomization.setUserMetadata(set))).toEqual([['b', '4']])
    expect(values(await client.users.removeMetadata({ ...at, key: 'b' }))).toEqual([])
    expect(values(await client.users.removeMetadata({ ...at, key: 'b' }))).toEqual([])
  })
})

test('identities are empty for a user that nobody vouched for', async () => {
  expect((await createUser({})).identities).toEqual([])
})

/** The part of a record that a caller may write: the members of its creation body, at all levels. */
function writablePartOf(example: User): Record<string, unknown> {
  return fitting(schemaWriter('3.1').input(NewUser), example) as Record<string, unknown>
}

function fitting(schema: JsonSchema, value: unknown): unknown {
  const options = schema.anyOf ?? [schema]
  if (Array.isArray(value)) {
    const items = options.find((option) => option.items !== undefined)?.items
    return value.map((item) => (items === undefined ? item : fitting(items, item)))
  }
  const properties = options.find((option) => option.properties !== undefined)?.properties
  if (typeof value !== 'object' || value === null || properties === undefined) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]): [string, unknown][] => {
      const part = properties[name]
      return part === undefined ? [] : [[name, fitting(part, member)]]
    }),
  )
}

type Members = Partial<Parameters<Client['users']['create']>[0]>

function createUser(members: Members): Promise<User> {
  return givenOf(client).user({ org_domain, ...members })
}

function post(body: string | object): Promise<RawAnswer> {
  return raw('POST', `/api/v2/org/${org_domain}/users`, body)
}

function put(userId: string, body: object): Promise<RawAnswer> {
  return raw('PUT', `/api/v2/org/${org_domain}/users/${userId}`, body)
}

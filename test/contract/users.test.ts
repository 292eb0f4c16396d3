import { schemaWriter, type JsonSchema } from '@portico/contract/json-schema'
import { exampleOf } from '@portico/contract/record'
import { NewUser } from '@portico/contract/user-input'
import { User } from '@portico/contract/users'
import { etagOf, openMagicLink, type Client } from '@portico/sdk'
import { beforeAll, describe, expect, test } from 'vitest'
import { anyEmail, anything, givenOf } from '../given.js'
import { startService, type Service } from '../harness.js'

let service: Service
let client: Client
let token: string
/** One organization for all tests whose users do not meet. */
let org_domain: string

beforeAll(async () => {
  service = await startService()
  client = await service.client()
  token = await service.token()
  org_domain = (await service.given.organization()).domain
})

describe('round trip', () => {
  test('writing what the example shows and reading it back gives the example’s values', async () => {
    const example = exampleOf(User)
    const { domain } = await organizationWithKeyOf(example)
    const writable = writablePartOf(example)
    expect(Object.keys(writable).sort()).toEqual(
      ['active', 'address', 'email', 'metadata', 'phone_number', 'phone_numbers', 'profile'].sort(),
    )

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

  /** What of the example the service decides by itself is not compared. */
  function shownOf({ email, active, phone_number, phone_numbers, address, profile, metadata }: User): object {
    const values = metadata.map(({ value, key }) => ({ value, key: { name: key.name, type: key.type } }))
    return { email, active, phone_number, phone_numbers, address, profile, metadata: values }
  }
})

describe('forms', () => {
  const profile = { given_name: 'Ada', family_name: 'Lovelace', website: 'https://ada.example' }
  const address = { street_address: '12 rue X\n2e étage', locality: 'Lyon', country: 'France' }
  const { locality: city, ...elsewhere } = address

  test.each([
    ['nested', { profile, address }],
    ['flat', { ...profile, ...address }],
    ['the address in the profile', { profile: { ...profile, address } }],
    ['flat with city', { ...profile, ...elsewhere, city }],
    ['nested with city', { profile: { ...profile, address: { ...elsewhere, city } } }],
    ['half and half', { given_name: 'Ada', profile, address, city }],
  ])('%s: the same user', async (_name, members) => {
    const answer = await post({ email: anyEmail(), ...members })
    expect([answer.status, answer.body]).toMatchObject([201, { profile: { ...profile, address }, address }])
  })

  test('an urlencoded form says the same with brackets, also in the query string', async () => {
    const members = [
      ['profile[given_name]', 'Ada'],
      ['profile[family_name]', 'Lovelace'],
      ['profile[address][locality]', 'Lyon'],
      ['active', 'false'],
      ['phone_numbers[0][value]', '+33612345678'],
      ['phone_numbers[0][primary]', '1'],
    ]
    const expected = {
      active: false,
      phone_number: '+33612345678',
      profile: { name: 'Ada Lovelace', address: { locality: 'Lyon' } },
    }
    const form = () => new URLSearchParams([...members, ['email', anyEmail()]]).toString()
    expect(await post(form())).toMatchObject({ status: 201, body: expected })
    expect(await raw('POST', `/api/v2/org/${org_domain}/users?${form()}`)).toMatchObject({ body: expected })
  })

  test('profile as a string is the address of the profile page, beside flat claims', async () => {
    const page = 'https://people.example/ada'
    for (const members of [{ profile: page }, { profile: { profile: page } }]) {
      const answer = await post({ email: anyEmail(), ...members })
      expect(answer.body).toMatchObject({ profile: { profile: page } })
    }
    const form = await post(`email=${anyEmail()}&profile=${encodeURIComponent(page)}&given_name=Ada`)
    expect(form.body).toMatchObject({ profile: { profile: page, given_name: 'Ada' } })
    expect(await post({ email: anyEmail(), profile: 'nonsense' })).toMatchObject({ status: 422 })
  })

  test('meta_data is read as metadata, its keys by name or as they are answered', async () => {
    const key = await service.given.metaKey({ org_domain })
    for (const members of [
      { metadata: [{ key: key.name, value: 'x' }] },
      { meta_data: [{ key: key.name, value: 'x' }] },
      { meta_data: [{ key, value: 'x' }] },
    ]) {
      const answer = await post({ email: anyEmail(), ...members })
      expect(answer.body).toMatchObject({ metadata: [{ key, value: 'x' }] })
    }
  })

  test.each<[string, object, string]>([
    ['flat and nested claim', { given_name: 'A', profile: { given_name: 'B' } }, 'given_name'],
    ['flat and nested address', { region: 'A', address: { region: 'B' } }, 'region'],
    [
      'address and profile’s address',
      { address: { country: 'A' }, profile: { address: { country: 'B' } } },
      'country',
    ],
    ['city and the other’s locality', { city: 'A', address: { locality: 'B' } }, 'locality'],
    ['city and locality side by side', { city: 'A', locality: 'B' }, 'locality'],
    ['city and locality in one address', { address: { city: 'A', locality: 'B' } }, 'locality'],
    ['metadata and meta_data', { metadata: [], meta_data: [{ key: 'k', value: 'v' }] }, 'metadata'],
    ['another organization', { domain: 'another-one' }, 'domain'],
  ])('422: %s contradict each other', async (_name, members, path) => {
    const answer = await post({ email: anyEmail(), ...members })
    expect(answer.status).toBe(422)
    expect(fieldPaths(answer.body).some((found) => found.endsWith(path))).toBe(true)
  })

  test('422: query string and body contradict each other; the same value in both is one', async () => {
    const path = `/api/v2/org/${org_domain}/users`
    const email = anyEmail()
    const contradictory = await raw('POST', `${path}?given_name=Ada`, { email, given_name: 'Eda' })
    expect([contradictory.status, fieldPaths(contradictory.body)]).toEqual([422, ['given_name']])
    const nested = await raw('POST', `${path}?profile[given_name]=Ada`, {
      email,
      profile: { given_name: 'Eda' },
    })
    expect([nested.status, fieldPaths(nested.body)]).toEqual([422, ['profile']])
    const same = await raw('POST', `${path}?given_name=Ada`, { email, given_name: 'Ada' })
    expect(same.status).toBe(201)
  })
})

describe('environment', () => {
  test('repeated in any case, it changes nothing', async () => {
    const user = await createUser({})
    const path = `/api/v2/org/${org_domain}`
    for (const environment of ['sandbox', 'SANDBOX', 'Sandbox']) {
      expect(await post({ email: anyEmail(), environment })).toMatchObject({ status: 201 })
      for (const read of [`users/${user.id}`, `user-by-email/${user.email}`])
        expect(await raw('GET', `${path}/${read}?environment=${environment}`)).toMatchObject({ body: user })
      const list = await client.users.list({ org_domain, environment })
      expect(list.data.length).toBeGreaterThan(0)
    }
  })

  test('another than the key’s is 422 on writes and single reads, and an empty list', async () => {
    const user = await createUser({})
    const path = `/api/v2/org/${org_domain}`
    for (const environment of ['production', 'PRODUCTION', 'x', '']) {
      const answers = [
        await post({ email: anyEmail(), environment }),
        await raw('POST', `${path}/users?environment=${environment}`, { email: anyEmail() }),
        await put(user.id, { environment }),
        await raw('GET', `${path}/users/${user.id}?environment=${environment}`),
        await raw('GET', `${path}/user-by-email/${user.email}?environment=${environment}`),
      ]
      for (const answer of answers)
        expect([environment, answer.status, fieldPaths(answer.body)]).toEqual([
          environment,
          422,
          ['environment'],
        ])
      expect(await client.users.list({ org_domain, environment })).toMatchObject({ data: [], total: 0 })
    }
  })
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

describe('telephone numbers', () => {
  test('are told apart into country code and national number, and exactly one is primary', async () => {
    const user = await createUser({
      phone_numbers: [
        { value: '+390612345678', type: 'home' },
        { value: '+12125550123', primary: true },
        { value: '+358401234567', default: true },
      ],
    })
    expect(user).toMatchObject({
      phone_number: '+12125550123',
      profile: { phone_number: '+12125550123' },
      phone_numbers: [
        { value: '+390612345678', phone_country_code: 39, phone_national_number: '0612345678', type: 'home' },
        { value: '+12125550123', phone_country_code: 1, primary: true, type: 'mobile' },
        { value: '+358401234567', phone_country_code: 358, default: true, primary: false },
      ],
    })
    expect(await put(user.id, { phone_number: '+4930901820' })).toMatchObject({
      body: { phone_number: '+4930901820', phone_number_verified: false },
    })
  })

  test.each([
    ['no primary one', { value: '+4930901820', type: 'work' }],
    ['another primary one', { value: '+4930901820', primary: true }],
  ])('phone_number beside phone_numbers with %s is refused, or loses none of them', async (_name, number) => {
    const answer = await post({
      email: anyEmail(),
      phone_number: '+33612345678',
      phone_numbers: [number],
    })
    if (answer.status === 422) return
    const { phone_number, phone_numbers } = answer.body as User
    expect(phone_number).toBe('+33612345678')
    expect(phone_numbers.map((kept) => kept.value).sort()).toEqual(['+33612345678', '+4930901820'])
  })

  test('422: two primary numbers, two default ones, and a number of no country', async () => {
    const two = ['+33612345678', '+4930901820']
    for (const phone_numbers of [
      two.map((value) => ({ value, primary: true })),
      two.map((value) => ({ value, default: true })),
      [{ value: '+999123456789' }],
    ])
      expect((await post({ email: anyEmail(), phone_numbers })).status).toBe(422)
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

/** What of a record a caller may write: the members that the body of its creation knows, to their depth. */
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

interface RawAnswer {
  readonly status: number
  readonly body: unknown
}

function post(body: string | object): Promise<RawAnswer> {
  return raw('POST', `/api/v2/org/${org_domain}/users`, body)
}

function put(userId: string, body: object): Promise<RawAnswer> {
  return raw('PUT', `/api/v2/org/${org_domain}/users/${userId}`, body)
}

/** A string is sent as a form, an object as JSON. */
async function raw(method: string, path: string, body?: string | object): Promise<RawAnswer> {
  const isForm = typeof body === 'string'
  const response = await fetch(service.baseUrl + path, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && {
        'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json',
      }),
    },
    ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
  })
  return { status: response.status, body: await response.json() }
}

function fieldPaths(body: unknown): string[] {
  const { error } = body as { error?: { fields?: { path: string }[] } }
  return (error?.fields ?? []).map((field) => field.path)
}

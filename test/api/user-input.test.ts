import type { User } from '@portico/contract/users'
import { describe, expect, test } from 'vitest'
import { fieldPaths } from '../given/faults.js'
import { anyEmail } from '../given/given.js'
import { startService } from '../given/harness.js'
import { rawSenderOf, type RawAnswer } from '../given/raw.js'

const service = await startService()
const client = await service.client()
const raw = rawSenderOf(service.baseUrl, await service.token())
/** One organization for all tests with independent users. */
const org_domain = (await service.given.organization()).domain

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

  test('422: the name of a new user is not their given and family name; of a change it is that of before', async () => {
    const fault = ['profile', 'name']
    for (const profile of [
      { name: 'Ada Lovelace' },
      { name: 'Ada', given_name: 'Ada', family_name: 'Lovelace' },
    ]) {
      const answer = await post({ email: anyEmail(), profile })
      expect([answer.status, fieldPaths(answer.body)]).toEqual([422, [fault.join('.')]])
    }
    for (const profile of [
      { name: null },
      { name: 'Ada Lovelace', given_name: 'Ada', family_name: 'Lovelace' },
    ])
      expect(await post({ email: anyEmail(), profile })).toMatchObject({ status: 201 })
    const { id } = await service.given.user({ org_domain })
    expect(await put(id, { profile: { name: 'Ada Lovelace', given_name: 'Eda' } })).toMatchObject({
      status: 200,
      body: { profile: { name: 'Eda' } },
    })
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
    const user = await service.given.user({ org_domain })
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
    const user = await service.given.user({ org_domain })
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

describe('telephone numbers', () => {
  test('are told apart into country code and national number, and exactly one is primary', async () => {
    const user = await service.given.user({
      org_domain,
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

function post(body: string | object): Promise<RawAnswer> {
  return raw('POST', `/api/v2/org/${org_domain}/users`, body)
}

function put(userId: string, body: object): Promise<RawAnswer> {
  return raw('PUT', `/api/v2/org/${org_domain}/users/${userId}`, body)
}

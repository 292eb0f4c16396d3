import { describe, expect, test } from 'vitest'
import {
  findAddress,
  toLoggedAnswer,
  toLoggedBody,
  toLoggedPath,
  toLoggedQuery,
  toLoggedText,
} from './logged-text.js'

const canary = 'canary-velvet-harbour'

/** The stored form of a body. */
function logged(body: unknown, type: 'User' | 'Group' = 'User'): string {
  const isOne = typeof body === 'object' && body !== null && 'Operations' in body
  return toLoggedText(toLoggedBody(body, isOne ? { ...one, type } : { ...many, type })) ?? ''
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)
const one = { kind: 'one', type: 'User', operation: 'patch', id: '0190c8a4' } as const
const many = { kind: 'many', type: 'User', operation: 'create' } as const
const search = { ...many, operation: 'search' } as const
const listing = { ...many, operation: 'list' } as const

describe('what is stored of a request', () => {
  test.each([
    { password: canary },
    { PASSWORD: canary },
    { password: { value: canary } },
    { 'urn:ietf:params:scim:schemas:core:2.0:User:password': canary },
    { 'urn:ietf:params:scim:schemas:core:2.0:User': { password: canary } },
    { Operations: [{ op: 'replace', path: 'password', value: canary }] },
    { Operations: [{ op: 'replace', value: canary, path: 'password' }] },
    { Operations: [{ op: 'Replace', Path: 'Password', Value: canary }] },
    {
      Operations: [{ op: 'add', path: 'urn:ietf:params:scim:schemas:core:2.0:User:password', value: canary }],
    },
    { Operations: [{ op: 'add', path: ' password ', value: [{ value: canary }] }] },
    { Operations: [{ op: 'add', value: { password: canary, title: 'Engineer' } }] },
    { Operations: [{ op: 'add', value: { 'password.value': canary } }] },
    { Operations: [{ op: 'add', path: `password[value eq "${canary}"]`, value: 'x' }] },
    { Operations: [{ op: 'add', path: `emails[nothing eq "${canary}"].value`, value: 'x' }] },
    { Operations: [{ op: 'add', path: `emails[password eq ${canary}`, value: 'x' }] },
    { Operations: [{ op: 'add', path: 'emails', value: [{ password: canary }] }] },
    { Operations: [{ op: 'add', value: { [`password[value eq "${canary}"]`]: 'x' } }] },
    { Operations: [{ op: canary.repeat(3), path: 'title', value: 'x' }] },
    { Operations: [{ op: 'add', path: ['password'], value: canary }] },
    { Operations: [{ op: 'add', path: 'secret', value: canary }] },
    { Operations: canary },
    { title: { password: canary } },
    { secret: canary },
    { credentials: [{ value: canary }] },
    { [`${canary}.${canary.repeat(2)}`]: 1 },
    { schemas: [canary] },
    { name: { givenName: { secret: canary } } },
  ])('has no password: %j', (body) => {
    expect(logged(body)).not.toContain(canary)
    expect(logged(body)).toContain('(not kept)')
  })

  test('is all the rest as it came', () => {
    const body = {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
      Operations: [{ op: 'Replace', path: 'active', value: 'False' }],
    }

    expect(logged(body)).toBe(JSON.stringify(body))
    expect(toLoggedText(undefined)).toBeNull()
  })

  test('is all that is looked at of what came', () => {
    const unread = {
      get value(): never {
        throw new Error('was looked at')
      },
    }
    const member = { value: 'ada', type: 'User', $ref: '/ada' }
    const members = [...Array.from({ length: 3000 }, () => member), unread]

    expect(logged({ members }, 'Group')).toContain('"ada"')
  })

  test('is cut to 8,000 characters, however much came', () => {
    const members = Array.from({ length: 20_000 }, (_, index) => ({ value: `user-${index}` }))

    expect(logged({ members }, 'Group')).toBe(JSON.stringify({ members }).slice(0, 8000))
  })

  test('of a group calls members by their ids alone', () => {
    const members = [{ value: '0190c8a4', display: canary, $ref: '/Users/0190c8a4' }]
    const bodies = [
      { displayName: 'Engineers', members },
      { Operations: [{ op: 'add', path: 'members', value: members }] },
      {
        Operations: [
          { op: 'add', value: { Members: members.map((each) => ({ ...each, Display: canary })) } },
        ],
      },
    ]

    for (const body of bodies) {
      expect(logged(body, 'Group')).not.toContain(canary)
      expect(logged(body, 'Group')).toContain('0190c8a4')
    }
    const answer = toLoggedAnswer({ displayName: 'Engineers', members }, 'Group')
    expect(answer).not.toContain(canary)
    expect(answer).toContain('0190c8a4')
    expect(logged({ displayName: 'Engineers' }, 'Group')).toContain('Engineers')
  })

  test('of a search has no count that is no number, whatever it is instead', () => {
    for (const count of [{ toString: 1 }, ['1'], null, '1e9'])
      expect(JSON.stringify(toLoggedBody({ count }, search))).toBe('{"count":"(not kept)"}')
  })

  test('names what it does not know, without its value', () => {
    const body = { shoeSize: 46, title: ['Countess'], manager: '7', emails: [{ value: 'a', kind: 'b' }] }
    expect(logged(body)).toBe(
      '{"shoeSize":"(not kept)","title":["Countess"],"manager":"7","emails":[{"value":"a","kind":"(not kept)"}]}',
    )
  })
})

test.each([
  ['a path of brackets', { Operations: [{ op: 'replace', path: '['.repeat(2_000_000), value: 1 }] }],
  [
    'names of brackets',
    Object.fromEntries(numbers(1000).map((number) => [`${'['.repeat(990)}${number}`, 1])),
  ],
  ['names of words', Object.fromEntries(numbers(1000).map((number) => [`${'a '.repeat(490)}${number}`, 1]))],
])('%s, of which nothing is known, is cut before it is looked through', (_what, body) => {
  expect(logged(body).length).toBeLessThanOrEqual(8000)
  expect(JSON.stringify(toLoggedBody(body, one)).length).toBeLessThan(100_000)
})

test('a search with a filter of a million words is cut before it is looked through', () => {
  const body = { filter: 'a '.repeat(1_000_000), attributes: ','.repeat(1_000_000) }
  expect(JSON.stringify(toLoggedBody(body, search)).length).toBeLessThan(50_000)
})

describe('what is stored of a filter', () => {
  const inQuery = (filter: string) =>
    new URLSearchParams(toLoggedQuery(new URLSearchParams({ filter }).toString(), listing)).get('filter')
  const inSearch = (filter: string) =>
    (toLoggedBody({ filter }, search) as Readonly<Record<string, unknown>>)['filter']

  test.each([
    'userName eq "ada@people.example" and not (title pr)',
    'emails[type eq "work" and value co "x \\" y"].value eq ada',
    'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department eq "Engines"',
    'active eq true or (name.givenName sw "A"',
  ])('is all of it where it is of the schemas: %s', (filter) => {
    expect([inQuery(filter), inSearch(filter)]).toEqual([filter, filter])
  })

  test.each([
    `password eq "${canary}"`,
    `PASSWORD eq "${canary}`,
    `password eq ${canary}`,
    `urn:ietf:params:scim:schemas:core:2.0:User:password eq "${canary}"`,
    `secret eq "${canary}"`,
    `userName eq "ada" "${canary}"`,
    `userName "${canary}"`,
    `emails[secret eq "${canary}"]`,
    `emails[value eq "a"].secret eq "${canary}"`,
    `password[value eq "${canary}"]`,
    `userName eq "ada" and (${canary} eq "x")`,
    `"${canary}"`,
    canary,
  ])('is nothing else: %s', (filter) => {
    for (const logged of [inQuery(filter), inSearch(filter)]) {
      expect(logged).not.toContain(canary)
      expect(logged).toContain('(not kept)')
    }
  })
})

describe('what is stored of a query', () => {
  test.each([
    'filter=userName%20eq%20%22ada%22&startIndex=1&count=100',
    'sortBy=name.familyName&sortOrder=descending&attributes=userName,emails',
    'aadOptscim062020',
    '',
  ])('is the parameters of a list, as they came: %s', (query) => {
    expect(toLoggedQuery(query, listing)).toBe(query)
  })

  test.each([
    [`access_token=${canary}`, 'access_token=(not kept)'],
    [`count=${canary}&startIndex=1`, 'count=(not kept)&startIndex=1'],
    [`filter=password%20eq%20%22${canary}%22`, 'filter=password%20eq%20(not%20kept)'],
    [`sortBy=${canary.repeat(3)}`, 'sortBy=(not kept)'],
    [`${canary.repeat(3)}`, '(not kept)'],
    [canary, '(not kept)'],
    [`aadOptscim062020&${canary}=1`, 'aadOptscim062020&(not kept)'],
    [`=${canary}`, '(not kept)'],
  ])('is of others the name: %s', (query, logged) => {
    expect(toLoggedQuery(query, listing)).toBe(logged)
  })

  test('has no filter where nobody knows what is asked for', () => {
    expect(toLoggedQuery('filter=title%20eq%20%22x%22', undefined)).not.toContain('x')
  })
})

test('what is stored of a path is its names and ids', () => {
  const id = '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46'
  expect(toLoggedPath(`/Users/${id}`)).toBe(`/Users/${id}`)
  expect(toLoggedPath('/Groups/.search')).toBe('/Groups/.search')
  expect(toLoggedPath(`/Users/${canary}`)).toBe('/Users/(not kept)')
})

test('what is stored of a list is its ids', () => {
  const page = {
    totalResults: 2,
    Resources: [
      { id: 'a', userName: canary },
      { id: 'b', name: { givenName: canary } },
    ],
  }

  expect(JSON.parse(toLoggedAnswer(page, 'User') ?? '')).toEqual({
    totalResults: 2,
    Resources: [{ id: 'a' }, { id: 'b' }],
  })
})

describe('the address that a request is about', () => {
  test.each([
    ['', '{"userName":"ada.lovelace+x@sub.people.example"}', 'ada.lovelace+x@sub.people.example'],
    ['filter=userName+eq+%22ada%40people.example%22', null, 'ada@people.example'],
    ['filter=id+pr', '{"userName":"ada"}', undefined],
  ])('%s %s', (query, request, address) => {
    expect(findAddress({ query, request })).toBe(address)
  })

  test('is looked for in little time, whatever was sent', () => {
    const start = process.cpuUsage()
    for (const text of ['a'.repeat(8000), 'a@'.repeat(4000), `${'a'.repeat(64)}@${'a.'.repeat(3900)}`])
      findAddress({ query: '', request: text })
    const { user, system } = process.cpuUsage(start)
    expect(user + system).toBeLessThan(200_000)
  })
})

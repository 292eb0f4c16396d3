import { describe, expect, test } from 'vitest'
import { findAddress, toLoggedAnswer, toLoggedBody, toLoggedQuery, toLoggedText } from './logged-text.js'

const canary = 'canary-velvet-harbour'

/** What is stored of a body. */
function logged(body: unknown, type: 'User' | 'Group' = 'User'): string {
  return toLoggedText(toLoggedBody(body, type)) ?? ''
}

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
      expect(toLoggedAnswer(body, 'Group')).not.toContain(canary)
    }
    expect(logged({ displayName: 'Engineers' }, 'Group')).toContain('Engineers')
  })

  test('has no query that names a password', () => {
    expect(toLoggedQuery(`filter=password%20eq%20%22${canary}%22`)).toBe('(not kept)')
    expect(toLoggedQuery('filter=userName%20eq%20%22ada%22')).toBe('filter=userName%20eq%20%22ada%22')
  })
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
    const start = performance.now()
    for (const text of ['a'.repeat(8000), 'a@'.repeat(4000), `${'a'.repeat(64)}@${'a.'.repeat(3900)}`])
      findAddress({ query: '', request: text })
    expect(performance.now() - start).toBeLessThan(200)
  })
})

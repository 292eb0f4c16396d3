import type { Client } from '@portico/sdk'
import { beforeAll, describe, expect, test } from 'vitest'
import { anyEmail, anything } from '../../given/given.js'
import { startService, type Service } from '../../given/harness.js'
import { scimGivenOf, type ScimProvider } from '../../given/scim-given.js'

let service: Service
let client: Client
let org_domain: string
let scim: ScimProvider
let userId: string

const patchSchema = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User'
/** Upper bound of the duration of a refusal, also on a busy machine. */
const patienceMs = 2000

beforeAll(async () => {
  service = await startService()
  client = await service.client()
  ;({ org_domain, scim } = await scimGivenOf(client).directory())
  const { body } = await scim('POST', '/Users', { body: newUser() })
  userId = (body as { id: string }).id
})

const newUser = (members: object = {}) => ({ schemas: [userSchema], userName: anyEmail(), ...members })
const operations = (list: unknown) => ({ schemas: [patchSchema], Operations: list })
const nested = (depth: number) => JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`) as object
/** More members than a resource may have, but fewer distinct names than a body may have. */
const ofFewNames = () => {
  const members = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`y${index}`, 1]))
  return Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`x${index}`, members]))
}
const search = (filter: string) => ({ filter })

/** Requests, and the only permitted answer to each. */
const refused: [string, string, () => unknown, string][] = [
  [
    '1,000 operations',
    'PATCH',
    () => operations(Array.from({ length: 1000 }, () => ({ op: 'add', path: 'title', value: 'x' }))),
    'invalidSyntax',
  ],
  ['operations that are none', 'PATCH', () => operations('all of them'), 'invalidSyntax'],
  ['operations that are null', 'PATCH', () => operations([null]), 'invalidSyntax'],
  [
    'an operation of another name',
    'PATCH',
    () => operations([{ op: 'move', path: 'title' }]),
    'invalidSyntax',
  ],
  [
    'a value of more than 4 kB',
    'PATCH',
    () => operations([{ op: 'replace', path: 'title', value: 'x'.repeat(4097) }]),
    'invalidValue',
  ],
  [
    'a value of 2,000 characters that are 6 kB',
    'PATCH',
    () => operations([{ op: 'replace', path: 'title', value: '漢'.repeat(2000) }]),
    'invalidValue',
  ],
  ...[
    '__proto__',
    '__proto__.polluted',
    'constructor.prototype.polluted',
    'name.__proto__',
    'name.constructor',
  ].map((path): [string, string, () => unknown, string] => [
    `the path ${path}`,
    'PATCH',
    () => operations([{ op: 'add', path, value: 'yes' }]),
    'invalidPath',
  ]),
  [
    'a path of 10,000 brackets',
    'PATCH',
    () => operations([{ op: 'add', path: `emails[${'('.repeat(10_000)}`, value: 'x' }]),
    'invalidPath|invalidFilter',
  ],
  [
    'a path whose filter is longer than 1,000 characters',
    'PATCH',
    () => operations([{ op: 'add', path: `emails[value eq "${'x'.repeat(1000)}"].value`, value: 'x' }]),
    'invalidPath|invalidFilter',
  ],
  [
    'a path that is no text',
    'PATCH',
    () => operations([{ op: 'add', path: ['title'], value: 'x' }]),
    'invalidPath',
  ],
  [
    'a text with a NUL character',
    'PATCH',
    () => operations([{ op: 'add', path: 'title', value: 'a\0b' }]),
    'invalidValue',
  ],
  [
    'half of a surrogate pair',
    'PATCH',
    () => operations([{ op: 'add', path: 'title', value: '\ud800' }]),
    'invalidValue',
  ],
  ['a name that is a number of numbers', 'POST', () => newUser({ name: [[1], [2]] }), 'invalidValue'],
  ['a userName that is an object', 'POST', () => newUser({ userName: { toString: 'x' } }), 'invalidValue'],
  [
    'a userName that is no address, without another',
    'POST',
    () => newUser({ userName: 'ada' }),
    'invalidValue',
  ],
  [
    '1,000 addresses',
    'POST',
    () => newUser({ emails: Array.from({ length: 1000 }, () => ({ value: anyEmail() })) }),
    'invalidValue',
  ],
  [
    'a body 10,000 levels deep',
    'POST',
    () => `{"userName":${'['.repeat(10_000)}${']'.repeat(10_000)}}`,
    'invalidSyntax',
  ],
  ['a value 40 levels deep', 'POST', () => newUser({ name: nested(40) }), 'invalidSyntax'],
  [
    'a member __proto__',
    'POST',
    () =>
      `{"userName":"${anyEmail()}","__proto__":{"polluted":"yes"},"name":{"__proto__":{"polluted":"yes"}}}`,
    'invalidValue',
  ],
  [
    '5,000 members that nobody knows',
    'POST',
    () => newUser(Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`x${index}`, 1]))),
    'invalidSyntax',
  ],
  ['1,500 members of 80 names', 'POST', () => newUser(ofFewNames()), 'invalidSyntax'],
  [
    'one operation on 1,500 members of 80 names',
    'PATCH',
    () => operations([{ op: 'add', value: ofFewNames() }]),
    'invalidSyntax',
  ],
  [
    'one operation on 30,000 paths with filters',
    'PATCH',
    () => {
      const paths = Array.from({ length: 30_000 }, (_, index) => [`emails[type eq "${index}"].value`, 'x'])
      return operations([{ op: 'add', value: Object.fromEntries(paths) as object }])
    },
    'invalidSyntax',
  ],
  [
    '20,000 attributes that the answer is to have',
    'SEARCH',
    () => ({ attributes: Array.from({ length: 20_000 }, () => 'userName') }),
    'invalidValue',
  ],
  [
    'a time that Postgres does not hold',
    'SEARCH',
    () => search('meta.created gt "-200000-01-01T00:00:00Z"'),
    'invalidFilter',
  ],
  [
    'a filter of 2,000 characters',
    'SEARCH',
    () => search(`userName eq "${'x'.repeat(2000)}"`),
    'invalidFilter',
  ],
  [
    '10,000 parentheses',
    'SEARCH',
    () => search(`${'('.repeat(10_000)}userName pr${')'.repeat(10_000)}`),
    'invalidFilter',
  ],
  [
    '31 parentheses',
    'SEARCH',
    () => search(`${'('.repeat(31)}userName pr${')'.repeat(31)}`),
    'invalidFilter',
  ],
  ['a filter by an attribute that is not there', 'SEARCH', () => search('nothing eq "x"'), 'invalidFilter'],
  ['a filter by __proto__', 'SEARCH', () => search('__proto__ pr'), 'invalidFilter'],
  ['a filter by a password', 'SEARCH', () => search('password eq "x"'), 'invalidFilter'],
  ['a filter that is none', 'SEARCH', () => search('userName'), 'invalidFilter'],
  ['a filter of SQL', 'SEARCH', () => search(`userName eq 'x' or 1=1; drop table users`), 'invalidFilter'],
  [
    'a sort order of SQL',
    'SEARCH',
    () => ({ sortBy: 'userName', sortOrder: 'asc; drop table users' }),
    'invalidValue',
  ],
  ['a sort by SQL', 'SEARCH', () => ({ sortBy: 'userName; drop table users' }), 'invalidPath'],
  ['a count that is none', 'SEARCH', () => ({ count: 'all' }), 'invalidValue'],
  ['a user of SCIM 1.1', 'POST', () => newUser({ schemas: ['urn:scim:schemas:core:1.0'] }), 'invalidValue'],
  [
    'a user that says to be a group',
    'POST',
    () => newUser({ schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'] }),
    'invalidValue',
  ],
  ['a user of an empty list of schemas', 'POST', () => newUser({ schemas: [] }), 'invalidValue'],
  ['schemas that are text', 'POST', () => newUser({ schemas: userSchema }), 'invalidSyntax'],
  ['schemas that are numbers', 'POST', () => newUser({ schemas: [1] }), 'invalidSyntax'],
  [
    'a patch that says to be a user',
    'PATCH',
    () => ({ ...operations([{ op: 'replace', path: 'title', value: 'x' }]), schemas: [userSchema] }),
    'invalidValue',
  ],
  ['a search that says to be a list', 'SEARCH', () => ({ schemas: [patchSchema] }), 'invalidValue'],
  ['a filter that is an object', 'SEARCH', () => ({ filter: { userName: 'x' } }), 'invalidValue'],
]

describe('400, soon and without harm', () => {
  test.each(refused)('%s', async (_what, method, bodyOf, types) => {
    const before = await scim('GET', `/Users/${userId}`)
    const start = performance.now()

    const { status, body } =
      method === 'PATCH'
        ? await scim('PATCH', `/Users/${userId}`, { body: bodyOf() })
        : await scim('POST', method === 'SEARCH' ? '/Users/.search' : '/Users', { body: bodyOf() })

    expect(performance.now() - start).toBeLessThan(patienceMs)
    expect([status, body]).toEqual([
      400,
      {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
        status: '400',
        scimType: expect.toBeOneOf(types.split('|')) as unknown,
        detail: expect.any(String) as unknown,
      },
    ])
    // The service runs in this process.
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
    expect(await scim('GET', `/Users/${userId}`)).toMatchObject({ status: 200, body: before.body })
  })
})

test('400: a parameter that is given twice', async () => {
  const { status, body } = await scim('GET', '/Users?count=1&count=2')

  expect([status, body]).toMatchObject([400, { scimType: 'invalidValue' }])
})

test('a filter that asks for SQL finds what is called so, and nothing else', async () => {
  for (const text of ["x' or '1'='1", "'; drop table users; --", '%', '_', '\\'])
    for (const operator of ['eq', 'co', 'sw', 'ew']) {
      const filter = `userName ${operator} ${JSON.stringify(text)}`
      const { status, body } = await scim('GET', `/Users?filter=${encodeURIComponent(filter)}`)
      expect([filter, status, body]).toMatchObject([filter, 200, { totalResults: 0 }])
    }
})

test('a page of any number is one of users', async () => {
  for (const query of [
    'startIndex=-5',
    'startIndex=0',
    'startIndex=999999999',
    'count=-1',
    'count=999999999',
  ]) {
    const { status, body } = await scim('GET', `/Users?${query}`)
    expect([query, status, body]).toMatchObject([query, 200, { totalResults: 1 }])
  }
})

test('404: an id that is none, in any form', async () => {
  for (const id of [
    'x',
    '%00',
    '..%2f..',
    "'or'1",
    'A'.repeat(5000),
    userId.toUpperCase(),
    `user_${userId}`,
  ]) {
    for (const method of ['GET', 'DELETE']) {
      const { status, body } = await scim(method, `/Users/${id}`)
      expect([id.slice(0, 50), status, body]).toMatchObject([id.slice(0, 50), 404, { status: '404' }])
    }
  }
})

test('token of A at B’s address: nothing of B is answered or changed', async () => {
  const other = await scimGivenOf(client).directory()
  const secret = anything()
  const url = (await client.directorySync.get({ org_domain })).scim_base_url

  for (const authorization of [`Bearer ${other.secret}`, `Bearer ${secret}`]) {
    const answer = await fetch(`${url}/Users/${userId}`, { method: 'DELETE', headers: { authorization } })
    expect(answer.status).toBe(401)
  }
  const crossed = await other.scim('DELETE', `/Users/${userId}`)

  expect(crossed.status).toBe(404)
  expect((await scim('GET', `/Users/${userId}`)).status).toBe(200)
})

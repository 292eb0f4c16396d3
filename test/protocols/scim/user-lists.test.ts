import { describe, expect, test } from 'vitest'
import { startService } from '../../given/harness.js'
import type { ScimProvider } from '../../given/scim-given.js'
import { enterpriseUser, replacing, scimUsersGivenOf } from './user-given.js'

const service = await startService()
const client = await service.client()
const given = scimUsersGivenOf(client)

const other = 'charles@other.example'

/** A directory with one user, in an organization with another one. */
async function givenUsers() {
  const { scim, org_domain } = await given.directory()
  const made = await given.user(scim, {
    email: 'Ada@awesome.example',
    externalId: 'x1',
    emails: [
      { value: 'ada@awesome.example', type: 'work', primary: true },
      { value: 'second@home.example', type: 'home' },
    ],
    title: '100% Countess_',
    preferredLanguage: 'en',
    phoneNumbers: [{ value: '55555555555', type: 'fax' }],
    [enterpriseUser]: { department: 'Engines', manager: { value: '7' } },
  })
  await service.given.user({ org_domain, email: other, given_name: 'Charles' })
  const found = async (filter: string) => {
    const { status, body } = await scim('GET', `/Users?filter=${encodeURIComponent(filter)}`)
    const { Resources = [] } = body as { Resources?: readonly { userName: string }[] }
    return status === 200 ? Resources.map(({ userName }) => userName) : body
  }
  return { scim, made, found }
}

/** The local parts of the users' addresses on a page. */
async function sorted(scim: ScimProvider, query: Record<string, string>): Promise<string[]> {
  const { body } = await scim('GET', `/Users?${new URLSearchParams(query).toString()}`)
  const { Resources } = body as { Resources: readonly { userName: string }[] }
  return Resources.map(({ userName }) => userName.split('@')[0] ?? '')
}

test('an address finds who was made with blanks around it, by the same text and without them', async () => {
  const { scim } = await given.directory()
  const value = ' blank@awesome.example '
  const { id } = await given.user(scim, { userName: 'blank', emails: [{ value, primary: true }] })
  const idsFound = async (filter: string) => {
    const { body } = await scim('GET', `/Users?filter=${encodeURIComponent(filter)}`)
    return (body as { Resources: readonly { id: string }[] }).Resources.map((user) => user.id)
  }

  expect(await idsFound(`emails.value eq "${value}"`)).toEqual([id])
  expect(await idsFound(`emails.value eq "${value}" or title eq "nobody's"`)).toEqual([id])
})

describe('a filter', () => {
  test.each([
    'userName eq "ada@AWESOME.example"',
    'userName sw "ada" and userName ew "example" and userName co "awesome"',
    'externalId eq "x1"',
    'emails[type eq "work"].value eq "ada@awesome.example"',
    'emails.value eq "ada@awesome.example"',
    'emails co "awesome"',
    'emails[type eq "work" and primary eq true] and externalId pr',
    'active eq true and title pr',
    'active eq "True" and not (externalId eq null)',
    'name.familyName co "LOVE"',
    'name.givenName sw "a" and name.givenName ew "A"',
    `${enterpriseUser}:department eq "engines"`,
    'manager eq "7"',
    'title co "0% c" and title ew "_"',
    'title ge "1" and title lt "2"',
    'phoneNumbers[type eq "fax"].value eq "55555555555"',
    'preferredLanguage eq "EN"',
    'meta.created gt "2020-01-01T00:00:00Z" and meta.lastModified le "2999-01-01T00:00:00Z" and title pr',
    'meta.resourceType eq "User" and name pr and title pr',
    'userName eq "nobody" or title pr',
    'userName eq "ADA@awesome.example" or emails eq "nobody@awesome.example"',
    'userName eq "nobody" or externalId eq "x1"',
    'emails eq "second@HOME.example"',
    'emails[type eq "home" and value eq "Second@home.example"]',
    'not (emails eq "charles@other.example")',
    'not (emails[value eq "charles@other.example"] or userName eq "nobody")',
    'emails[value eq "nobody@home.example" or type eq "home"]',
    'active eq true and userName ne "charles@other.example"',
    'active ne false and externalId eq "x1"',
  ])('finds whom it describes: %s', async (filter) => {
    const { found } = await givenUsers()
    expect(await found(filter)).toEqual(['Ada@awesome.example'])
  })

  test.each([
    `userName eq "${other}"`,
    `emails[type eq "work"].value eq "${other}"`,
    'not (title pr)',
    'title ne "100% countess_" and externalId ne "x1"',
    'name.givenName eq "charles"',
    'displayName eq "Charles"',
  ])('finds users who are not of the directory, too: %s', async (filter) => {
    const { found } = await givenUsers()
    expect(await found(filter)).toEqual([other])
  })

  test.each([
    'externalId eq "X1"',
    'emails[type eq "home"].value eq "ada@awesome.example"',
    'title co "1%C"',
    'title eq "100_ Countess_"',
    'groups.value eq "0190ca22-3c4d-7e5f-9061-7283940516c7"',
    `userName eq "x' or '1'='1"`,
    'active eq false',
    'emails[type eq "work" and value eq "second@home.example"]',
    'emails eq "second"',
    'id eq "none"',
    'userName eq "ada@awesome.example" and emails eq "charles@other.example"',
    'addresses pr or photos pr or roles[primary eq true]',
  ])('finds nobody else: %s', async (filter) => {
    const { found } = await givenUsers()
    expect(await found(filter)).toEqual([])
  })

  test('finds who is not active, and nobody else', async () => {
    const { scim, made, found } = await givenUsers()
    await scim('PATCH', `/Users/${made.id}`, { body: replacing('active', false) })
    expect(await found('active eq false')).toEqual([made.userName])
    expect(await found('not (active eq false)')).toEqual([other])
  })

  test('by the id finds one', async () => {
    const { found, made } = await givenUsers()
    expect(await found(`id eq "${made.id}"`)).toEqual([made.userName])
  })

  test.each([
    'nothing eq "x"',
    'userName eq',
    'password eq "x"',
    'meta.location eq "x"',
    'meta.version eq "x"',
    'meta.created co "2026-01-01"',
  ])('400 invalidFilter: %s', async (filter) => {
    const { found } = await givenUsers()
    expect(await found(filter)).toMatchObject({ status: '400', scimType: 'invalidFilter' })
  })
})

describe('a list', () => {
  test('has its pages in one order, and what is there in all', async () => {
    const { scim } = await given.directory()
    const made: string[] = []
    for (const letter of ['c', 'a', 'e', 'b', 'd'])
      made.push((await given.user(scim, { email: `${letter}@x.example`, title: letter })).userName)
    const page = async (query: string) => {
      const { body } = await scim('GET', `/Users?${query}`)
      const { Resources, ...counts } = body as { Resources: readonly { userName: string }[] }
      return { ...counts, names: Resources.map(({ userName }) => userName.slice(0, 1)).join('') }
    }
    expect(await page('startIndex=1&count=2')).toMatchObject({
      names: 'ca',
      totalResults: 5,
      startIndex: 1,
      itemsPerPage: 2,
    })
    expect(await page('startIndex=3&count=100')).toMatchObject({
      names: 'ebd',
      startIndex: 3,
      itemsPerPage: 3,
    })
    expect(await page('startIndex=6')).toMatchObject({ names: '', totalResults: 5, itemsPerPage: 0 })
    expect(await page('count=0')).toMatchObject({ names: '', totalResults: 5 })
    expect(await page('startIndex=-3&count=-1')).toMatchObject({ names: '', totalResults: 5, startIndex: 1 })
    for (const sortBy of ['userName', 'emails', 'emails.value', 'title'])
      expect([sortBy, await page(`sortBy=${sortBy}`)]).toMatchObject([sortBy, { names: 'abcde' }])
    expect(await page('sortBy=userName&sortOrder=descending&count=2')).toMatchObject({ names: 'ed' })
    expect(await page('sortBy=meta.created&sortOrder=descending')).toMatchObject({ names: 'dbeac' })
  })

  test.each([
    'active',
    'externalId',
    'name',
    'name.familyName',
    'phoneNumbers',
    'groups',
    'meta.lastModified',
    `${enterpriseUser}:manager`,
  ])('is sorted by %s', async (sortBy) => {
    const { scim } = await givenUsers()
    expect(await scim('GET', `/Users?sortBy=${sortBy}`)).toMatchObject({
      status: 200,
      body: { totalResults: 2 },
    })
  })

  test('is sorted with case where the attribute has case, and without elsewhere', async () => {
    const { scim } = await given.directory()
    for (const letter of ['a', 'B', 'c'])
      await given.user(scim, { email: `${letter}@x.example`, title: letter, externalId: letter })

    expect(await sorted(scim, { sortBy: 'title' })).toEqual(['a', 'B', 'c'])
    expect(await sorted(scim, { sortBy: 'externalId' })).toEqual(['B', 'a', 'c'])
    expect(await sorted(scim, { sortBy: 'externalId', filter: 'active eq true' })).toEqual(['B', 'a', 'c'])
  })

  test('has what has no value last, and first where it descends', async () => {
    const { scim } = await given.directory()
    for (const letter of ['b', 'none', 'a'])
      await given.user(scim, {
        email: `${letter}@x.example`,
        ...(letter !== 'none' && { title: letter, externalId: letter }),
      })
    for (const sortBy of ['title', 'externalId']) {
      expect([sortBy, await sorted(scim, { sortBy })]).toEqual([sortBy, ['a', 'b', 'none']])
      const descending = { sortBy, sortOrder: 'descending' }
      expect([sortBy, await sorted(scim, descending)]).toEqual([sortBy, ['none', 'b', 'a']])
      const filtered = { ...descending, filter: 'active eq true' }
      expect([sortBy, await sorted(scim, filtered)]).toEqual([sortBy, ['none', 'b', 'a']])
    }
  })

  test.each(['phoneNumbers', 'emails', 'photos', 'roles'])(
    'is sorted by the primary one of %s, else by the first',
    async (sortBy) => {
      const { scim } = await given.directory()
      const valueOf = (text: string) => (sortBy === 'emails' ? `${text}@values.example` : text)
      const lists = {
        c: [{ value: valueOf('1') }, { value: valueOf('3'), primary: true }],
        b: [
          { value: valueOf('2'), type: 'home' },
          { value: valueOf('9'), type: 'work' },
        ],
        a: [{ value: valueOf('1'), primary: true }, { value: valueOf('8') }],
      }
      for (const [letter, list] of Object.entries(lists))
        await given.user(scim, { email: `${letter}@x.example`, [sortBy]: list })

      expect(await sorted(scim, { sortBy })).toEqual(['a', 'b', 'c'])
      const found = { sortBy, sortOrder: 'descending', filter: `${sortBy} pr` }
      expect(await sorted(scim, found)).toEqual(['c', 'b', 'a'])
    },
  )

  test('is sorted by the groups of users, and by the addresses that the API has changed', async () => {
    const { scim, org_domain } = await given.directory()
    const [a, b] = [
      await given.user(scim, { email: 'a@x.example' }),
      await given.user(scim, { email: 'b@x.example' }),
    ]
    const displayNames = new Map([
      [a.id, 'Two'],
      [b.id, 'One'],
    ])
    for (const [value, displayName] of displayNames)
      await scim('POST', '/Groups', {
        body: {
          schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
          displayName,
          members: [{ value }],
        },
      })
    expect(await sorted(scim, { sortBy: 'groups.display' })).toEqual(['b', 'a'])

    await client.users.update({ org_domain, user_id: a.id, email: 'z@x.example' })
    expect(await sorted(scim, { sortBy: 'emails' })).toEqual(['b', 'a'])
  })

  test.each([
    ['sortBy=nothing', 'invalidPath'],
    ['sortOrder=up', 'invalidValue'],
    ['count=many', 'invalidValue'],
    ['startIndex=1e3', 'invalidValue'],
    ['attributes=userName&excludedAttributes=name', 'invalidValue'],
  ])('400: %s', async (query, scimType) => {
    const { scim } = await given.directory()
    expect(await scim('GET', `/Users?${query}`)).toMatchObject({ status: 400, body: { scimType } })
  })

  test('has the attributes that are asked for', async () => {
    const { scim, made } = await givenUsers()
    const read = async (query: string) => (await scim('GET', `/Users/${made.id}?${query}`)).body
    const { id } = made

    expect(await read('attributes=userName,name.givenName,manager.value')).toEqual({
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User', enterpriseUser],
      id,
      userName: 'Ada@awesome.example',
      name: { givenName: 'Ada' },
      [enterpriseUser]: { manager: { value: '7' } },
    })
    const without = await read(`excludedAttributes=emails.type,name,id,${enterpriseUser}`)
    expect(without).toMatchObject({ id, emails: [{ value: 'ada@awesome.example', primary: true }, {}] })
    expect(without).not.toHaveProperty('emails.0.type')
    expect(without).not.toHaveProperty('name')
    expect(without).not.toHaveProperty([enterpriseUser])
  })
})

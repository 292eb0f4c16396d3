import { describe, expect, test } from 'vitest'
import { startService } from '../../given/harness.js'
import { longDescribe } from '../../sampled.js'
import { scimGivenOf } from '../../given/scim-given.js'
import { asMembers, type GroupList, groupScene } from './group-given.js'

const service = await startService()
const given = scimGivenOf(await service.client())

const scene = (userCount?: number) => groupScene(service, given, userCount)

describe('filters', () => {
  test('find groups as providers ask for them', async () => {
    const { groups, users } = await scene(2)
    const [a = '', b = ''] = users
    const one = await groups.make({
      displayName: 'Équipe One',
      externalId: 'E-1',
      members: asMembers([a, b]),
    })
    const two = await groups.make({ displayName: 'Team "Two"', members: asMembers([b]) })
    const found = async (filter: string) => {
      const { totalResults, Resources } = await groups.list({ filter })
      expect(totalResults).toBe(Resources.length)
      return Resources.map(({ id }) => id)
    }
    const display = one.members?.find(({ value }) => value === a)?.display ?? ''

    const cases: [string, string[]][] = [
      ['displayName eq "équipe one"', [one.id]],
      ['displayName eq "Team \\"Two\\""', [two.id]],
      ['displayName ne "équipe one"', [two.id]],
      ['displayName co "ea"', [two.id]],
      ['displayName sw "ÉQ"', [one.id]],
      ['displayName ew "ONE"', [one.id]],
      ['displayName gt "team"', [one.id, two.id]],
      ['displayName co "%"', []],
      [`displayName eq "' or true --"`, []],
      ['externalId eq "E-1"', [one.id]],
      ['externalId eq "e-1"', []],
      ['externalId pr', [one.id]],
      ['externalId ne "E-1"', [two.id]],
      ['not (externalId eq "E-1")', [two.id]],
      [`id eq "${two.id}"`, [two.id]],
      ['id eq "nothing"', []],
      [`id sw "${two.id.slice(0, 36)}"`, [two.id]],
      [`members.value eq "${a}"`, [one.id]],
      [`members eq "${b}"`, [one.id, two.id]],
      [`members[value eq "${a}" and type eq "user"]`, [one.id]],
      [`members[not (value eq "${b}")]`, [one.id]],
      [`members.display eq "${display.toUpperCase()}"`, [one.id]],
      [`id eq "${two.id}" and members eq "${a}"`, []],
      [`id eq "${two.id}" or members eq "${a}"`, [one.id, two.id]],
      [
        'meta.created gt "2020-01-01T00:00:00Z" and meta.lastModified lt "2999-01-01T00:00:00Z"',
        [one.id, two.id],
      ],
      [`meta.version eq "W/\\"1\\"" and meta.location ew "${one.id}"`, [one.id]],
      ['meta.resourceType eq "Group" and members pr', [one.id, two.id]],
    ]
    for (const [filter, ids] of cases) expect([filter, await found(filter)]).toEqual([filter, ids])
  })

  test.each(['members.nobody eq "1"', 'meta.created co "2026"', 'nothing eq "1"', 'displayName eq'])(
    'refuse %s',
    async (filter) => {
      const { scim } = await scene()
      const answer = await scim('GET', `/Groups?${new URLSearchParams({ filter }).toString()}`)
      expect(answer).toMatchObject({ status: 400, body: { scimType: 'invalidFilter' } })
    },
  )

  test('stay within the directory, whatever they say', async () => {
    const [mine, theirs] = [await scene(), await scene()]
    const { id, displayName } = await theirs.groups.make()

    for (const filter of [`id eq "${id}"`, `displayName eq "${displayName}" or id pr`, 'not (id eq "1")'])
      expect((await mine.groups.list({ filter })).totalResults).toBe(0)
  })
})

describe('a list', () => {
  test('comes in pages, and in the order that is asked for', async () => {
    const { groups } = await scene()
    for (const displayName of ['b', 'C', 'a']) await groups.make({ displayName })
    const names = ({ Resources }: GroupList) => Resources.map(({ displayName }) => displayName)

    expect(names(await groups.list())).toEqual(['b', 'C', 'a'])
    expect(names(await groups.list({ sortBy: 'displayName' }))).toEqual(['a', 'b', 'C'])
    expect(names(await groups.list({ sortBy: 'displayName', sortOrder: 'descending' }))).toEqual([
      'C',
      'b',
      'a',
    ])
    const page = await groups.list({ startIndex: '2', count: '1' })
    expect([page.totalResults, page.startIndex, page.itemsPerPage, names(page)]).toEqual([3, 2, 1, ['C']])
    expect(await groups.list({ count: '0' })).toMatchObject({ totalResults: 3, Resources: [] })
  })

  test('has groups without the value last, and first where it descends', async () => {
    const { groups } = await scene()
    for (const externalId of ['2', undefined, '1'])
      await groups.make({
        displayName: externalId ?? 'none',
        ...(externalId !== undefined && { externalId }),
      })
    const names = ({ Resources }: GroupList) => Resources.map(({ displayName }) => displayName)

    expect(names(await groups.list({ sortBy: 'externalId' }))).toEqual(['1', '2', 'none'])
    const descending = await groups.list({ sortBy: 'externalId', sortOrder: 'descending' })
    expect(names(descending)).toEqual(['none', '2', '1'])
  })

  test('has the members, but where they are excluded', async () => {
    const { scim, groups, users } = await scene(2)
    const { id } = await groups.make({ members: asMembers(users) })
    await groups.make()

    const { Resources } = await groups.list()
    expect(Resources).toMatchObject([{ id, members: asMembers(users) }, { members: [] }])
    const { Resources: bare } = await groups.list({ excludedAttributes: 'members' })
    expect(bare.map((group) => 'members' in group)).toEqual([false, false])
    expect((await scim('GET', `/Groups/${id}?excludedAttributes=members`)).body).not.toHaveProperty('members')
  })

  test('cannot be sorted by members', async () => {
    const { scim } = await scene()
    expect(await scim('GET', '/Groups?sortBy=members')).toMatchObject({
      status: 400,
      body: { scimType: 'invalidPath' },
    })
  })
})

longDescribe('10,000 members', () => {
  test('are put, told, patched and removed; a removal of one removes one', async () => {
    const { scim, groups, users } = await scene(10_000)
    const [first = '', ...others] = users
    const { id, displayName } = await groups.make()

    const put = await groups.replace(id, { displayName, members: asMembers(users) })
    expect(put.status).toBe(200)
    expect(await groups.memberIds(id)).toEqual(users)
    await groups.patch(id, { op: 'remove', path: `members[value eq "${first}"]` })
    expect(await groups.memberIds(id)).toEqual(others)
    await groups.patch(id, { op: 'replace', path: 'members', value: asMembers([first]) })
    expect(await groups.memberIds(id)).toEqual([first])
    await groups.patch(id, { op: 'add', path: 'members', value: asMembers(others) })
    expect(await groups.memberIds(id)).toEqual(users)
    expect((await scim('DELETE', `/Groups/${id}`)).status).toBe(204)
  }, 60_000)

  test('end a page of groups before it is too large, and the next page goes on', async () => {
    const { groups, users } = await scene(10_000)
    const [one, two, three] = [await groups.make(), await groups.make(), await groups.make()]
    for (const { id, displayName } of [one, two, three])
      expect((await groups.replace(id, { displayName, members: asMembers(users) })).status).toBe(200)

    const page = await groups.list()
    expect([page.totalResults, page.itemsPerPage, page.Resources.map(({ id }) => id)]).toEqual([
      3,
      2,
      [one.id, two.id],
    ])
    const next = await groups.list({ startIndex: '3' })
    expect(next.Resources.map(({ id, members }) => [id, members?.length])).toEqual([[three.id, 10_000]])
  }, 60_000)
})

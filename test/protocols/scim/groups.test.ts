import { describe, expect, test } from 'vitest'
import { longTest } from '../../sampled.js'
import { startService } from '../../given/harness.js'
import { scimGivenOf } from '../../given/scim-given.js'
import { asMembers, type Group, groupScene } from './group-given.js'

const service = await startService()
const client = await service.client()
const given = scimGivenOf(client)

const scene = (userCount?: number) => groupScene(service, given, userCount)

describe('a group', () => {
  test('is made with its members, and answered with its address and version', async () => {
    const { scim, users, directory } = await scene(2)

    const made = await scim('POST', '/Groups', {
      body: { displayName: 'Engineering', externalId: 'G-1', members: asMembers(users) },
    })

    const group = made.body as Group
    const location = `${directory.scim_base_url}/Groups/${group.id}`
    expect([made.status, made.headers.get('location'), made.headers.get('etag')]).toEqual([
      201,
      location,
      'W/"1"',
    ])
    expect(group).toEqual({
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
      id: group.id,
      externalId: 'G-1',
      displayName: 'Engineering',
      members: users.map((value) => ({
        value,
        $ref: `${directory.scim_base_url}/Users/${value}`,
        display: expect.stringMatching(/^person-.*@people\.example$/) as string,
        type: 'User',
      })),
      meta: {
        resourceType: 'Group',
        created: expect.stringMatching(/^\d{4}-.*Z$/) as string,
        lastModified: group.meta.created,
        location,
        version: 'W/"1"',
      },
    })
    expect((await scim('GET', `/Groups/${group.id}`)).body).toEqual(group)
  })

  test('keeps its id whatever the provider calls it', async () => {
    const { scim } = await scene()
    const made = await scim('POST', '/Groups', { body: { displayName: 'A', id: 'mine', externalId: 'mine' } })

    expect((made.body as Group).id).not.toBe('mine')
    expect((await scim('GET', '/Groups/mine')).status).toBe(404)
  })

  test('may have the name of another, and not its externalId', async () => {
    const { scim, groups } = await scene()
    await groups.make({ displayName: 'Sales', externalId: 'E-1' })
    const other = await groups.make({ displayName: 'Sales', externalId: 'E-2' })

    const again = await scim('POST', '/Groups', { body: { displayName: 'Sales', externalId: 'E-1' } })
    const moved = await groups.patch(other.id, { op: 'replace', path: 'externalId', value: 'E-1' })

    expect(again).toMatchObject({ status: 409, body: { status: '409', scimType: 'uniqueness' } })
    expect(moved).toMatchObject({ status: 409, body: { scimType: 'uniqueness' } })
    expect((await groups.read(other.id)).externalId).toBe('E-2')
  })

  test('is refused without a name, with a name of blanks and with one that no index holds', async () => {
    const { scim, groups } = await scene()
    const { id } = await groups.make()

    for (const displayName of [undefined, '', '   ', 'x'.repeat(1001)]) {
      const made = await scim('POST', '/Groups', { body: { displayName } })
      expect(made).toMatchObject({ status: 400, body: { scimType: 'invalidValue' } })
      const replaced = await groups.replace(id, { displayName })
      expect(replaced).toMatchObject({ status: 400, body: { scimType: 'invalidValue' } })
    }
    const long = await scim('POST', '/Groups', { body: { displayName: 'A', externalId: 'é'.repeat(501) } })
    expect(long).toMatchObject({ status: 400, body: { scimType: 'invalidValue' } })
    expect((await groups.list()).totalResults).toBe(1)
  })

  test('is gone when it is deleted, and its members are users as before', async () => {
    const { scim, groups, users, org_domain } = await scene(1)
    const [user = ''] = users
    const { id } = await groups.make({ externalId: 'E', members: asMembers(users) })

    expect((await scim('DELETE', `/Groups/${id}`)).status).toBe(204)

    expect((await scim('GET', `/Groups/${id}`)).status).toBe(404)
    expect((await scim('DELETE', `/Groups/${id}`)).status).toBe(404)
    expect(await client.users.get({ org_domain, user_id: user })).toMatchObject({ active: true, groups: [] })
    await groups.make({ externalId: 'E' })
  })

  test('of another directory is not found, and gets no members of it', async () => {
    const [mine, theirs] = [await scene(1), await scene(1)]
    const { id, displayName } = await theirs.groups.make({ members: asMembers(theirs.users) })

    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
      const body =
        method === 'PUT'
          ? { displayName: 'taken' }
          : { Operations: [{ op: 'replace', path: 'displayName', value: 'taken' }] }
      const answer = await mine.scim(
        method,
        `/Groups/${id}`,
        method === 'PUT' || method === 'PATCH' ? { body } : {},
      )
      expect([method, answer.status]).toEqual([method, 404])
    }
    expect((await mine.groups.list()).totalResults).toBe(0)
    const stolen = await mine.scim('POST', '/Groups', {
      body: { displayName: 'A', members: asMembers(theirs.users) },
    })
    expect(stolen).toMatchObject({ status: 400, body: { scimType: 'invalidValue' } })
    expect((await mine.groups.list()).totalResults).toBe(0)
    expect(await theirs.groups.read(id)).toMatchObject({ displayName, members: [{ value: theirs.users[0] }] })
  })
})

describe('members', () => {
  test('of PUT are all there are then', async () => {
    const { groups, users } = await scene(4)
    const { id, displayName } = await groups.make({ members: asMembers(users.slice(0, 3)) })

    const put = await groups.replace(id, { displayName, members: asMembers(users.slice(2)) })

    expect(put).toMatchObject({ status: 200, body: { members: asMembers(users.slice(2)) } })
    expect(await groups.memberIds(id)).toEqual(users.slice(2))
    await groups.replace(id, { displayName })
    expect(await groups.memberIds(id)).toEqual([])
  })

  test('are added and removed by PATCH, in the order of its operations', async () => {
    const { groups, users } = await scene(4)
    const [a = '', b = '', c = '', d = ''] = users
    const { id } = await groups.make({ members: asMembers([a, b]) })

    const patched = await groups.patch(
      id,
      { op: 'add', path: 'members', value: asMembers([c, d]) },
      { op: 'remove', path: `members[value eq "${a}"]` },
      { op: 'remove', path: `members[value eq "${d}"]` },
      { op: 'add', path: 'members', value: asMembers([d]) },
    )

    expect([patched.status, patched.body, patched.headers.get('etag')]).toEqual([204, undefined, 'W/"2"'])
    expect(await groups.memberIds(id)).toEqual([b, c, d])
    await groups.patch(id, { op: 'replace', path: 'members', value: asMembers([a]) })
    expect(await groups.memberIds(id)).toEqual([a])
    await groups.patch(id, { op: 'remove', path: 'members' })
    expect(await groups.memberIds(id)).toEqual([])
  })

  test('that are removed by value, as Entra ID sends it, leave the others', async () => {
    const { groups, users } = await scene(3)
    const [a = '', b = '', c = ''] = users
    const { id } = await groups.make({ members: asMembers(users) })

    await groups.patch(id, { op: 'Remove', path: 'members', value: [{ value: b }] })

    expect(await groups.memberIds(id)).toEqual([a, c])
  })

  test('are chosen by filters of any form', async () => {
    const { groups, users } = await scene(4)
    const [a = '', b = '', c = '', d = ''] = users
    const { id, members = [] } = await groups.make({ members: asMembers([a, b, c]) })
    const display = members.find(({ value }) => value === a)?.display ?? ''

    await groups.patch(id, { op: 'remove', path: `members[value eq "${b}" or value eq "${d}"]` })
    expect(await groups.memberIds(id)).toEqual([a, c])
    await groups.patch(
      id,
      { op: 'add', path: 'members', value: asMembers([d]) },
      { op: 'remove', path: `members[display eq "${display}"]` },
    )
    expect(await groups.memberIds(id)).toEqual([c, d])
    await groups.patch(id, { op: 'remove', path: `members[type eq "User" and not (value eq "${c}")]` })
    expect(await groups.memberIds(id)).toEqual([c])
  })

  longTest('of a large group are read once, however many filters choose them', async () => {
    const { groups, users } = await scene(5000)
    const { id } = await groups.make({ members: asMembers(users) })
    const filters = Array.from({ length: 100 }, (_, index) => `members[display eq "nobody ${index}"]`)

    const start = performance.now()
    const { status } = await groups.patch(id, ...filters.map((path) => ({ op: 'remove', path })))

    expect(status).toBe(204)
    expect(performance.now() - start).toBeLessThan(3000)
  })

  test('come once, however often they are named', async () => {
    const { groups, users } = await scene(1)
    const { id } = await groups.make({ members: asMembers([...users, ...users]) })

    const again = await groups.patch(id, { op: 'add', path: 'members', value: asMembers(users) })

    expect([again.status, again.headers.get('etag')]).toEqual([204, 'W/"1"'])
    expect(await groups.memberIds(id)).toEqual(users)
  })

  test('that are no users are refused, and with them the whole request', async () => {
    const { directory, groups, users } = await scene(1)
    const { id } = await groups.make()
    const strangers = [
      { value: 'not-an-id' },
      { value: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46' },
      { value: users[0], type: 'Group' },
      { $ref: `${directory.scim_base_url}/Users/${users[0]}` },
      { value: '' },
    ]

    for (const stranger of strangers) {
      const answer = await groups.patch(
        id,
        { op: 'replace', path: 'displayName', value: 'Renamed' },
        { op: 'add', path: 'members', value: [...asMembers(users), stranger] },
      )
      expect(answer).toMatchObject({ status: 400, body: { scimType: 'invalidValue' } })
    }
    expect(await groups.memberIds(id)).toEqual([])
    expect((await groups.read(id)).displayName).not.toBe('Renamed')
  })

  test('are users of the directory alone: 403 for others of the organization', async () => {
    const { scim, groups, users, org_domain } = await scene(1)
    const ordinary = await client.users.create({ org_domain, email: 'ordinary@people.example' })
    const { id } = await groups.make()

    const added = await groups.patch(id, {
      op: 'add',
      path: 'members',
      value: asMembers([...users, ordinary.id]),
    })
    const made = await scim('POST', '/Groups', {
      body: { displayName: 'A', members: asMembers([ordinary.id]) },
    })

    expect([added.status, made.status]).toEqual([403, 403])
    expect(await groups.memberIds(id)).toEqual([])
    expect((await groups.list()).totalResults).toBe(1)
  })

  test('cannot be changed into somebody else', async () => {
    const { groups, users } = await scene(2)
    const [a = '', b = ''] = users
    const { id } = await groups.make({ members: asMembers([a]) })

    const answer = await groups.patch(id, { op: 'replace', path: `members[value eq "${a}"].value`, value: b })

    expect(answer).toMatchObject({ status: 400, body: { scimType: 'mutability' } })
    expect(await groups.memberIds(id)).toEqual([a])
  })
})

describe('PATCH of a group', () => {
  test('renames it, with and without a path', async () => {
    const { groups, users } = await scene(1)
    const { id } = await groups.make({ externalId: 'E', members: asMembers(users) })

    await groups.patch(id, { op: 'replace', path: 'displayName', value: 'One' })
    expect(await groups.read(id)).toMatchObject({
      displayName: 'One',
      externalId: 'E',
      members: asMembers(users),
    })
    // The form that Okta sends.
    await groups.patch(id, { op: 'replace', value: { id, displayName: 'Two' } })
    expect(await groups.read(id)).toMatchObject({ displayName: 'Two', members: asMembers(users) })
    await groups.patch(id, { op: 'remove', path: 'externalId' })
    expect(await groups.read(id)).not.toHaveProperty('externalId')
  })

  test('answers the attributes that are asked for', async () => {
    const { scim, groups, users } = await scene(1)
    const { id } = await groups.make({ members: asMembers(users) })

    const { status, body } = await scim('PATCH', `/Groups/${id}?attributes=displayName`, {
      body: { Operations: [{ op: 'replace', path: 'displayName', value: 'Named' }] },
    })

    expect([status, body]).toEqual([
      200,
      { schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'], id, displayName: 'Named' },
    ])
  })
})

describe('versions', () => {
  test('decide: of ten writers who name one version one writes', async () => {
    const { groups } = await scene()
    const { id } = await groups.make()

    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, number) =>
        groups.replace(id, { displayName: `Writer ${number}` }, { 'if-match': 'W/"1"' }),
      ),
    )

    const statuses = answers.map(({ status }) => status).toSorted()
    expect(statuses).toEqual([200, ...Array.from({ length: 9 }, () => 412)])
    const winner = answers.find(({ status }) => status === 200)?.body as Group
    expect(await groups.read(id)).toEqual(winner)
    expect(winner.meta.version).toBe('W/"2"')
  })

  test('that are stale write and delete nothing', async () => {
    const { scim, groups } = await scene()
    const { id } = await groups.make()
    await groups.patch(id, { op: 'replace', path: 'displayName', value: 'New' })
    const headers = { 'if-match': 'W/"1"' }
    const body = { Operations: [{ op: 'replace', path: 'displayName', value: 'Newer' }] }

    expect((await scim('PATCH', `/Groups/${id}`, { body, headers })).status).toBe(412)
    expect((await scim('DELETE', `/Groups/${id}`, { headers })).status).toBe(412)

    expect((await groups.read(id)).displayName).toBe('New')
    expect((await scim('DELETE', `/Groups/${id}`, { headers: { 'if-match': 'W/"2"' } })).status).toBe(204)
  })

  test('that are known answer 304 without a body', async () => {
    const { scim, groups } = await scene()
    const { id } = await groups.make()

    const known = await scim('GET', `/Groups/${id}`, { headers: { 'if-none-match': 'W/"1"' } })
    const unknown = await scim('GET', `/Groups/${id}`, { headers: { 'if-none-match': 'W/"2"' } })

    expect([known.status, known.body, unknown.status]).toEqual([304, undefined, 200])
  })
})

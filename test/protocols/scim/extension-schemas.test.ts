import { describe, expect, test } from 'vitest'
import { startService } from '../../given/harness.js'
import { coreUser, enterpriseUser, replacing, scimUsersGivenOf, userBody } from './user-given.js'

const service = await startService()
const client = await service.client()
const given = scimUsersGivenOf(client)

const awesome = 'urn:ietf:params:scim:schemas:extension:awesome:2.0:User'
const extension_schemas = [
  {
    id: awesome,
    attributes: [
      { name: 'badge', type: 'string' as const },
      { name: 'level', type: 'integer' as const },
      { name: 'share', type: 'decimal' as const },
      { name: 'remote', type: 'boolean' as const },
      { name: 'since', type: 'dateTime' as const },
      { name: 'skills', type: 'string' as const, multiValued: true },
      { name: 'lucky', type: 'integer' as const, multiValued: true },
    ],
  },
]
const values = {
  badge: 'B-7',
  level: 7,
  share: 0.25,
  remote: true,
  since: '2024-02-29T08:00:00Z',
  skills: ['algebra', 'looms'],
  lucky: [7, 13],
}

function extensionIn(body: unknown, id = awesome): unknown {
  return typeof body === 'object' && body !== null ? Reflect.get(body, id) : undefined
}

function patching(...Operations: object[]) {
  return { ...replacing('', ''), Operations }
}

/** The ids in the answer of a list, in its order. */
function idsIn(body: unknown): string[] {
  const listed: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'Resources') : []
  return Array.isArray(listed) ? listed.map(({ id }: { id: string }) => id) : []
}

async function quirksOf(org_domain: string) {
  const { data } = await client.directorySync.listRequests({ org_domain })
  return data[0]?.quirks
}

describe('a schema that a directory declares', () => {
  test('is published, and its values are kept, answered, in the record and in the log', async () => {
    const { scim, org_domain, directory } = await given.directory({ extension_schemas })
    expect(directory.extension_schemas[0]?.attributes[0]).toEqual({
      name: 'badge',
      type: 'string',
      multiValued: false,
    })
    const schema = await scim('GET', `/Schemas/${awesome}`)
    expect(schema.body).toMatchObject({ id: awesome, name: 'User' })
    expect((await scim('GET', '/ResourceTypes/User')).body).toMatchObject({
      schemaExtensions: [
        { schema: enterpriseUser, required: false },
        { schema: awesome, required: false },
      ],
    })
    const user = await given.user(scim, { [awesome]: values })
    expect(extensionIn(user)).toEqual(values)
    const read = await scim('GET', `/Users/${user.id}`)
    expect(extensionIn(read.body)).toEqual(values)
    const record = await client.users.get({
      org_domain,
      user_id: user.id,
      preload_associations: ['directory_attributes'],
    })
    expect('deleted' in record ? undefined : record.directory_attributes?.custom).toEqual({
      [awesome]: values,
    })
    const { data } = await client.directorySync.listRequests({ org_domain })
    expect(data.find(({ method }) => method === 'POST')).toMatchObject({
      quirks: [],
      request: expect.stringContaining('"badge":"B-7"') as string,
    })
  })

  test('is patched, filtered, sorted and projected as the others', async () => {
    const { scim } = await given.directory({ extension_schemas })
    const { id } = await given.user(scim, { [awesome]: values })
    const low = await given.user(scim, { [awesome]: { level: 20 } })
    const Operations = [
      { op: 'replace', path: `${awesome}:level`, value: 8 },
      { op: 'add', path: `${awesome}:skills`, value: ['poetry'] },
      { op: 'remove', path: `${awesome}:lucky[value eq 13]` },
      { op: 'remove', path: `${awesome}:badge` },
      { op: 'replace', value: { [`${awesome}:remote`]: 'False' } },
    ]
    const patched = await scim('PATCH', `/Users/${id}`, { body: patching(...Operations) })
    const { badge: _, ...others } = values
    expect(extensionIn(patched.body)).toEqual({
      ...others,
      ...{ level: 8, remote: false, skills: ['algebra', 'looms', 'poetry'], lucky: [7] },
    })
    const found = async (filter: string) => {
      const { body } = await scim('GET', `/Users?filter=${encodeURIComponent(filter)}`)
      return idsIn(body)
    }
    for (const filter of [
      `${awesome}:level eq 8`,
      `${awesome}:level lt 9.5`,
      `${awesome}:skills eq "poetry"`,
      `${awesome}:skills[value sw "poe"]`,
      `${awesome}:lucky eq 7`,
      `${awesome}:since gt "2023-01-01T00:00:00Z"`,
      `${awesome}:share pr`,
      `${awesome}:remote eq false and ${awesome}:level lt 20`,
    ])
      expect([filter, await found(filter)]).toEqual([filter, [id]])
    expect(await found(`${awesome}:level ge 8`)).toEqual([id, low.id])
    const { body: sorted } = await scim('GET', `/Users?sortBy=${awesome}:level&sortOrder=descending`)
    expect(idsIn(sorted)).toEqual([low.id, id])
    const { body: projected } = await scim('GET', `/Users/${id}?attributes=${awesome}:level`)
    expect(extensionIn(projected)).toEqual({ level: 8 })
  })

  test.each([
    ['a word as an integer', 'level', 'seven'],
    ['a fraction as an integer', 'level', 1.5],
    ['an integer that JSON cannot hold', 'level', 2 ** 53],
    ['a word as a decimal', 'share', 'x'],
    ['a word as a boolean', 'remote', 'perhaps'],
    ['a word as a time', 'since', 'yesterday'],
    ['a text of more than 4,096 bytes', 'badge', 'b'.repeat(4097)],
    ['more than 100 values', 'skills', Array.from({ length: 101 }, () => 'x')],
    ['a list with a word among integers', 'lucky', [7, 'x']],
  ])('400: refuses %s', async (_, name, value) => {
    const { scim } = await given.directory({ extension_schemas })
    const body = { ...userBody(), [awesome]: { [name]: value } }
    expect(await scim('POST', '/Users', { body })).toMatchObject({
      status: 400,
      body: { scimType: 'invalidValue' },
    })
  })

  test('takes a number as text, and tells of it; what is declared nowhere is ignored as before', async () => {
    const { scim, org_domain } = await given.directory({ extension_schemas })
    const user = await given.user(scim, {
      [awesome]: { level: '7', shoe: 42 },
      'urn:example:other:User': { badge: 'x' },
    })
    expect(extensionIn(user)).toEqual({ level: 7 })
    expect((await quirksOf(org_domain))?.toSorted()).toEqual(['text_as_number', 'unknown_attribute'])
  })

  test('hides its values when it is taken away, and has them again with it', async () => {
    const { scim, org_domain } = await given.directory({ extension_schemas })
    const { id } = await given.user(scim, { [awesome]: values })
    await client.directorySync.update({ org_domain, extension_schemas: [] })
    const hidden = await scim('GET', `/Users/${id}`)
    expect(extensionIn(hidden.body)).toBeUndefined()
    expect((await scim('GET', `/Schemas/${awesome}`)).status).toBe(404)
    await scim('PATCH', `/Users/${id}`, { body: replacing('title', 'Countess') })
    await scim('PUT', `/Users/${id}`, { body: { ...userBody(), title: 'Author' } })
    await client.directorySync.update({ org_domain, extension_schemas })
    const shown = await scim('GET', `/Users/${id}`)
    expect(extensionIn(shown.body)).toEqual(values)
    const other = [
      { id: awesome, attributes: [{ name: 'badge', type: 'integer' as const, multiValued: true }] },
    ]
    await client.directorySync.update({ org_domain, extension_schemas: other })
    const retyped = await scim('GET', `/Users/${id}`)
    expect([retyped.status, extensionIn(retyped.body)]).toEqual([200, undefined])
    expect((await scim('GET', `/Users?filter=${awesome}:badge%20eq%207`)).status).toBe(200)
  })

  test('does not reach what it is called like: the user, their address, their state and their id', async () => {
    const names = ['active', 'userName', 'emails', 'id', 'groups', 'meta', 'externalId', 'password']
    const multiValued = (name: string) => name === 'emails' || name === 'groups'
    const attributes = names.map((name) => ({
      name,
      type: 'string' as const,
      multiValued: multiValued(name),
    }))
    const { scim, org_domain } = await given.directory({ extension_schemas: [{ id: awesome, attributes }] })
    const own = Object.fromEntries(names.map((name) => [name, multiValued(name) ? ['mine'] : 'mine']))
    const user = await given.user(scim, { [awesome]: own })
    expect(extensionIn(user)).toEqual(own)
    expect(user).toMatchObject({ active: true })
    const record = await client.users.get({ org_domain, user_id: user.id })
    expect(record).toMatchObject({ email: user.userName, active: true })
    for (const name of names) {
      const filter = encodeURIComponent(`${awesome}:${name} eq "mine"`)
      const { status, body } = await scim('GET', `/Users?filter=${filter}`)
      expect([name, status, idsIn(body)]).toEqual([name, 200, [user.id]])
    }
    const elements = encodeURIComponent(`${awesome}:emails[value eq "mine"]`)
    expect(idsIn((await scim('GET', `/Users?filter=${elements}`)).body)).toEqual([user.id])
  })
})

test('the requests of Entra and of Okta with attributes of their own are kept', async () => {
  const tag = 'urn:ietf:params:scim:schemas:extension:CustomExtensionName:2.0:User'
  const { scim } = await given.directory({
    provider_type: 'entra_id',
    extension_schemas: [{ id: tag, attributes: [{ name: 'tag', type: 'string' }] }, ...extension_schemas],
  })
  const user = await given.user(scim, { schemas: [coreUser, tag], [tag]: { tag: 'first' } })
  const entra = patching({ op: 'Replace', path: `${tag}:tag`, value: 'second' })
  const patched = await scim('PATCH', `/Users/${user.id}`, { body: entra })
  expect(extensionIn(patched.body, tag)).toEqual({ tag: 'second' })
  const okta = { ...userBody(), userName: user.userName, [awesome]: { badge: 'B-8' } }
  const put = await scim('PUT', `/Users/${user.id}`, { body: okta })
  expect(extensionIn(put.body)).toEqual({ badge: 'B-8' })
  expect(extensionIn(put.body, tag)).toBeUndefined()
})

describe('422: a directory refuses', () => {
  const one = { name: 'badge', type: 'string' as const }
  const core = 'urn:ietf:params:scim:schemas:core:2.0:User'
  test.each([
    ['the core schema', [{ id: core, attributes: [one] }], 'extension_schemas.0.id', 'reserved'],
    ['in any case', [{ id: core.toUpperCase(), attributes: [one] }], 'extension_schemas.0.id', 'reserved'],
    ['that of Enterprise', [{ id: enterpriseUser, attributes: [one] }], 'extension_schemas.0.id', 'reserved'],
    [
      'one schema twice',
      [
        { id: 'urn:a:b', attributes: [one] },
        { id: 'URN:A:B', attributes: [one] },
      ],
      'extension_schemas.0.id',
      'repeated',
    ],
    [
      'a schema that begins as another one',
      [
        { id: 'urn:a', attributes: [one] },
        { id: 'urn:a:b', attributes: [one] },
      ],
      'extension_schemas.0.id',
      'ambiguous',
    ],
    [
      'an attribute twice',
      [{ id: 'urn:a:b', attributes: [one, { ...one, name: 'Badge' }] }],
      'extension_schemas.0.attributes.1.name',
      'repeated',
    ],
    [
      'names of JavaScript',
      [{ id: 'urn:a:b', attributes: [{ ...one, name: '__proto__' }] }],
      'extension_schemas.0.attributes.0.name',
      'invalid_format',
    ],
    [
      'a constructor',
      [{ id: 'urn:a:b', attributes: [{ ...one, name: 'constructor' }] }],
      'extension_schemas.0.attributes.0.name',
      'custom',
    ],
    ['what is no URN', [{ id: 'awesome', attributes: [one] }], 'extension_schemas.0.id', 'invalid_format'],
    [
      'four schemas',
      ['a', 'b', 'c', 'd'].map((id) => ({ id: `urn:x:${id}`, attributes: [one] })),
      'extension_schemas',
      'too_big',
    ],
  ])('%s', async (_, schemas, path, code) => {
    const { org_domain } = await given.directory()
    const refused = client.directorySync.update({ org_domain, extension_schemas: schemas })
    const fields = [expect.objectContaining({ path, code }) as unknown]
    await expect(refused).rejects.toMatchObject({
      status: 422,
      fields: expect.arrayContaining(fields) as unknown,
    })
    expect((await client.directorySync.get({ org_domain })).extension_schemas).toEqual([])
  })
})

import type { Client } from '@portico/sdk'
import { describe, expect, test } from 'vitest'
import { longTest } from '../../sampled.js'
import { startService } from '../../given/harness.js'
import { claimsOf } from '../../given/claims.js'
import { coreUser, enterpriseUser, replacing, scimUsersGivenOf } from './user-given.js'

const service = await startService()
const client = await service.client()
const given = scimUsersGivenOf(client)

type MetaType = Parameters<Client['tokenCustomization']['createMetaKey']>[0]['type']
type Rules = NonNullable<Parameters<Client['directorySync']['update']>[0]['attribute_mapping']>

/** A directory with rules for keys of some types, each read from the path beside it. */
async function mapped(
  keys: Readonly<Record<string, readonly [type: MetaType, from: string]>>,
  more: Rules = [],
) {
  const { domain: org_domain } = await service.given.organization()
  for (const [name, [type]] of Object.entries(keys)) await service.given.metaKey({ org_domain, name, type })
  const rules = Object.entries(keys).map(([name, [, from]]) => ({ from, to: `metadata.${name}` }))
  const of = await given.directory({ org_domain, attribute_mapping: [...rules, ...more] })
  const metadata = async (user_id: string) => {
    const user = await client.users.get({ org_domain, user_id })
    const values = 'deleted' in user ? [] : user.metadata
    return Object.fromEntries(values.map(({ key, value }) => [key.name, value]))
  }
  const lastRequest = async () => (await client.directorySync.listRequests({ org_domain })).data[0]
  return { ...of, rules, metadata, lastRequest }
}

/** Lets the job begin, and end. */
async function remapped(): Promise<void> {
  await service.clock.advance(60)
  await service.runJobs()
}

function patching(...Operations: object[]) {
  return { ...replacing('', ''), Operations }
}

const jobKeys = {
  title: ['string', 'title'],
  department: ['string', `${enterpriseUser}:department`],
  roles: ['json', 'roles'],
} as const

describe('what a directory says', () => {
  test('is in metadata, the profile, the event and a token, from the first request on, and changes with it', async () => {
    const of = await mapped(jobKeys, [{ from: 'userType', to: 'profile.preferred_username' }])
    const { org_domain, scim } = of
    const user = await given.user(scim, {
      title: 'Countess',
      userType: 'ada',
      [enterpriseUser]: { department: 'Engines' },
      roles: [{ value: 'lead', primary: true }],
    })
    const created = {
      title: 'Countess',
      department: 'Engines',
      roles: '[{"primary":true,"value":"lead"}]',
    }
    expect(await of.metadata(user.id)).toEqual(created)
    const events = await given.events(org_domain)
    const valuesIn = (data: unknown) => JSON.parse(JSON.stringify(data)) as { metadata?: { value: string }[] }
    const first = events.find(({ code }) => code === 'user.user.create.success')
    expect(valuesIn(first?.data).metadata?.map(({ value }) => value)).toEqual([
      'Engines',
      '[{"primary":true,"value":"lead"}]',
      'Countess',
    ])

    await scim('PATCH', `/Users/${user.id}`, {
      body: patching(
        { op: 'replace', path: 'title', value: 'Author' },
        { op: 'remove', path: `${enterpriseUser}:department` },
        { op: 'replace', path: 'roles', value: [{ value: 'writer' }] },
        { op: 'replace', path: 'userType', value: 'lovelace' },
      ),
    })
    expect(await of.metadata(user.id)).toEqual({ title: 'Author', roles: '[{"value":"writer"}]' })
    const record = await client.users.get({ org_domain, user_id: user.id })
    expect('deleted' in record ? undefined : record.profile.preferred_username).toBe('lovelace')
    const changed = (await given.events(org_domain)).findLast(
      ({ code }) => code === 'dir_sync.user.update.success',
    )
    expect(JSON.stringify(changed?.data)).toContain('"value":"Author"')
    const sample = await client.tokenCustomization.sample({ org_domain, user_id: user.id })
    expect(claimsOf(sample.access_token_jwt)).toMatchObject({
      meta_data: { title: 'Author', roles: [{ value: 'writer' }] },
    })
    expect((await of.lastRequest())?.changes[0]?.members).toEqual(
      expect.arrayContaining(['metadata', 'profile', 'directory_attributes.title']),
    )
  })

  test('that does not fit is left out, and told of, and refuses no request', async () => {
    const of = await mapped({
      level: ['integer', 'title'],
      since: ['date', 'nickName'],
      long: ['string', 'displayName'],
    })
    const { org_domain, scim } = of
    const { id } = await given.user(scim, { title: '7', nickName: '1815-12-10', displayName: 'x' })
    expect(await of.metadata(id)).toEqual({ level: '7', since: '1815-12-10', long: 'x' })
    const answer = await scim('PATCH', `/Users/${id}`, {
      body: patching(
        { op: 'replace', path: 'title', value: 'seven' },
        { op: 'replace', path: 'displayName', value: 'x'.repeat(2001) },
      ),
    })
    expect(answer.status).toBe(200)
    expect(await of.metadata(id)).toEqual({ since: '1815-12-10' })
    expect((await of.lastRequest())?.quirks).toEqual(['value_not_mapped'])
    const { data } = await client.logEvents.list({ org_domain, code: 'ATTRIBUTE_NOT_MAPPED' })
    expect(data.map(({ reason }) => reason)).toEqual(['metadata.level metadata.long'])
  })

  test('of a required key stays when it is said no more, and is told of', async () => {
    const { domain: org_domain } = await service.given.organization()
    await service.given.metaKey({ org_domain, name: 'title', required: true })
    const { scim } = await given.directory({
      org_domain,
      attribute_mapping: [{ from: 'title', to: 'metadata.title' }],
    })
    const { id } = await given.user(scim, { title: 'Countess' })
    await scim('PATCH', `/Users/${id}`, { body: patching({ op: 'remove', path: 'title' }) })
    const user = await client.users.get({ org_domain, user_id: id })
    expect('deleted' in user ? [] : user.metadata.map(({ value }) => value)).toEqual(['Countess'])
    const { data } = await client.directorySync.listRequests({ org_domain })
    expect(data[0]?.quirks).toEqual(['value_not_mapped'])
  })

  test('is kept of the primary element of a list, and of values of its own schemas', async () => {
    const badge = 'urn:ietf:params:scim:schemas:extension:awesome:2.0:User'
    const { domain: org_domain } = await service.given.organization()
    for (const [name, type] of [
      ['mail', 'email'],
      ['badges', 'json'],
      ['level', 'integer'],
      ['boss', 'string'],
    ] as const)
      await service.given.metaKey({ org_domain, name, type })
    const { scim } = await given.directory({
      org_domain,
      extension_schemas: [
        {
          id: badge,
          attributes: [
            { name: 'badges', type: 'string', multiValued: true },
            { name: 'level', type: 'integer' },
          ],
        },
      ],
      attribute_mapping: [
        { from: 'EMAILS.value', to: 'metadata.mail' },
        { from: `${badge}:badges`, to: 'metadata.badges' },
        { from: `${badge}:level`, to: 'metadata.level' },
        { from: `${enterpriseUser}:manager.displayName`, to: 'metadata.boss' },
      ],
    })
    const { id } = await given.user(scim, {
      emails: [{ value: 'second@corp.example' }, { value: 'first@corp.example', primary: true }],
      [badge]: { badges: ['a', 'b'], level: 7 },
      [enterpriseUser]: { manager: { value: 'x', displayName: 'Charles' } },
    })
    const user = await client.users.get({ org_domain, user_id: id })
    const values = 'deleted' in user ? [] : user.metadata
    expect(Object.fromEntries(values.map(({ key, value }) => [key.name, value]))).toEqual({
      mail: 'first@corp.example',
      badges: '["a","b"]',
      level: '7',
      boss: 'Charles',
    })
  })

  longTest('grants nothing, and gets no room in a token that it does not have', async () => {
    const names = Array.from({ length: 30 }, (_, index) => `key_${index}`)
    const schema = 'urn:example:large:User'
    const { domain: org_domain } = await service.given.organization()
    for (const name of names) await service.given.metaKey({ org_domain, name })
    const { scim } = await given.directory({
      org_domain,
      extension_schemas: [{ id: schema, attributes: names.map((name) => ({ name, type: 'string' })) }],
      attribute_mapping: names.map((name) => ({ from: `${schema}:${name}`, to: `metadata.${name}` })),
    })
    const large = Object.fromEntries(names.map((name) => [name, 'v'.repeat(1999)]))
    const { id } = await given.user(scim, { [schema]: large, roles: [{ value: 'owner', primary: true }] })
    const { access_token_jwt } = await client.tokenCustomization.sample({ org_domain, user_id: id })
    expect(access_token_jwt.length).toBeLessThan(9000)
    const claims = claimsOf(access_token_jwt)
    expect(claims).toMatchObject({ meta_data_truncated: true })
    expect(JSON.stringify(claims)).not.toContain('owner')
  })
})

describe('409: metadata that a directory writes', () => {
  test('are changed by no route, and by none when they stay as they are', async () => {
    const { org_domain, scim, metadata } = await mapped({ title: ['string', 'title'] })
    await service.given.metaKey({ org_domain, name: 'own' })
    const { id: user_id } = await given.user(scim, { title: 'Countess' })
    const of = { org_domain, user_id }
    const managed = { status: 409, code: 'metadata_managed' }
    await expect(client.users.addMetadata({ ...of, key: 'title', value: 'x' })).rejects.toMatchObject(managed)
    await expect(client.users.removeMetadata({ ...of, key: 'title' })).rejects.toMatchObject(managed)
    await expect(
      client.tokenCustomization.setUserMetadata({ org_domain, user_id, key_name: 'title', key_value: 'x' }),
    ).rejects.toMatchObject(managed)
    await expect(client.users.update({ ...of, metadata: [] })).rejects.toMatchObject(managed)
    const other = [{ key: 'title', value: 'x' }]
    await expect(client.users.update({ ...of, metadata: other })).rejects.toMatchObject(managed)
    expect(await metadata(user_id)).toEqual({ title: 'Countess' })

    await client.users.addMetadata({ ...of, key: 'own', value: 'mine' })
    const same = [
      { key: 'title', value: 'Countess' },
      { key: 'own', value: 'ours' },
    ]
    await client.users.update({ ...of, metadata: same })
    expect(await metadata(user_id)).toEqual({ title: 'Countess', own: 'ours' })
  })

  test('are anybody’s of a user whom it does not keep, and when the rule or the directory is gone', async () => {
    const { org_domain, scim, metadata } = await mapped({ title: ['string', 'title'] })
    const outside = await service.given.user({ org_domain })
    await client.users.addMetadata({ org_domain, user_id: outside.id, key: 'title', value: 'own' })
    const { id: user_id } = await given.user(scim, { title: 'Countess' })
    await client.directorySync.update({ org_domain, attribute_mapping: [] })
    expect(await metadata(user_id)).toEqual({ title: 'Countess' })
    await client.users.addMetadata({ org_domain, user_id, key: 'title', value: 'x' })
    const attribute_mapping = [{ from: 'title', to: 'metadata.title' }]
    await client.directorySync.update({ org_domain, attribute_mapping })
    await client.directorySync.delete({ org_domain })
    await client.users.addMetadata({ org_domain, user_id, key: 'title', value: 'y' })
    expect(await metadata(user_id)).toEqual({ title: 'y' })
  })
})

test('409: a key that a mapping names is not deleted, and the answer names the mapping', async () => {
  const { org_domain } = await mapped({ title: ['string', 'title'] })
  const { id: organization_id } = await client.organizations.get({ org_domain })
  await service.given.metaKey({ org_domain, name: 'level' })
  const { idp_id } = await client.ssoConnections.create({
    organization_id,
    attribute_mapping: [{ from: 'level', to: 'metadata.level' }],
  })
  const remove = (key_name: string) => client.tokenCustomization.deleteMetaKey({ org_domain, key_name })
  const inUse = (mapping: string) => ({
    status: 409,
    code: 'meta_key_in_use',
    message: expect.stringContaining(mapping) as string,
  })
  await expect(remove('title')).rejects.toMatchObject(inUse('the directory of sandbox'))
  await expect(remove('level')).rejects.toMatchObject(inUse(idp_id))
  await client.directorySync.update({ org_domain, attribute_mapping: [] })
  await client.ssoConnections.update({ idp_id, attribute_mapping: [] })
  await remove('title')
  await remove('level')
})

describe('422: a directory refuses the rule', () => {
  test.each([
    ['of an unknown path', { from: 'titel', to: 'metadata.known' }, 'from', 'unknown_path', 'such as title'],
    ['of an unknown schema', { from: 'urn:x:y:badge', to: 'metadata.known' }, 'from', 'unknown_path', ''],
    ['of a password', { from: 'password', to: 'metadata.known' }, 'from', 'not_mappable', ''],
    ['of the id', { from: 'id', to: 'metadata.known' }, 'from', 'not_mappable', ''],
    ['of groups', { from: 'groups.display', to: 'metadata.known' }, 'from', 'not_mappable', ''],
    ['of a prototype', { from: '__proto__', to: 'metadata.known' }, 'from', 'unknown_path', ''],
    ['to a key that is not declared', { from: 'title', to: 'metadata.other' }, 'to', 'unknown_meta_key', ''],
    ['to a prototype', { from: 'title', to: 'profile.__proto__' }, 'to', 'unknown_claim', ''],
    ['to the address', { from: 'title', to: 'profile.email' }, 'to', 'unknown_claim', ''],
    ['to a name that SCIM has', { from: 'title', to: 'profile.given_name' }, 'to', 'not_mappable', ''],
    ['to a member of the user', { from: 'title', to: 'email' }, 'to', 'invalid_format', ''],
  ] as const)('%s', async (_, rule, member, code, told) => {
    const { org_domain } = await given.directory()
    await service.given.metaKey({ org_domain, name: 'known' })
    const field = {
      path: `attribute_mapping.0.${member}`,
      code,
      message: expect.stringContaining(told) as string,
    }
    await expect(
      client.directorySync.update({ org_domain, attribute_mapping: [rule] }),
    ).rejects.toMatchObject({ status: 422, fields: [field] })
    expect(await client.directorySync.get({ org_domain })).toMatchObject({
      attribute_mapping: [],
      mapping_progress: null,
    })
  })

  test('with a target that another one has, also at creation, and one of a schema that is taken away', async () => {
    const { domain: org_domain } = await service.given.organization()
    await service.given.metaKey({ org_domain, name: 'known' })
    const twice = [
      { from: 'title', to: 'metadata.known' },
      { from: 'nickName', to: 'metadata.known' },
    ]
    const repeated = [{ path: 'attribute_mapping.1.to', code: 'repeated' }]
    await expect(given.directory({ org_domain, attribute_mapping: twice })).rejects.toMatchObject({
      status: 422,
      fields: repeated,
    })
    await expect(client.directorySync.get({ org_domain })).rejects.toMatchObject({ status: 404 })
    const extension_schemas = [{ id: 'urn:x:y', attributes: [{ name: 'badge', type: 'string' as const }] }]
    const attribute_mapping = [{ from: 'urn:x:y:badge', to: 'metadata.known' }]
    await given.directory({ org_domain, extension_schemas, attribute_mapping })
    const unknown = [{ path: 'attribute_mapping.0.from', code: 'unknown_path' }]
    await expect(client.directorySync.update({ org_domain, extension_schemas: [] })).rejects.toMatchObject({
      status: 422,
      fields: unknown,
    })
  })
})

describe('a change of the rules', () => {
  test('is applied to the users who are there, a minute later, and says how far it is', async () => {
    const { org_domain, scim, metadata } = await mapped({ title: ['string', 'title'] }, [])
    const ada = await given.user(scim, { title: 'Countess', nickName: 'Ada' })
    const grace = await given.user(scim, { title: 'Admiral' })
    const attribute_mapping = [{ from: 'nickName', to: 'metadata.title' }]
    const { mapping_progress } = await client.directorySync.update({ org_domain, attribute_mapping })
    expect(mapping_progress).toEqual({ done: 0, total: 2 })
    await service.runJobs()
    expect(await metadata(ada.id)).toEqual({ title: 'Countess' })
    await remapped()
    expect([await metadata(ada.id), await metadata(grace.id)]).toEqual([{ title: 'Ada' }, {}])
    expect((await client.directorySync.get({ org_domain })).mapping_progress).toEqual({ done: 2, total: 2 })
    const updates = (await given.events(org_domain)).filter(({ code }) => code === 'user.user.update.success')
    expect(updates.map(({ actor }) => actor)).toEqual(
      [ada, grace].map(() => ({ type: 'system', id: 'attribute_mapping' })),
    )
    await client.directorySync.update({ org_domain, attribute_mapping })
    expect((await client.directorySync.get({ org_domain })).mapping_progress).toEqual({ done: 2, total: 2 })
  })

  longTest(
    'reaches every user, also where there are more than one run reads, and counts each once',
    async () => {
      const { org_domain, scim, metadata } = await mapped({ title: ['string', 'title'] })
      const { id } = await given.user(scim)
      await service.query(
        `with cloned as (
         insert into users select (jsonb_populate_record(one, jsonb_build_object(
           'id', gen_random_uuid(), 'email', n || '@clone.example', 'email_normalized', n || '@clone.example'
         ))).* from users as one, generate_series(1, 600) as n where one.id = $1
         returning id, email
       )
       insert into directory_users select (jsonb_populate_record(kept, jsonb_build_object(
         'user_id', cloned.id, 'user_name', cloned.email, 'user_name_normalized', cloned.email
       ))).* from directory_users as kept, cloned where kept.user_id = $1`,
        [id],
      )
      const [last] = await service.query<{ user_id: string }>(
        `update directory_users set attributes = jsonb_set(attributes, array[$1, 'userType'], '"Last"')
       where user_id = (
         select user_id from directory_users
         where directory_id = (select directory_id from directory_users where user_id = $2)
         order by user_id desc limit 1
       )
       returning user_id`,
        [coreUser, id],
      )
      const attribute_mapping = [{ from: 'userType', to: 'metadata.title' }]
      await client.directorySync.update({ org_domain, attribute_mapping })
      await remapped()
      const { mapping_progress } = await client.directorySync.get({ org_domain })
      expect(mapping_progress).toEqual({ done: 601, total: 601 })
      expect([await metadata(last?.user_id ?? ''), await metadata(id)]).toEqual([{ title: 'Last' }, {}])
    },
  )

  test('that follows another one takes its place, and a run that is repeated counts once', async () => {
    const { org_domain, scim, metadata } = await mapped({ title: ['string', 'title'] })
    const { id } = await given.user(scim, { title: 'Countess', nickName: 'Ada', displayName: 'Lady Ada' })
    const rule = (from: string) => [{ from, to: 'metadata.title' }]
    await client.directorySync.update({ org_domain, attribute_mapping: rule('nickName') })
    await client.directorySync.update({ org_domain, attribute_mapping: rule('displayName') })
    const [job] = await service.query<{ payload: object }>(
      `select payload from jobs where name = 'remap_directory' and payload ->> 'organizationId' is not null
       order by run_at desc, payload ->> 'revision' desc limit 1`,
    )
    await remapped()
    expect(await metadata(id)).toEqual({ title: 'Lady Ada' })
    await service.query(
      `insert into jobs (name, payload, run_at, inserted_at) values ('remap_directory', $1::jsonb, $2, $2)`,
      [JSON.stringify(job?.payload), service.clock.now()],
    )
    await service.runJobs()
    expect((await client.directorySync.get({ org_domain })).mapping_progress).toEqual({ done: 1, total: 1 })
  })
})

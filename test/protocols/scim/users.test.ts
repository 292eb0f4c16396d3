import { randomBytes } from 'node:crypto'
import { openMagicLink } from '@portico/sdk'
import { describe, expect, test } from 'vitest'
import { anyEmail } from '../../given/given.js'
import { startService } from '../../given/harness.js'
import { exchange } from '../code-given.js'
import { signIn } from '../../given/world.js'
import { groupsOf } from './group-given.js'
import { coreUser, enterpriseUser, replacing, scimUsersGivenOf, userBody, userIn } from './user-given.js'

const service = await startService()
const client = await service.client()
const given = scimUsersGivenOf(client)

describe('a user of a directory', () => {
  test('is made with what the provider says, and is a user of the organization', async () => {
    const { scim, org_domain, directory } = await given.directory()
    const body = userBody({
      externalId: '00ujl29u0le5T6Aj10h7',
      displayName: 'Countess of Lovelace',
      nickName: 'Ada',
      timezone: 'Europe/London',
      locale: 'en_GB',
      phoneNumbers: [
        { value: '+33612345678', type: 'mobile', primary: true },
        { value: '55555555555', type: 'work' },
      ],
      addresses: [
        { type: 'work', streetAddress: '12 rue de la République', locality: 'Lyon', country: 'FR' },
      ],
      [enterpriseUser]: { department: 'Engines', manager: { value: '7' } },
    })

    const made = await scim('POST', '/Users', { body })

    expect(made).toMatchObject({ status: 201, body: { ...body, schemas: [coreUser, enterpriseUser] } })
    const { id } = userIn(made)
    expect(made.headers.get('location')).toBe(`${directory.scim_base_url}/Users/${id}`)
    expect(made.headers.get('etag')).toBe('W/"1"')
    expect(await client.users.get({ org_domain, user_id: id })).toMatchObject({
      email: body.userName,
      active: true,
      profile: {
        given_name: 'Ada',
        family_name: 'Lovelace',
        nickname: 'Ada',
        locale: 'en-GB',
        zoneinfo: 'Europe/London',
      },
      phone_numbers: [{ value: '+33612345678', type: 'mobile', primary: true }],
      address: { street_address: '12 rue de la République', locality: 'Lyon', country: 'FR' },
    })
    expect((await scim('GET', `/Users/${id}`)).body).toEqual(made.body)
  })

  test('has no id of the provider', async () => {
    const { scim } = await given.directory()
    const externalId = '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46'
    const { id } = await given.user(scim, { externalId })

    expect(id).not.toBe(externalId)
    expect((await scim('GET', `/Users/${externalId}`)).status).toBe(404)
    const another = await given.user(scim, { id: externalId, externalId: id })
    expect(another.id).not.toBe(externalId)
    expect(userIn(await scim('GET', `/Users/${id}`)).id).toBe(id)
  })

  test('is replaced: what is not said is gone, but whether they are active', async () => {
    const { scim, org_domain } = await given.directory()
    const body = userBody({ title: 'Countess', active: false })
    const { id } = userIn(await scim('POST', '/Users', { body }))
    const { userName, emails } = body

    const { status, body: replaced } = await scim('PUT', `/Users/${id}`, { body: { userName, emails } })

    expect({ status, replaced }).toMatchObject({ status: 200, replaced: { id, userName, active: false } })
    expect(replaced).not.toHaveProperty('title')
    expect(replaced).not.toHaveProperty('name')
    expect(await client.users.get({ org_domain, user_id: id })).toMatchObject({
      active: false,
      profile: { given_name: null, family_name: null },
    })
  })

  test('shows what the API has changed of them since', async () => {
    const { scim, org_domain } = await given.directory()
    const { id } = await given.user(scim, { nickName: 'Ada' })
    const email = anyEmail()

    await client.users.update({ org_domain, user_id: id, email, given_name: 'Augusta', nickname: null })

    const { body } = await scim('GET', `/Users/${id}`)
    expect(body).toMatchObject({
      name: { givenName: 'Augusta', familyName: 'Lovelace' },
      emails: [{ value: email, type: 'work', primary: true }],
    })
    expect(body).not.toHaveProperty('nickName')
  })

  test('who is deleted is found no more, and frees their names', async () => {
    const { scim, org_domain } = await given.directory()
    const body = userBody({ externalId: 'one' })
    const { id } = userIn(await scim('POST', '/Users', { body }))

    expect(await scim('DELETE', `/Users/${id}`)).toMatchObject({ status: 204, body: undefined })

    for (const [method, sent] of [
      ['GET'],
      ['PUT', body],
      ['PATCH', replacing('active', true)],
      ['DELETE'],
    ] as const)
      expect((await scim(method, `/Users/${id}`, sent === undefined ? {} : { body: sent })).status).toBe(404)
    expect((await scim('GET', '/Users')).body).toMatchObject({ totalResults: 0 })
    expect(await client.users.get({ org_domain, user_id: id })).toMatchObject({ deleted: true })
    const again = await scim('POST', '/Users', { body })
    expect(again.status).toBe(201)
    // Also through the API.
    await client.users.delete({ org_domain, user_id: userIn(again).id })
    expect((await scim('POST', '/Users', { body })).status).toBe(201)
  })

  test('who is deactivated is signed out everywhere at once, refresh tokens included', async () => {
    const { scim, org_domain } = await given.directory()
    const application = await service.given.application({ org_domain, organization_domain_scope: org_domain })
    const { id: user_id, userName: user_email } = await given.user(scim)
    const { magic_link } = await client.magicLink.createChallenge({
      org_domain,
      user_email,
      send_email: false,
      scope: 'openid offline_access',
    })
    const { code } = await openMagicLink(magic_link ?? '')
    const { client_id } = application
    const { body: tokens } = await exchange(service, { code, client_id })
    const refresh_token = String(tokens['refresh_token'])
    await signIn(client, { org_domain, user_email })
    expect((await client.sessions.list({ org_domain, user_id })).data).toHaveLength(2)

    await scim('PATCH', `/Users/${user_id}`, { body: replacing('active', 'False') })

    expect((await client.sessions.list({ org_domain, user_id })).data).toEqual([])
    const refreshed = await exchange(service, { grant_type: 'refresh_token', refresh_token, client_id })
    expect(refreshed).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  })
})

describe('an address', () => {
  test.each([
    ['the primary one', [{ value: 'a@x.example' }, { value: 'b@x.example', primary: true }], 'b@x.example'],
    [
      'else that for work',
      [
        { value: 'a@x.example', type: 'home' },
        { value: 'b@x.example', type: 'Work' },
      ],
      'b@x.example',
    ],
    ['else the first', [{ value: 'a@x.example' }, { value: 'b@x.example' }], 'a@x.example'],
    ['else userName', undefined, 'ada@x.example'],
  ])('is %s', async (_which, emails, email) => {
    const { scim, org_domain } = await given.directory()
    const { id } = await given.user(scim, { userName: 'ada@x.example', emails })
    expect((await client.users.get({ org_domain, user_id: id })).email).toBe(email)
  })

  test('follows userName where there is no other', async () => {
    const { scim, org_domain } = await given.directory()
    const { id } = await given.user(scim, { userName: 'ada@x.example', emails: undefined })
    await scim('PATCH', `/Users/${id}`, { body: replacing('userName', 'king@x.example') })
    expect((await client.users.get({ org_domain, user_id: id })).email).toBe('king@x.example')
  })

  test.each([
    ['none', { userName: 'ada', emails: undefined }],
    ['none that is one', { emails: [{ value: 'ada', primary: true }] }],
    [
      'two primary ones',
      { emails: ['a@x.example', 'b@x.example'].map((value) => ({ value, primary: true })) },
    ],
  ])('400 invalidValue: %s', async (_what, members) => {
    const { scim } = await given.directory()
    expect(await scim('POST', '/Users', { body: userBody(members) })).toMatchObject({
      status: 400,
      body: { scimType: 'invalidValue' },
    })
  })

  test('outside of the domains of the organization is refused, for new users and for others', async () => {
    const { domain: org_domain } = await service.given.organization({
      allowed_email_domains: ['awesome.example'],
    })
    const { scim } = await given.directory({ org_domain })
    const refused = { status: 400, body: { scimType: 'invalidValue' } }
    expect(await scim('POST', '/Users', { body: userBody() })).toMatchObject(refused)
    const { id } = await given.user(scim, { email: 'ada@awesome.example' })
    expect(
      await scim('PATCH', `/Users/${id}`, {
        body: replacing('emails[type eq "work"].value', 'ada@other.example'),
      }),
    ).toMatchObject(refused)
    expect((await client.users.get({ org_domain, user_id: id })).email).toBe('ada@awesome.example')
  })

  test('is verified where its domain is one of the organization or of its identity providers', async () => {
    const { domain: org_domain, id: organization_id } = await service.given.organization()
    await client.ssoConnections.create({ organization_id, email_domains: ['awesome.example'] })
    const { scim } = await given.directory({ org_domain })
    const own = await given.user(scim, { email: 'ada@awesome.example' })
    const other = await given.user(scim)
    const isVerified = async (user_id: string) => {
      const user = await client.users.get({ org_domain, user_id })
      return 'email_verified' in user && user.email_verified
    }

    expect([await isVerified(own.id), await isVerified(other.id)]).toEqual([true, false])
    await scim('PATCH', `/Users/${own.id}`, {
      body: replacing('emails[type eq "work"].value', 'ada@other.example'),
    })
    expect(await isVerified(own.id)).toBe(false)
    await scim('PATCH', `/Users/${other.id}`, {
      body: replacing('emails[type eq "work"].value', 'king@awesome.example'),
    })
    expect(await isVerified(other.id)).toBe(true)
  })
})

test.each([
  ['userName', { userName: randomBytes(1001).toString('base64') }],
  ['userName as it is compared', { userName: '\ufdfa'.repeat(60) }],
  ['externalId', { externalId: randomBytes(1001).toString('base64') }],
  ['all of it', { roles: Array.from({ length: 60 }, (_, index) => ({ value: `${index}`.repeat(1500) })) }],
])('400 invalidValue: a user that is too large by %s', async (_what, members) => {
  const { scim } = await given.directory()
  const answer = await scim('POST', '/Users', { body: userBody(members) })
  expect(answer).toMatchObject({ status: 400, body: { scimType: 'invalidValue' } })
  expect((await scim('GET', '/Users')).body).toMatchObject({ totalResults: 0 })
})

describe('409 uniqueness', () => {
  test.each([
    ['userName in another case', (one: { userName: string }) => ({ userName: one.userName.toUpperCase() })],
    ['externalId', () => ({ externalId: 'one' })],
    [
      'the e-mail address',
      (one: { userName: string }) => ({ emails: [{ value: one.userName.toUpperCase() }] }),
    ],
  ])('%s of another user', async (_what, members) => {
    const { scim } = await given.directory()
    const one = await given.user(scim, { externalId: 'one' })
    const other = userBody({ externalId: 'other' })
    const { id } = userIn(await scim('POST', '/Users', { body: other }))
    const taken = { status: 409, body: { status: '409', scimType: 'uniqueness' } }
    expect(await scim('POST', '/Users', { body: userBody(members(one)) })).toMatchObject(taken)
    expect(await scim('PUT', `/Users/${id}`, { body: { ...other, ...members(one) } })).toMatchObject(taken)
  })

  test('userName that is the address of a user who is not of the directory', async () => {
    const { scim, org_domain } = await given.directory()
    const { email } = await service.given.user({ org_domain })
    expect(await scim('POST', '/Users', { body: userBody({ userName: email }) })).toMatchObject({
      status: 409,
    })
  })

  test('of twenty at once one is made', async () => {
    const { scim } = await given.directory()
    const body = userBody()
    const made = await Promise.all(Array.from({ length: 20 }, () => scim('POST', '/Users', { body })))
    expect(made.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      201,
      ...Array.from({ length: 19 }, () => 409),
    ])
  })
})

describe('versions', () => {
  test('of ten writers of one version one writes', async () => {
    const { scim } = await given.directory()
    const { id, meta } = await given.user(scim)
    const writers = Array.from({ length: 10 }, (_, index) =>
      scim('PATCH', `/Users/${id}`, {
        body: replacing('title', `Writer ${index}`),
        headers: { 'if-match': meta.version },
      }),
    )
    const statuses = (await Promise.all(writers)).map(({ status }) => status)
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, ...Array.from({ length: 9 }, () => 412)])
    expect(userIn(await scim('GET', `/Users/${id}`)).meta.version).toBe('W/"2"')
  })

  test('of what is deleted and replaced have to be right, and those of what was read need no body', async () => {
    const { scim } = await given.directory()
    const body = userBody()
    const { id } = userIn(await scim('POST', '/Users', { body }))
    const headers = { 'if-match': 'W/"7"' }
    expect((await scim('DELETE', `/Users/${id}`, { headers })).status).toBe(412)
    expect((await scim('PUT', `/Users/${id}`, { headers, body })).status).toBe(412)
    const read = await scim('GET', `/Users/${id}`, { headers: { 'if-none-match': 'W/"1"' } })
    expect([read.status, read.body]).toEqual([304, undefined])
  })

  test('304 and 412: of what is there, where nothing that is will do', async () => {
    const { scim } = await given.directory()
    const body = userBody()
    const { id } = userIn(await scim('POST', '/Users', { body }))
    const headers = { 'if-none-match': '*' }
    const group = await groupsOf(scim).make()

    for (const path of [`/Users/${id}`, `/Groups/${group.id}`, '/Users', '/ServiceProviderConfig'])
      expect([path, (await scim('GET', path, { headers })).status]).toEqual([path, 304])
    for (const [method, path] of [
      ['PUT', `/Users/${id}`],
      ['DELETE', `/Users/${id}`],
      ['DELETE', `/Groups/${group.id}`],
    ] as const)
      expect((await scim(method, path, { headers, ...(method === 'PUT' && { body }) })).status).toBe(412)
    expect((await scim('DELETE', '/Users/nobody', { headers })).status).toBe(404)
    expect((await scim('POST', '/Users', { headers, body: userBody() })).status).toBe(201)
  })

  test('change with the groups of the user, and are what they were when these are', async () => {
    const { scim } = await given.directory()
    const { id } = await given.user(scim)
    const groups = groupsOf(scim)
    const read = async (tag: string) => {
      const { status, headers } = await scim('GET', `/Users/${id}`, { headers: { 'if-none-match': tag } })
      return [status, headers.get('etag')] as const
    }
    const group = await groups.make({ displayName: 'Sales', members: [{ value: id }] })
    const [joined, inSales] = await read('W/"1"')
    const [known, again] = await read(inSales ?? '')
    await groups.patch(group.id, { op: 'replace', path: 'displayName', value: 'Operations' })
    const [renamed, inOperations] = await read(inSales ?? '')
    const stale = await scim('PATCH', `/Users/${id}`, {
      body: replacing('title', 'Countess'),
      headers: { 'if-match': inSales ?? '' },
    })
    await scim('DELETE', `/Groups/${group.id}`)
    const [left, alone] = await read(inOperations ?? '')

    expect([joined, known, renamed, stale.status, left]).toEqual([200, 304, 200, 412, 200])
    expect(inSales).toMatch(/^W\/"1-[\w-]{12}"$/)
    expect([again, alone]).toEqual([inSales, 'W/"1"'])
    expect(inOperations).not.toBe(inSales)
  })

  test('a patch that changes nothing leaves the version and tells nobody', async () => {
    const { scim, org_domain } = await given.directory()
    const { id } = await given.user(scim, { title: 'Countess' })
    const before = await given.events(org_domain)
    const answer = await scim('PATCH', `/Users/${id}`, { body: replacing('title', 'Countess') })
    expect(answer).toMatchObject({ status: 200, body: { meta: { version: 'W/"1"' } } })
    expect(await given.events(org_domain)).toHaveLength(before.length)
  })
})

import { describe, expect, test } from 'vitest'
import { anyEmail } from '../../given/given.js'
import { startService } from '../../given/harness.js'
import { onboardingGivenOf } from '../../given/onboarding-given.js'
import { signIn } from '../../given/world.js'
import { replacing, scimUsersGivenOf, userBody, userIn } from './user-given.js'

const service = await startService()
const client = await service.client()
const given = scimUsersGivenOf(client)

/** A user with a verified address. */
async function verifiedUser(org_domain: string) {
  const user = await service.given.user({ org_domain })
  await service.given.application({ org_domain, organization_domain_scope: org_domain })
  await signIn(client, { org_domain, user_email: user.email })
  return user
}

describe('a user who is not of the directory', () => {
  test('is seen by it, and can only be read', async () => {
    const { scim, org_domain } = await given.directory()
    const { id, email } = await service.given.user({ org_domain, given_name: 'Ada', family_name: 'Lovelace' })

    expect(await scim('GET', `/Users/${id}`)).toMatchObject({
      status: 200,
      body: {
        userName: email,
        displayName: 'Ada Lovelace',
        name: { givenName: 'Ada', familyName: 'Lovelace' },
        emails: [{ value: email, primary: true }],
      },
    })
    const body = userBody({ email })
    for (const [method, sent] of [['PUT', body], ['PATCH', replacing('active', false)], ['DELETE']] as const)
      expect((await scim(method, `/Users/${id}`, sent === undefined ? {} : { body: sent })).status).toBe(403)
    expect(await client.users.get({ org_domain, user_id: id })).toMatchObject({ active: true, email })
  })

  test('keeps their address from users of the directory', async () => {
    const { scim, org_domain } = await given.directory()
    const { email } = await verifiedUser(org_domain)
    const { id } = await given.user(scim)
    const taken = { status: 409, body: { scimType: 'uniqueness' } }
    expect(await scim('POST', '/Users', { body: userBody({ email }) })).toMatchObject(taken)
    const body = replacing('emails[type eq "work"].value', email)
    expect(await scim('PATCH', `/Users/${id}`, { body })).toMatchObject(taken)
  })

  test.each([
    ['POST', '/Users', (email: string) => userBody({ email, externalId: 'one' })],
    ['PUT', '/Users/{id}', (email: string) => userBody({ email, externalId: 'one' })],
    ['PATCH', '/Users/{id}', () => replacing('externalId', 'one')],
  ])(
    'is taken over by %s where the directory may and the address is verified',
    async (method, path, bodyFor) => {
      const { scim, org_domain } = await given.directory({ takes_over_users: true })
      const { id, email } = await verifiedUser(org_domain)

      const taken = await scim(method, path.replace('{id}', id), { body: bodyFor(email) })

      expect(taken).toMatchObject({ status: method === 'POST' ? 201 : 200, body: { id, externalId: 'one' } })
      const events = await given.events(org_domain)
      expect(events.at(-1)).toMatchObject({
        code: 'dir_sync.user.provision.success',
        data: { change: 'provision', resource: { id } },
      })
      expect((await scim('PATCH', `/Users/${id}`, { body: replacing('active', false) })).status).toBe(200)
    },
  )

  test('keeps what POST does not say of their name when they are taken over', async () => {
    const { scim, org_domain } = await given.directory({ takes_over_users: true })
    const { id, email } = await verifiedUser(org_domain)
    await client.users.update({
      ...{ org_domain, user_id: id },
      profile: { given_name: 'Ada', family_name: 'Lovelace' },
    })

    const taken = await scim('POST', '/Users', { body: { userName: email, name: { givenName: 'Augusta' } } })

    expect(taken).toMatchObject({
      status: 201,
      body: { name: { givenName: 'Augusta', familyName: 'Lovelace' } },
    })
  })

  test('has what the directory says of them once they are taken over', async () => {
    const { scim, org_domain } = await given.directory({ takes_over_users: true })
    const { id, email } = await verifiedUser(org_domain)
    const user = { org_domain, user_id: id, preload_associations: ['directory_attributes' as const] }
    expect(await client.users.get(user)).toMatchObject({ directory_attributes: null })

    await scim('POST', '/Users', { body: userBody({ email, title: 'Countess' }) })

    const directory_attributes = { title: 'Countess', department: null, roles: [] }
    expect(await client.users.get(user)).toMatchObject({ directory_attributes })
    expect((await given.events(org_domain)).at(-1)).toMatchObject({
      code: 'dir_sync.user.provision.success',
      data: { resource: { changes: { new_values: { directory_attributes } } } },
    })
  })

  test('is not taken over with an address that nobody has verified, or another one', async () => {
    const { scim, org_domain } = await given.directory({ takes_over_users: true })
    const { email } = await service.given.user({ org_domain })
    const verified = await verifiedUser(org_domain)
    const refused = await scim('POST', '/Users', { body: userBody({ email }) })
    expect(refused).toMatchObject({
      status: 409,
      body: { scimType: 'uniqueness', detail: expect.stringContaining('has not verified it') as unknown },
    })
    expect((await scim('PUT', `/Users/${verified.id}`, { body: userBody() })).status).toBe(403)
    expect(await client.users.get({ org_domain, user_id: verified.id })).toMatchObject({
      email: verified.email,
    })
  })

  test('is told to be in the way, and no more, where the directory takes nobody over', async () => {
    const { scim, org_domain } = await given.directory()
    const unverified = await service.given.user({ org_domain })
    const verified = await verifiedUser(org_domain)
    for (const { email } of [unverified, verified])
      expect(await scim('POST', '/Users', { body: userBody({ email }) })).toMatchObject({
        status: 409,
        body: { detail: 'the e-mail address belongs to another user' },
      })
  })

  test.each(['another organization', 'the other environment'])('of %s is nobody', async (where) => {
    const { scim, org_domain } = await given.directory()
    const isOther = where === 'another organization'
    const elsewhere = isOther ? (await service.given.organization()).domain : org_domain
    const production = await service.client({ environment: 'production' })
    const { id, email } = await service.given.user({ org_domain: elsewhere }, isOther ? client : production)
    const body = userBody()
    for (const [method, sent] of [
      ['GET'],
      ['PUT', body],
      ['PATCH', replacing('active', false)],
      ['DELETE'],
    ] as const)
      expect((await scim(method, `/Users/${id}`, sent === undefined ? {} : { body: sent })).status).toBe(404)
    expect((await scim('GET', `/Users?filter=userName eq "${email}"`)).body).toMatchObject({
      totalResults: 0,
    })
    expect((await scim('POST', '/Users', { body: userBody({ email }) })).status).toBe(201)
  })
})

test('what is deprovisioned leaves administrators of the same address as they are', async () => {
  const onboarding = onboardingGivenOf(service, client)
  const scene = await onboarding.invited()
  const { visitor } = await onboarding.arrived(scene)
  const { scim } = await given.directory({ org_domain: scene.org_domain })
  const { id } = await given.user(scim, { email: scene.email })

  await scim('PATCH', `/Users/${id}`, { body: replacing('active', false) })
  await scim('DELETE', `/Users/${id}`)

  expect((await client.admins.list({ org_domain: scene.org_domain })).data).toMatchObject([
    { email: scene.email },
  ])
  const page = await visitor.visit(`/onboarding/${scene.connection.idp_id}`)
  expect(page.status).toBe(200)
  expect((await onboarding.arrived(scene)).page.status).toBe(200)
})

describe('events', () => {
  test('tell what the provider changed of a user, with the values before', async () => {
    const { scim, org_domain, directory } = await given.directory({ provider_type: 'entra_id' })
    const { id, userName } = await given.user(scim)
    await scim('PATCH', `/Users/${id}`, { body: replacing('active', false) })
    await scim('DELETE', `/Users/${id}`)

    const events = await given.events(org_domain)

    expect(events.map(({ code }) => code)).toEqual([
      'user.user.create.success',
      'dir_sync.user.provision.success',
      'user.user.update.success',
      'dir_sync.user.update.success',
      'user.user.delete.success',
      'dir_sync.user.deprovision.success',
    ])
    const [, provisioned, , updated, , deprovisioned] = events
    expect(provisioned).toMatchObject({
      actor: { type: 'directory', id: directory.id },
      data: {
        __type__: 'DirectorySyncEvent',
        change: 'provision',
        directory_sync_id: directory.id,
        provider: 'entra_id',
        resource: { id, type: 'User', changes: { new_values: { id, email: userName }, previous_values: {} } },
      },
    })
    const time = expect.any(String) as string
    expect(updated?.data).toMatchObject({
      change: 'update',
      resource: {
        changes: {
          new_values: { active: false, updated_at: time },
          previous_values: { active: true, updated_at: time },
        },
      },
    })
    expect(deprovisioned?.data).toMatchObject({
      change: 'deprovision',
      resource: { id, changes: { new_values: {}, previous_values: { email: userName } } },
    })
  })

  test('of a change of what only SCIM knows have the time of the user', async () => {
    const { scim, org_domain } = await given.directory()
    const { id } = userIn(await scim('POST', '/Users', { body: userBody({ email: anyEmail() }) }))
    await scim('PATCH', `/Users/${id}`, { body: replacing('title', 'Countess') })
    const events = await given.events(org_domain)
    expect(events.at(-1)?.data).toMatchObject({ change: 'update', resource: { id } })
    const changed = ['updated_at', 'directory_attributes']
    expect(Object.keys(changesOf(events.at(-1)?.data).new_values)).toEqual(changed)
  })
})

function changesOf(data: unknown) {
  return (data as { resource: { changes: { new_values: object } } }).resource.changes
}

import { createClient } from '@portico/sdk'
import { describe, expect, test } from 'vitest'
import { longTest } from '../sampled.js'
import { givenOf } from '../given/given.js'
import { startService } from '../given/harness.js'
import { impersonationGivenOf } from '../protocols/impersonation-given.js'

const service = await startService()
const client = await service.client()
const given = impersonationGivenOf(service, client)
const scene = await given.scene()

describe('POST impersonations', () => {
  test('201: answers with the address, which neither the list nor the event contains', async () => {
    const created = await given.create(scene, { notify_user: true })

    expect(created).toMatchObject({
      __type__: 'Impersonation',
      user_id: scene.user.id,
      application_id: scene.application.id,
      actor: { id: 'staff-7', email: 'grace@acme.example' },
      ...{ duration_in_seconds: 900, notify_user: true, started_at: null, ended_at: null },
    })
    expect(Date.parse(created.expires_at) - Date.parse(created.inserted_at)).toBe(300_000)
    const address = `${service.baseUrl}/t/${scene.org_domain}/impersonation?token=`
    expect(created.url?.startsWith(address)).toBe(true)
    const token = created.url?.slice(address.length) ?? ''
    expect(token).toMatch(/^[\w-]{43}$/)
    expect(await given.listed(scene)).toContainEqual({ ...created, url: null })
    const kept = await service.query<{ text: string }>(
      'select data::text || params::text as text from events union all select impersonations::text from impersonations',
    )
    expect(kept.filter(({ text }) => text.includes(token))).toEqual([])
  })

  test('403: a key without a list of scopes may read impersonations, and create and end none', async () => {
    const { client_id, client_secret } = await service.apiKey({ scopes: null })
    const unlisted = createClient({
      ...{ baseUrl: service.baseUrl, domain: service.account.domain },
      ...{ clientId: client_id, clientSecret: client_secret, maxRetries: 0 },
    })
    const { id } = await given.create(scene)
    const of = { org_domain: scene.org_domain, user_id: scene.user.id }

    await expect(impersonationGivenOf(service, unlisted).create(scene)).rejects.toMatchObject({
      code: 'insufficient_scope',
    })
    await expect(unlisted.impersonations.end({ ...of, impersonation_id: id })).rejects.toMatchObject({
      code: 'insufficient_scope',
    })
    expect((await unlisted.impersonations.list(of)).data.map((each) => each.id)).toContain(id)
  })

  test.each([
    ['a duration of 59 seconds', { duration_in_seconds: 59 }, 'duration_in_seconds'],
    ['a duration of 3,601 seconds', { duration_in_seconds: 3601 }, 'duration_in_seconds'],
    ['no reason', { reason: ' ' }, 'reason'],
    ['a reason of 501 characters', { reason: 'x'.repeat(501) }, 'reason'],
    ['an actor without a name', { actor: { id: '' } }, 'actor.id'],
    ['an actor of 201 characters', { actor: { id: 'x'.repeat(201) } }, 'actor.id'],
    ['an actor with a line break', { actor: { id: 'staff\n7' } }, 'actor.id'],
    ['an actor with more members', { actor: { id: 's', sub: 'x' } }, 'actor.sub'],
  ])('422: %s', async (_name, members, path) => {
    await expect(given.create(scene, members)).rejects.toMatchObject({
      code: 'invalid_parameters',
      fields: [expect.objectContaining({ path })],
    })
  })

  test('422: an inactive user', async () => {
    const at = await given.scene()
    await client.users.update({ org_domain: at.org_domain, user_id: at.user.id, active: false })
    await expect(given.create(at)).rejects.toMatchObject({
      code: 'invalid_parameters',
      fields: [expect.objectContaining({ path: 'user_id', code: 'user_inactive' })],
    })
  })

  test('404: a user or an application of another organization, account or environment', async () => {
    const other = await given.scene({ organization_domain_scope: scene.org_domain })
    const foreign = await service.createAccount()
    const production = await service.client({ environment: 'production' })
    const theirs = impersonationGivenOf(service, await service.client({ account: foreign }))
    const at = await theirs.scene()

    await expect(given.create({ ...scene, user: other.user })).rejects.toMatchObject({
      code: 'user_not_found',
    })
    await expect(given.create(at)).rejects.toMatchObject({ code: 'organization_not_found' })
    await expect(given.create({ ...scene, user: at.user })).rejects.toMatchObject({ code: 'user_not_found' })
    await expect(impersonationGivenOf(service, production).create(scene)).rejects.toMatchObject({
      code: 'user_not_found',
    })
    for (const { application } of [at, other])
      await expect(given.create({ ...other, application })).rejects.toMatchObject({
        code: 'application_not_found',
      })
  })
})

describe('GET impersonations', () => {
  test('lists those of the user alone, newest first', async () => {
    const at = await given.scene()
    await given.create(scene)
    const ids = []
    for (let count = 0; count < 3; count += 1) {
      await service.clock.advance(1)
      ids.unshift((await given.create(at)).id)
    }
    expect((await given.listed(at)).map(({ id }) => id)).toEqual(ids)
  })
})

describe('DELETE impersonations', () => {
  test('ends one before it has started, with an event and no log event', async () => {
    const at = await given.scene()
    const { id, ...created } = await given.create(at)
    const { org_domain } = at
    const { resource } = await client.impersonations.end({
      org_domain,
      user_id: at.user.id,
      impersonation_id: id,
    })

    expect(resource).toEqual({ ...created, id, url: null, ended_at: expect.any(String) })
    expect((await given.open(created, given.visitorOf())).status).toBe(404)
    expect((await client.logEvents.list({ org_domain })).data).toEqual([])
  })

  test('ends its session and tokens at once', async () => {
    const at = await given.scene()
    const { created, accessToken } = await given.tokens(at)
    const of = { org_domain: at.org_domain, user_id: at.user.id }
    const userInfo = () =>
      fetch(`${service.baseUrl}/t/${at.org_domain}/userinfo`, {
        headers: { authorization: `Bearer ${accessToken}` },
      })
    expect((await userInfo()).status).toBe(200)

    await client.impersonations.end({ ...of, impersonation_id: created.id })

    expect((await userInfo()).status).toBe(401)
    expect((await client.sessions.list(of)).data).toEqual([])
  })

  test('404: one that has ended, is over, or is of another user; of 50 requests at once one ends it', async () => {
    const at = await given.scene()
    const other = await given.scene()
    const missing = { code: 'impersonation_not_found' }
    const end = (user_id: string, impersonation_id: string) =>
      client.impersonations.end({ org_domain: at.org_domain, user_id, impersonation_id })
    const created = await given.create(at)
    await expect(end(other.user.id, created.id)).rejects.toMatchObject(missing)
    await expect(
      client.impersonations.end({
        ...{ org_domain: other.org_domain, user_id: at.user.id },
        impersonation_id: created.id,
      }),
    ).rejects.toMatchObject(missing)

    const answers = await Promise.allSettled(Array.from({ length: 50 }, () => end(at.user.id, created.id)))
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)

    const expired = await given.create(at)
    await service.clock.advance(300)
    await expect(end(at.user.id, expired.id)).rejects.toMatchObject(missing)
  })
})

longTest('an impersonation is deleted 90 days after its end, as the events about it', async () => {
  const at = await given.scene()
  await given.tokens(at)
  await service.clock.advance(90 * 24 * 3600)
  await service.runJobs()
  expect(await given.listed(at)).toHaveLength(1)
  await service.clock.advance(3600)
  await service.runJobs()
  expect(await given.listed(at)).toEqual([])
})

test('409: a sandbox key cannot change whether production allows it', async () => {
  const { org_domain } = await given.scene()
  const production = await service.client({ environment: 'production' })
  await givenOf(production).application({ org_domain, organization_domain_scope: org_domain })

  const change = (by: typeof client) => by.organizations.update({ org_domain, impersonation: 'refused' })
  await expect(change(client)).rejects.toMatchObject({ code: 'production_is_up' })
  expect(await change(production)).toMatchObject({ impersonation: 'refused' })
})

import { followMagicLink, openMagicLink } from '@portico/sdk'
import { describe, expect, test } from 'vitest'
import { longTest } from '../sampled.js'
import { anyEmail, givenOf } from '../given/given.js'
import { startService } from '../given/harness.js'
import { goodPassword, passwordGivenOf } from './password-given.js'

const service = await startService()
const client = await service.client()
/** Client of a key without the scope read:users. */
const blind = await service.client({ scopes: ['write:passwords', 'write:magic_links'] })
const given = passwordGivenOf(service, client)

describe('asking for a password', () => {
  test('201: the user is told where the key may read users, and is null where it may not', async () => {
    const scene = await given.scene()

    const seen = await given.request(scene)
    const unseen = await given.request(scene, {}, blind)

    expect(seen).toMatchObject({ __domain__: scene.org_domain, user_id: scene.user.id })
    expect(unseen.user_id).toBeNull()
    const lifetimeMs = Date.parse(seen.expired_at) - service.clock.now().getTime()
    expect(Math.round(lifetimeMs / 60_000)).toBe(60)
  })

  test('404 and 409: an unknown address and an inactive user, where the key may read users', async () => {
    const scene = await given.scene()

    await expect(given.request(scene, { user_email: anyEmail() })).rejects.toMatchObject({
      status: 404,
      code: 'user_not_found',
    })
    await client.users.update({ org_domain: scene.org_domain, user_id: scene.user.id, active: false })
    await expect(given.request(scene)).rejects.toMatchObject({ status: 409, code: 'user_inactive' })
  })

  test('201: with find_or_create_user an unknown address becomes a user at once', async () => {
    const scene = await given.scene()
    const user_email = anyEmail()

    const { user_id } = await given.request(scene, { user_email, find_or_create_user: true })

    const user = await client.users.getByEmail({ org_domain: scene.org_domain, user_email })
    expect(user).toMatchObject({ id: user_id, email_verified: false })
    const { data } = await client.events.list({ limit: 1000 })
    expect(data.slice(-2).map(({ code }) => code)).toEqual([
      'user.user.create.success',
      'password.request.create.success',
    ])
  })

  test('201: of twenty who ask for one unknown address at once, one makes the user', async () => {
    const scene = await given.scene()
    const user_email = anyEmail()

    const answers = await Promise.all(
      Array.from({ length: 20 }, () => given.request(scene, { user_email, find_or_create_user: true })),
    )

    expect(new Set(answers.map(({ user_id }) => user_id)).size).toBe(1)
    expect(answers[0]?.user_id).not.toBeNull()
  })

  test('403: a key that may not write users makes none, known address or not', async () => {
    const scene = await given.scene()
    const reader = await service.client({ scopes: ['write:passwords', 'read:users'] })

    for (const user_email of [scene.user.email, anyEmail()]) {
      const attempt = given.request(scene, { user_email, find_or_create_user: true }, reader)
      await expect(attempt).rejects.toMatchObject({ status: 403, code: 'insufficient_scope' })
    }
  })

  test('409, 403, 404: an inactive connection, an address that may not sign in, and no connection', async () => {
    const scene = await given.scene({ active: false })
    await expect(given.request(scene)).rejects.toMatchObject({ status: 409, code: 'connection_inactive' })

    const closed = await given.scene({}, { allowed_email_domains: ['corp.example'] })
    await expect(given.request(closed)).rejects.toMatchObject({
      status: 403,
      code: 'email_domain_not_allowed',
    })

    const { domain } = await service.given.organization()
    await expect(given.request({ ...scene, org_domain: domain })).rejects.toMatchObject({
      status: 404,
      code: 'password_connection_not_found',
    })
  })
})

describe('the link of a request', () => {
  test('redirects with a password_code, the state of the request and the issuer, and with no code', async () => {
    const scene = await given.scene()
    const { request_id } = await given.request(scene, {
      state: 'abc',
      redirect_uri: 'https://store.example/other',
    })

    const followed = await followMagicLink(await given.link(scene, request_id))

    expect(followed).toMatchObject({ outcome: 'password_code', state: 'abc' })
    const { origin, pathname, searchParams } = followed.redirectedTo
    expect(origin + pathname).toBe('https://store.example/other')
    expect([...searchParams.keys()].sort()).toEqual(['iss', 'password_code', 'state'])
  })

  test('works while its magic-link connection is active', async () => {
    const scene = await given.scene()
    const { request_id } = await given.request(scene)
    const link = await given.link(scene, request_id)
    await client.magicLink.updateConnection({ org_domain: scene.org_domain, active: false })

    await expect(followMagicLink(link)).rejects.toThrow(/cannot be used/)
  })

  test('gives a newer code in place of the one before', async () => {
    const scene = await given.scene()
    const { request_id } = await given.request(scene)
    const older = await given.open(await given.link(scene, request_id))
    const newer = await given.open(await given.link(scene, request_id))
    const set = (password_code: string) =>
      client.password.set({
        org_domain: scene.org_domain,
        user_email: scene.user.email,
        password_code,
        plain_text: goodPassword,
      })

    await expect(set(older)).rejects.toMatchObject({ code: 'password_code_refused' })
    expect((await set(newer)).user_id).toBe(scene.user.id)
  })

  test('lives no longer than its request', async () => {
    const scene = await given.scene()
    const { request_id, expired_at } = await given.request(scene)
    await service.clock.advance(50 * 60)

    const late = await client.magicLink.createChallenge({
      org_domain: scene.org_domain,
      user_email: scene.user.email,
      request_id,
      send_email: false,
    })

    expect(late.expired_at).toBe(expired_at)
  })

  test('422: a request of another address, of another organization, one that is over and one that never was', async () => {
    const scene = await given.scene()
    const other = await given.scene()
    const foreign = await given.request(other)
    const own = await given.request(scene)
    const neighbour = await service.given.user({ org_domain: scene.org_domain })
    const refused = { status: 422, code: 'invalid_parameters', fields: [{ path: 'request_id' }] }

    await expect(given.link(scene, foreign.request_id)).rejects.toMatchObject(refused)
    await expect(given.link(scene, own.request_id, neighbour.email)).rejects.toMatchObject(refused)
    await expect(given.link(scene, scene.user.id)).rejects.toMatchObject(refused)
    await service.clock.advance(3601)
    await expect(given.link(scene, own.request_id)).rejects.toMatchObject(refused)
  })

  test('404: beside an application that the organization cannot use, as beside one that there is not; 422: beside one of its others', async () => {
    const scene = await given.scene()
    const other = await given.scene()
    const production = await service.client({ environment: 'production' })
    const foreign = await service.client({ account: await service.createAccount() })
    const deleted = await service.given.application({ org_domain: scene.org_domain })
    await client.applications.delete({ org_domain: scene.org_domain, client_id: deleted.id })
    const { domain: theirs } = await foreign.organizations.create({ name: 'Foreign' })
    const { request_id } = await given.request(scene)
    const make = (application_id: string) =>
      client.magicLink.createChallenge({
        org_domain: scene.org_domain,
        user_email: scene.user.email,
        send_email: false,
        request_id,
        application_id,
      })

    for (const application_id of [
      '0190c8b0-3f4e-7d5c-b6a7-98f0e1d2c3b4',
      other.application.id,
      (await givenOf(production).application({ org_domain: scene.org_domain })).id,
      (await givenOf(foreign).application({ org_domain: theirs })).id,
      deleted.id,
    ])
      await expect(make(application_id)).rejects.toMatchObject({ status: 404, code: 'application_not_found' })
    const otherOfTheirs = await service.given.application({ org_domain: scene.org_domain })
    await expect(make(otherOfTheirs.id)).rejects.toMatchObject({
      status: 422,
      fields: [{ path: 'application_id', code: 'other_application' }],
    })
    expect((await make(scene.application.id)).magic_link).toContain('/magic-link?token=')
  })

  test('leads nowhere once the request is over', async () => {
    const scene = await given.sceneWithPassword()
    const { org_domain, user } = scene
    const { request_id } = await given.request(scene)
    const link = await given.link(scene, request_id)
    await client.password.updateConnection({ org_domain, plain_text_min_length: 40 })
    const { renew_password } = await given.signIn(scene)
    await client.password.set({
      org_domain,
      user_email: user.email,
      password_code: renew_password?.password_code ?? '',
      plain_text: `${goodPassword} and nineteen sails`,
    })

    await expect(followMagicLink(link)).rejects.toThrow(/cannot be used/)
  })

  longTest(
    'an unknown address gets a request and a link, but no mail, and the link leads nowhere',
    async () => {
      const scene = await given.scene()
      const user_email = anyEmail()
      const { request_id } = await given.request(scene, { user_email }, blind)
      const of = { org_domain: scene.org_domain, user_email, request_id }

      const { magic_link } = await blind.magicLink.createChallenge({ ...of, send_email: false })
      await blind.magicLink.createChallenge(of)
      await service.runJobs()

      expect((await client.outbox.list({ to: user_email })).data).toEqual([])
      await expect(openMagicLink(magic_link ?? '')).rejects.toThrow(/cannot be used/)
    },
  )

  test('a known address gets it by mail', async () => {
    const scene = await given.scene()
    const { request_id } = await given.request(scene, {}, blind)
    await blind.magicLink.createChallenge({
      org_domain: scene.org_domain,
      user_email: scene.user.email,
      request_id,
    })
    await service.runJobs()

    const { data } = await client.outbox.list({ to: scene.user.email })
    const [link = ''] = /http\S+token=[\w-]{43}/.exec(data[0]?.text ?? '') ?? []
    expect((await followMagicLink(link)).outcome).toBe('password_code')
  })
})

import { openMagicLink } from '@portico/sdk'
import { describe, expect, test } from 'vitest'
import { flowGivenOf } from '../given/flow-given.js'
import { flowLinkGivenOf } from '../given/flow-link-given.js'
import { anything } from '../given/given.js'
import { startService } from '../given/harness.js'
import { madeBy, ownPageGivenOf } from '../given/own-page-given.js'
import type { Lie } from '../given/passkey-authenticator.js'
import { longTest, sampled } from '../sampled.js'

const service = await startService()
const client = await service.client()
const given = ownPageGivenOf(service, client)
const links = flowLinkGivenOf(service, client, flowGivenOf(service, client))

const notFound = { status: 404, code: 'passkey_registration_not_found' }
const rejected = { status: 401, code: 'passkey_rejected' }

describe('a registration for a page of an application', () => {
  test('adds the passkey that the browser has made, with its event and its mail', async () => {
    const scene = await given.scene()
    const { org_domain, user } = scene
    const { cursor } = await client.events.list({ after: 'latest' })
    const registration = await given.begin(scene)
    expect(registration).toMatchObject({
      user_id: user.id,
      options: {
        rp: { id: 'store.example' },
        user: { displayName: user.email },
        excludeCredentials: [],
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      },
    })
    const held = given.authenticator()

    const passkey = await given.complete(scene, registration, { credential: madeBy(held, registration) })

    expect(passkey).toMatchObject({
      ...{ user_id: user.id, name: 'Passkey', rp_id: 'store.example', credential_id: held.keys[0]?.id },
    })
    expect(await client.passkeys.get({ org_domain, user_id: user.id, passkey_id: passkey.id })).toEqual(
      passkey,
    )
    const { data: events } = await client.events.list({ after: cursor })
    expect(events.map(({ code }) => code)).toEqual(['passkey.passkey.create.success'])
    await service.runJobs()
    const { data: mails } = await client.outbox.list({ to: user.email })
    expect(mails.map(({ subject }) => subject)).toContainEqual(expect.stringContaining('passkey'))
    expect((await given.begin(scene)).options.excludeCredentials).toMatchObject([{ id: held.keys[0]?.id }])
  })

  test('tells a passkey without a name from the first one by a number', async () => {
    const scene = await given.scene()
    for (const held of [given.authenticator(), given.authenticator()]) {
      const registration = await given.begin(scene)
      await given.complete(scene, registration, { credential: madeBy(held, registration) })
    }

    const { data } = await client.passkeys.list({ org_domain: scene.org_domain, user_id: scene.user.id })
    expect(data.map(({ name }) => name)).toEqual(expect.arrayContaining(['Passkey', 'Passkey 2']))
  })

  test('is over once a user proves a mailbox that somebody had only claimed', async () => {
    const scene = await given.scene()
    const { org_domain, application } = scene
    const email = `ada-${anything()}@awesome.example`
    const user = await client.users.create({ org_domain, email })
    const of = { ...scene, user }
    await client.magicLink.updateConnection({ org_domain, active: true })
    const registration = await given.begin(of)
    const credential = madeBy(given.authenticator(), registration)

    await client.magicLink.createChallenge({ org_domain, user_email: email, application_id: application.id })
    await openMagicLink(await links.newestLinkTo(email))

    await expect(given.complete(of, registration, { credential })).rejects.toMatchObject(notFound)
  })

  longTest('adds one passkey, however many answers it gets at once', async () => {
    const scene = await given.scene()
    const registration = await given.begin(scene)
    const answers = await Promise.allSettled(
      Array.from({ length: 200 }, () => {
        const credential = madeBy(given.authenticator(), registration)
        return given.complete(scene, registration, { credential })
      }),
    )

    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const { data } = await client.passkeys.list({ org_domain: scene.org_domain, user_id: scene.user.id })
    expect(data).toHaveLength(1)
  })

  test('keeps the name that the user has chosen', async () => {
    const scene = await given.scene()
    const registration = await given.begin(scene)
    const credential = madeBy(given.authenticator(), registration)

    expect(await given.complete(scene, registration, { credential, name: 'My phone' })).toMatchObject({
      name: 'My phone',
    })
  })

  test('is for the oldest application with passkeys where none is named', async () => {
    const scene = await given.scene()
    const { org_domain, user } = scene
    const older = await service.given.application({
      ...{ org_domain, organization_domain_scope: org_domain },
      ...{ allowed_web_origins: ['https://other.example'], passkey_rp_id: 'other.example' },
    })
    const asked = await client.passkeys.createRegistration({ org_domain, user_id: user.id })
    expect(asked.options.rp.id).toBe('store.example')
    await client.applications.delete({ org_domain, client_id: scene.application.id })
    const next = await client.passkeys.createRegistration({ org_domain, user_id: user.id })
    expect(next.options.rp.id).toBe('other.example')
    await client.applications.update({ org_domain, client_id: older.id, passkey_rp_id: null })

    for (const application_id of [undefined, older.id])
      await expect(
        client.passkeys.createRegistration({
          ...{ org_domain, user_id: user.id, ...(application_id !== undefined && { application_id }) },
        }),
      ).rejects.toMatchObject({
        ...{ status: 422, fields: [{ path: 'application_id', code: 'passkey_rp_id_missing' }] },
      })
  })

  const lies: readonly (readonly [string, Lie])[] = [
    ['another page of the same domain', { origin: 'https://other.store.example' }],
    ['another domain', { rpId: 'evil.example' }],
    ['nobody verified', { isVerified: false }],
    ['a page of the service', { origin: service.baseUrl }],
    ['another challenge', { challenge: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' }],
    ['a use in place of a creation', { type: 'webauthn.get' }],
    ['a frame of another site', { crossOrigin: true }],
    ['a page above it', { topOrigin: 'https://evil.example' }],
    ['nobody there', { isPresent: false }],
    ['an algorithm that was not asked for', { algorithm: -39 }],
  ]
  test.each(sampled(lies, 3))('adds nothing for an answer of %s, and is over then', async (_, lie) => {
    const scene = await given.scene()
    const registration = await given.begin(scene)
    const wrong = madeBy(given.authenticator(), registration, lie)
    await expect(given.complete(scene, registration, { credential: wrong })).rejects.toMatchObject(rejected)

    const right = madeBy(given.authenticator(), registration)
    await expect(given.complete(scene, registration, { credential: right })).rejects.toMatchObject(notFound)
    expect(await given.passkeysOf(scene)).toEqual([])
  })

  test('is good for one answer, and not for the answer to another one', async () => {
    const scene = await given.scene()
    const [first, second] = [await given.begin(scene), await given.begin(scene)]
    const credential = madeBy(given.authenticator(), first)
    await expect(given.complete(scene, second, { credential })).rejects.toMatchObject(rejected)
    await given.complete(scene, first, { credential })

    await expect(given.complete(scene, first, { credential })).rejects.toMatchObject(notFound)
    expect(await given.passkeysOf(scene)).toHaveLength(1)
  })

  test('is over after five minutes', async () => {
    const scene = await given.scene()
    const registration = await given.begin(scene)
    const credential = madeBy(given.authenticator(), registration)
    await service.clock.advance(300)

    await expect(given.complete(scene, registration, { credential })).rejects.toMatchObject(notFound)
  })

  test('is found in its organization and environment alone, by a key that may see it', async () => {
    const scene = await given.scene()
    const other = await given.scene()
    const registration = await given.begin(scene)
    const answer = { credential: madeBy(given.authenticator(), registration) }
    const { id } = await client.organizations.get({ org_domain: other.org_domain })
    const foreigners = [
      await service.client({ environment: 'production' }),
      await service.client({ organizationIds: [id] }),
      await service.client({ account: await service.createAccount() }),
    ]
    await expect(given.complete(other, registration, answer)).rejects.toMatchObject(notFound)
    for (const as of foreigners)
      await expect(given.complete(scene, registration, answer, as)).rejects.toMatchObject({ status: 404 })

    await given.complete(scene, registration, answer).catch(() => undefined)
    expect(await given.passkeysOf(scene)).toHaveLength(1)
  })

  test.each([
    ['no passkeys', { passkey_rp_id: null }],
    ['another domain', { allowed_web_origins: ['https://new.example'], passkey_rp_id: 'new.example' }],
    ['other pages', { allowed_web_origins: ['https://shop.store.example'] }],
  ])('adds nothing where the application has %s by then', async (_, changes) => {
    const scene = await given.scene()
    const { org_domain, application } = scene
    const registration = await given.begin(scene)
    await client.applications.update({ org_domain, client_id: application.id, ...changes })
    const credential = madeBy(given.authenticator(), registration)

    await expect(given.complete(scene, registration, { credential })).rejects.toMatchObject(rejected)
  })

  test('adds nothing to a user who is deactivated or deleted by then', async () => {
    const scene = await given.scene()
    const { org_domain, user } = scene
    const of = { org_domain, user_id: user.id }
    const [first, second] = [await given.begin(scene), await given.begin(scene)]
    await client.users.update({ ...of, active: false })
    const late = { credential: madeBy(given.authenticator(), first) }
    await expect(given.complete(scene, first, late)).rejects.toMatchObject({ code: 'user_inactive' })
    await expect(given.begin(scene)).rejects.toMatchObject({ code: 'user_inactive' })
    await client.users.delete(of)

    const later = { credential: madeBy(given.authenticator(), second) }
    await expect(given.complete(scene, second, later)).rejects.toMatchObject(notFound)
    const rows = await service.query('select from passkeys where user_id = $1', [user.id])
    expect(rows).toEqual([])
  })

  test('is of no address that only single sign-on lets in', async () => {
    const scene = await given.scene()
    const { org_domain, user } = scene
    const registration = await given.begin(scene)
    const { id: organization_id } = await client.organizations.get({ org_domain })
    const domain = user.email.split('@')[1] ?? ''
    await client.domains.create({ org_domain, domain, sso_required: true })
    await client.ssoConnections.create({ organization_id, email_domains: [domain] })
    const credential = madeBy(given.authenticator(), registration)

    await expect(given.begin(scene)).rejects.toMatchObject({ status: 403, code: 'passkeys_inactive' })
    await expect(given.complete(scene, registration, { credential })).rejects.toMatchObject({
      code: 'passkeys_inactive',
    })
  })

  test('adds none that its provider copies where the organization does not want that', async () => {
    const scene = await given.scene()
    await client.passkeys.updateConnection({ org_domain: scene.org_domain, synced: false })
    const registration = await given.begin(scene)
    const credential = madeBy(given.authenticator({ isSynced: true }), registration)

    await expect(given.complete(scene, registration, { credential })).rejects.toMatchObject({
      ...{ status: 403, code: 'passkey_not_allowed' },
    })
    expect(await given.passkeysOf(scene)).toEqual([])
  })

  test('is deleted the day after', async () => {
    const scene = await given.scene()
    await given.begin(scene)
    await service.clock.advance(24 * 60 * 60)
    await service.runJobs()

    expect(await service.query('select from passkey_ceremonies')).toEqual([])
  })
})

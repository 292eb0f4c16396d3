import { describe, expect, test } from 'vitest'
import { flowLinkGivenOf } from '../given/flow-link-given.js'
import { anyEmail } from '../given/given.js'
import { startService } from '../given/harness.js'
import { passkeyGivenOf } from '../given/passkey-given.js'
import type { Lie } from '../given/passkey-authenticator.js'

const service = await startService()
const client = await service.client()
const given = passkeyGivenOf(service, client)
const links = flowLinkGivenOf(service, client, given.flows)

async function sessionsOf({ org_domain, user }: Awaited<ReturnType<typeof given.flows.scene>>) {
  return (await client.sessions.list({ org_domain, user_id: user.id })).data
}

describe('a passkey on the account page', () => {
  test('is added by a fresh session, with its event and a mail, and is in the API without its key', async () => {
    const bitwarden = Buffer.from('d548826e79b4db40a3d811116f7e8349', 'hex')
    const held = given.authenticator({ isSynced: true, aaguid: bitwarden })
    const { scene, page } = await given.withPasskey(undefined, held)

    expect(page).toMatchObject({ status: 200 })
    expect(page.html).toContain('Bitwarden')
    const [passkey, ...others] = await given.passkeysOf(scene)
    expect(others).toEqual([])
    expect(passkey).toMatchObject({
      user_id: scene.user.id,
      name: 'Bitwarden',
      provider_name: 'Bitwarden',
      credential_id: held.keys[0]?.id,
      synced: true,
      backed_up: true,
      transports: ['internal'],
      rp_id: 'localhost',
      sign_count: 0,
      last_used_at: null,
      disabled_at: null,
    })
    const events = await service.query<{ code: string; actor_type: string; actor_id: string }>(
      `select code, actor_type, actor_id from events where subject_id = $1 and code like 'passkey.%'`,
      [scene.user.id],
    )
    expect(events).toEqual([
      { code: 'passkey.passkey.create.success', actor_type: 'user', actor_id: scene.user.id },
    ])
    await service.runJobs()
    const { data: mails } = await client.outbox.list({ to: scene.user.email })
    expect(mails.map(({ subject }) => subject)).toContainEqual(expect.stringContaining('passkey was added'))
  })

  test('is told of at the address that its user had then, also where they get another one before the mail leaves', async () => {
    const { scene } = await given.withPasskey()
    const { org_domain, user } = scene
    const email = anyEmail()
    await client.users.update({ org_domain, user_id: user.id, email })
    await service.runJobs()
    const subjectsTo = async (to: string) =>
      (await client.outbox.list({ to })).data.map(({ subject }) => subject)

    expect(await subjectsTo(user.email)).toContainEqual(expect.stringContaining('passkey was added'))
    expect(await subjectsTo(email)).toEqual([])
  })

  test('is asked for so that devices keep one for each user, and verify who uses it', async () => {
    const { scene, page } = await given.withPasskey()
    const options = given.asked(page)
    const [passkey] = await given.passkeysOf(scene)

    expect(options).toMatchObject({
      rp: { id: 'localhost' },
      user: { name: expect.stringContaining(scene.user.email), id: expect.stringMatching(/^[\w-]{43}$/) },
      excludeCredentials: [{ type: 'public-key', id: passkey?.credential_id }],
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      attestation: 'none',
    })
  })

  test('is not added by a form that is sent after ten minutes, nor by a session that has ended', async () => {
    const { scene, visitor, page } = await given.onPasskeys()
    const held = given.authenticator()
    const credential = held.create(given.asked(page))
    await service.clock.advance(11 * 60)
    const late = await visitor.press(page, 'add', { credential })
    const fresh = await given.signInAt(visitor, late, scene)
    await client.sessions.endAll({ org_domain: scene.org_domain, user_id: scene.user.id })
    const ended = await visitor.press(fresh, 'add', { credential: held.create(given.asked(fresh)) })

    for (const { url } of [late, ended]) expect(url).toContain(`/t/${scene.org_domain}/sign-in/`)
    expect(await given.passkeysOf(scene)).toEqual([])
  })

  test('is added once, whoever sends its answer again, and to nobody else', async () => {
    const { scene, visitor, page } = await given.onPasskeys()
    const held = given.authenticator()
    const credential = held.create(given.asked(page))
    await visitor.press(page, 'add', { credential })
    const again = await visitor.press(page, 'add', { credential })
    const other = await given.onPasskeys()
    const replayed = await other.visitor.press(other.page, 'add', { credential })

    expect([again.status, replayed.status]).toEqual([422, 422])
    expect(await given.passkeysOf(scene)).toHaveLength(1)
    expect(await given.passkeysOf(other.scene)).toEqual([])
  })

  test('with an identifier that somebody has already is refused', async () => {
    const { held } = await given.withPasskey()
    const other = await given.onPasskeys()
    const taken = { credentialId: held.keys[0]?.id ?? '' }
    const credential = given.authenticator().create(given.asked(other.page), taken)
    const refused = await other.visitor.press(other.page, 'add', { credential })

    expect(refused).toMatchObject({ status: 422 })
    expect(refused.html).toContain('has been added already')
    expect(await given.passkeysOf(other.scene)).toEqual([])
  })

  const lies: readonly (readonly [string, Lie])[] = [
    ['another origin', { origin: 'https://evil.example' }],
    ['another domain', { rpId: 'evil.example' }],
    ['another challenge', { challenge: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' }],
    ['a use in place of a creation', { type: 'webauthn.get' }],
    ['a frame of another site', { crossOrigin: true }],
    ['a page above it', { topOrigin: 'https://evil.example' }],
    ['nobody there', { isPresent: false }],
    ['nobody verified', { isVerified: false }],
    ['a backup of what is not synced', { isBackedUp: true }],
    ['an algorithm that was not asked for', { algorithm: -47 }],
  ]
  test.each(lies)('whose answer is of %s is not added', async (_, lie) => {
    const { scene, visitor, page } = await given.onPasskeys()
    const refused = await visitor.press(page, 'add', {
      credential: given.authenticator().create(given.asked(page), lie),
    })

    expect(refused).toMatchObject({ status: 422 })
    expect(await given.passkeysOf(scene)).toEqual([])
  })

  test.each([
    '',
    'null',
    '[]',
    '{}',
    '{"id":"a","rawId":"a","type":"public-key","response":{"clientDataJSON":"!","attestationObject":"!"}}',
    `{"id":"a","rawId":"a","type":"public-key","response":{"clientDataJSON":"e30","attestationObject":"${Buffer.alloc(8_000, 0x81).toString('base64url')}"}}`,
  ])('is not made of another text: %#', async (credential) => {
    const { scene, visitor, page } = await given.onPasskeys()
    const refused = await visitor.press(page, 'add', { credential })

    expect(refused).toMatchObject({ status: 422 })
    expect(await given.passkeysOf(scene)).toEqual([])
  })

  test('is not made by a form of another site', async () => {
    const { scene, visitor, page } = await given.onPasskeys()
    const credential = given.authenticator().create(given.asked(page))
    const sent = await visitor.send(page, 'add', { credential }, { origin: 'https://evil.example' })

    expect(sent).toMatchObject({ status: 403 })
    expect(await given.passkeysOf(scene)).toEqual([])
  })

  test('that its provider copies is refused where the organization does not want that', async () => {
    const scene = await given.flows.scene()
    await client.passkeys.updateConnection({ org_domain: scene.org_domain, synced: false })
    const synced = await given.withPasskey(scene, given.authenticator({ isSynced: true }))
    expect(synced.page).toMatchObject({ status: 422 })

    await given.withPasskey(scene, given.authenticator())

    expect(await given.passkeysOf(scene)).toMatchObject([{ synced: false }])
  })

  test('is one of twenty at most', async () => {
    const { scene, visitor, page } = await given.onPasskeys()
    const held = given.authenticator()
    let shown = page
    for (let count = 0; count < 20; count += 1)
      shown = await visitor.press(shown, 'add', { credential: held.create(given.asked(shown)) })
    const refused = await visitor.press(shown, 'add', { credential: held.create(given.asked(shown)) })

    expect(refused).toMatchObject({ status: 422 })
    expect(await given.passkeysOf(scene)).toHaveLength(20)
  })

  test('is not offered where the organization has switched passkeys off, and a form has no effect', async () => {
    const { scene, visitor, page } = await given.onPasskeys()
    await client.passkeys.updateConnection({ org_domain: scene.org_domain, active: false })
    const shown = await visitor.press(page, 'add', {
      credential: given.authenticator().create(given.asked(page)),
    })

    expect(shown.html).not.toContain('data-passkey')
    expect(await given.passkeysOf(scene)).toEqual([])
  })

  test('is renamed by its user, and by nobody else', async () => {
    const { scene, visitor, page } = await given.withPasskey()
    const [passkey] = await given.passkeysOf(scene)
    const passkey_id = passkey?.id ?? ''
    const other = await given.withPasskey()
    await other.visitor.press(other.page, 'rename', { passkey_id, name: 'Theirs' })
    expect(await given.passkeysOf(scene)).toMatchObject([{ name: 'Passkey' }])

    const long = await visitor.press(page, 'rename', { passkey_id, name: 'x'.repeat(61) })
    const after = await visitor.press(page, 'rename', { passkey_id, name: 'My phone' })

    expect(long).toMatchObject({ status: 422 })
    expect(after.html).toContain('My phone')
    expect(await given.passkeysOf(scene)).toMatchObject([{ name: 'My phone' }])
  })

  test('is removed by its user alone: the sessions elsewhere end, and a mail says so', async () => {
    const { scene, visitor, page } = await given.withPasskey()
    const [passkey] = await given.passkeysOf(scene)
    const passkey_id = passkey?.id ?? ''
    await given.flows.signIn(scene)
    const other = await given.withPasskey()
    await other.visitor.press(other.page, 'remove', { passkey_id })
    expect(await given.passkeysOf(scene)).toHaveLength(1)

    const after = await visitor.press(page, 'remove', { passkey_id })

    expect(after).toMatchObject({ status: 200 })
    expect(await given.passkeysOf(scene)).toEqual([])
    expect(await sessionsOf(scene)).toHaveLength(1)
    await service.runJobs()
    const { data: mails } = await client.outbox.list({ to: scene.user.email })
    expect(mails.map(({ subject }) => subject)).toContainEqual(expect.stringContaining('passkey was removed'))
  })

  test('that is the last way to sign in is not removed, and one of two is', async () => {
    const { scene, visitor, page } = await given.withPasskey()
    const { org_domain } = scene
    await client.password.updateConnection({ org_domain, active: false })
    await client.magicLink.updateConnection({ org_domain, active: false })
    const [first] = await given.passkeysOf(scene)
    const refused = await visitor.press(page, 'remove', { passkey_id: first?.id ?? '' })
    expect(refused).toMatchObject({ status: 409 })

    await visitor.press(refused, 'add', { credential: given.authenticator().create(given.asked(refused)) })
    await visitor.press(refused, 'remove', { passkey_id: first?.id ?? '' })

    const left = await given.passkeysOf(scene)
    expect(left).toHaveLength(1)
    expect(left[0]?.id).not.toBe(first?.id)
  })

  test('is not changed or removed by a session of which its user has not signed in lately', async () => {
    const { scene, visitor, page } = await given.withPasskey()
    const [passkey] = await given.passkeysOf(scene)
    await service.clock.advance(11 * 60)
    for (const action of ['rename', 'remove']) {
      const asked = await visitor.press(page, action, { passkey_id: passkey?.id ?? '', name: 'Other' })
      expect(asked.url).toContain(`/t/${scene.org_domain}/sign-in/`)
    }

    expect(await given.passkeysOf(scene)).toMatchObject([{ name: 'Passkey' }])
  })

  test('ends with the password when the owner of an address proves it for the first time', async () => {
    const { scene } = await given.withPasskey()
    const { org_domain, user } = scene
    const email = anyEmail()
    await client.users.update({ org_domain, user_id: user.id, email })
    expect(await given.passkeysOf(scene)).toHaveLength(1)

    const { link, visitor } = await links.linkSent(scene, { email })
    await links.open(link, visitor)

    expect(await client.users.get({ org_domain, user_id: user.id })).toMatchObject({ email_verified: true })
    expect(await given.passkeysOf(scene)).toEqual([])
  })
})

test('the service says where its passkeys may be used', async () => {
  const answer = await fetch(`${service.baseUrl}/.well-known/webauthn`)

  expect(await answer.json()).toEqual({ origins: [service.baseUrl] })
})

test('an organization that was there before passkeys has none until it switches them on', async () => {
  const scene = await given.flows.scene()
  const { org_domain } = scene
  await service.query(
    `delete from passkey_connections where organization_id = (select id from organizations where domain = $1)`,
    [org_domain],
  )
  expect(await client.passkeys.getConnection({ org_domain })).toMatchObject({ active: false })
  const { page } = await given.onPasskeys(scene)
  expect(page.html).not.toContain('data-passkey')

  expect(await client.passkeys.updateConnection({ org_domain, active: true })).toMatchObject({ active: true })

  expect((await given.onPasskeys(scene)).page.html).toContain('data-passkey')
})

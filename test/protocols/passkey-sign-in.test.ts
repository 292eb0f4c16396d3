import { describe, expect, test } from 'vitest'
import { answerOf, callback, isIn } from '../given/flow-given.js'
import { givenOf } from '../given/given.js'
import { startService } from '../given/harness.js'
import type { Lie } from '../given/passkey-authenticator.js'
import { passkeyGivenOf } from '../given/passkey-given.js'
import { samlGivenOf } from '../given/saml-given.js'
import { comeBySso } from '../given/sso-user-given.js'
import { pkcePair, type Seen } from '../given/visitor.js'
import { longTest } from '../sampled.js'
import { exchange } from './code-given.js'

const service = await startService()
const client = await service.client()
const given = passkeyGivenOf(service, client)
const saml = samlGivenOf(service, client)

type Owner = Awaited<ReturnType<typeof given.withPasskey>>

/** Signs in with a passkey at the first page of a sign-in of its own. */
async function signInWith({ scene, held }: Pick<Owner, 'scene' | 'held'>, lie: Lie = {}) {
  const visitor = given.flows.visitorOf()
  const { page } = await given.flows.begin(scene, {}, visitor)
  const credential = held.use(given.asked(page), lie)
  return { visitor, page, credential, landed: await visitor.press(page, 'passkey', { credential }) }
}

async function reasonsOf({ scene }: Pick<Owner, 'scene'>) {
  const { data } = await client.logEvents.list({ org_domain: scene.org_domain })
  return data.flatMap(({ event_code, reason }) => (event_code === 'END_USER_PASSKEY_FAILED' ? [reason] : []))
}

async function sessionsOf({ org_domain, user }: Owner['scene']) {
  return (await client.sessions.list({ org_domain, user_id: user.id })).data.length
}

function refuses(seen: Seen): void {
  expect(seen.status).toBe(422)
  expect(seen.html).toContain('role="alert"')
  expect(isIn(seen)).toBe(false)
}

describe('a passkey at the first page of a sign-in', () => {
  test('signs its user in without an address, as two factors, and is used from then on', async () => {
    const owner = await given.withPasskey()
    const { verifier, challenge } = pkcePair()
    const visitor = given.flows.visitorOf()
    const { page } = await given.flows.begin(owner.scene, { code_challenge: challenge }, visitor)
    expect(page.html).toContain('autocomplete="username webauthn"')
    expect(given.asked(page)).toMatchObject({
      rpId: 'localhost',
      allowCredentials: [],
      userVerification: 'required',
    })

    const landed = await visitor.press(page, 'passkey', { credential: owner.held.use(given.asked(page)) })

    const { application } = owner.scene
    const answer = await exchange(service, {
      code: answerOf(landed).get('code') ?? '',
      code_verifier: verifier,
      client_id: application.client_id,
      redirect_uri: callback,
    })
    expect(answer.status).toBe(200)
    const [, payload = ''] = String(answer.body.id_token).split('.')
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toMatchObject({
      sub: owner.scene.user.id,
      amr: ['pop', 'user', 'mfa'],
      acr: 'urn:portico:acr:mfa',
    })
    expect(await given.passkeysOf(owner.scene)).toMatchObject([
      { sign_count: 1, last_used_at: expect.any(String) },
    ])
    const events = await service.query<{ code: string; actor_type: string }>(
      `select code, actor_type from events where subject_id = $1 and code = 'passkey.challenge.validate.success'`,
      [owner.scene.user.id],
    )
    expect(events).toEqual([{ code: 'passkey.challenge.validate.success', actor_type: 'user' }])
  })

  test('is asked for as soon as the page is there where the application wants it, until an answer was wrong', async () => {
    const owner = await given.withPasskey()
    const visitor = given.flows.visitorOf()
    const { page } = await given.flows.begin(owner.scene, { idp_hint: 'passkey', ui_locales: 'fr' }, visitor)
    expect(page.html).toContain('data-asked')

    const forged = owner.held.use(given.asked(page), { isForged: true })
    const refused = await visitor.press(page, 'passkey', { credential: forged })
    refuses(refused)
    expect(refused.html).not.toContain('data-asked')
    const landed = await visitor.press(refused, 'passkey', {
      credential: owner.held.use(given.asked(refused)),
    })
    expect(isIn(landed)).toBe(true)

    const plain = await given.flows.begin(owner.scene)
    expect(plain.page.html).not.toContain('data-asked')
    await client.passkeys.updateConnection({ org_domain: owner.scene.org_domain, first_factor: false })
    const without = await given.flows.begin(owner.scene, { idp_hint: 'passkey' })
    expect(without.page.html).toContain('name="email"')
    expect(without.page.html).not.toContain('data-passkey')
  })

  test('is two factors for a user with an app, too, who is asked for no code', async () => {
    const scene = await given.flows.enrolledScene()
    const on = await given.onPasskeys(await given.flows.scene())
    expect(on.page.status).toBe(200)
    const visitor = given.flows.visitorOf()
    const asked = await given.signInAt(visitor, await visitor.visit(given.addressOf(scene)), scene)
    const page = await visitor.press(asked, 'totp', { code: given.flows.totp.codeOf(scene.app) })
    const held = given.authenticator()
    await visitor.press(page, 'add', { credential: held.create(given.asked(page)) })

    expect(isIn((await signInWith({ scene, held })).landed)).toBe(true)
  })

  test('passes for one answer alone: not again, in another sign-in, nor in another browser', async () => {
    const owner = await given.withPasskey()
    const { visitor, page, credential, landed } = await signInWith(owner)
    expect(isIn(landed)).toBe(true)
    const again = await visitor.press(page, 'passkey', { credential })
    const other = given.flows.visitorOf()
    const begun = await given.flows.begin(owner.scene, {}, other)
    const replayed = await other.press(begun.page, 'passkey', { credential })
    const third = given.flows.visitorOf()
    const stolen = await third.press(page, 'passkey', { credential })

    expect(isIn(again)).toBe(false)
    refuses(replayed)
    expect(isIn(stolen)).toBe(false)
  })

  test('passes on the page that says what was wrong, whose challenge is another one', async () => {
    const owner = await given.withPasskey()
    const { visitor, page, landed } = await signInWith(owner, { isForged: true })
    refuses(landed)
    expect(given.asked(landed).challenge).not.toBe(given.asked(page).challenge)
    const stale = await visitor.press(landed, 'passkey', { credential: owner.held.use(given.asked(page)) })
    refuses(stale)

    const after = await visitor.press(stale, 'passkey', { credential: owner.held.use(given.asked(stale)) })

    expect(isIn(after)).toBe(true)
  })

  const lies: readonly (readonly [string, Lie])[] = [
    ['another origin', { origin: 'https://evil.example' }],
    ['another domain', { rpId: 'evil.example' }],
    ['another challenge', { challenge: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' }],
    ['a creation in place of a use', { type: 'webauthn.create' }],
    ['a frame of another site', { crossOrigin: true }],
    ['a page above it', { topOrigin: 'https://evil.example' }],
    ['nobody there', { isPresent: false }],
    ['nobody verified', { isVerified: false }],
    ['a key that has become synced', { isSynced: true }],
    ['another user', { userHandle: Buffer.alloc(32).toString('base64url') }],
    ['no user', { userHandle: null }],
    ['another signature', { isForged: true }],
  ]
  test.each(lies)('whose answer is of %s signs nobody in', async (_, lie) => {
    const owner = await given.withPasskey()
    const { landed } = await signInWith(owner, lie)

    refuses(landed)
    expect(await reasonsOf(owner)).toEqual(['passkey_wrong'])
    expect(isIn((await signInWith(owner)).landed)).toBe(true)
  })

  test('of another organization signs nobody in, and says so to its holder', async () => {
    const owner = await given.withPasskey()
    const elsewhere = { scene: await given.flows.scene(), held: owner.held }
    const { landed } = await signInWith(elsewhere)

    refuses(landed)
    expect(landed.html).toContain('for another organization')
    expect(await reasonsOf(elsewhere)).toEqual(['passkey_of_other_organization'])
    const forged = await signInWith(elsewhere, { isForged: true })
    expect(forged.landed.html).not.toContain('for another organization')
  })

  test('of another environment is not known', async () => {
    const owner = await given.withPasskey()
    const production = await service.client({ environment: 'production' })
    const { org_domain } = owner.scene
    const application = await givenOf(production).application({
      ...{ org_domain, organization_domain_scope: org_domain },
      allowed_redirect_urls: [callback],
    })
    const elsewhere = { scene: { ...owner.scene, application }, held: owner.held }
    const { landed } = await signInWith(elsewhere)

    refuses(landed)
    const { data } = await production.logEvents.list({ org_domain })
    expect(data[0]).toMatchObject({ event_code: 'END_USER_PASSKEY_FAILED', reason: 'passkey_unknown' })
  })

  test('that was removed, or of a user who is deactivated, signs nobody in', async () => {
    const owner = await given.withPasskey()
    const { org_domain, user } = owner.scene
    await client.users.update({ org_domain, user_id: user.id, active: false })
    refuses((await signInWith(owner)).landed)
    await client.users.update({ org_domain, user_id: user.id, active: true })
    const [passkey] = await given.passkeysOf(owner.scene)
    await client.passkeys.delete({ org_domain, user_id: user.id, passkey_id: passkey?.id ?? '' })
    refuses((await signInWith(owner)).landed)

    expect(await reasonsOf(owner)).toEqual(['passkey_unknown', 'user_inactive'])
  })

  test.each([{ active: false }, { first_factor: false }])(
    'signs nobody in while the organization does not want it: %j',
    async (changes) => {
      const owner = await given.withPasskey()
      const { org_domain } = owner.scene
      const visitor = given.flows.visitorOf()
      const { page } = await given.flows.begin(owner.scene, {}, visitor)
      await client.passkeys.updateConnection({ org_domain, ...changes })
      const credential = owner.held.use(given.asked(page))
      const refused = await visitor.press(page, 'passkey', { credential })
      const { page: shown } = await given.flows.begin(owner.scene)

      expect(isIn(refused)).toBe(false)
      expect(shown.html).not.toContain('data-passkey')
      expect(await reasonsOf(owner)).toEqual(['passkeys_inactive'])
    },
  )

  test('of an address with an identity provider leads there, and signs nobody in whom only that lets in', async () => {
    const owner = await given.withPasskey()
    const { org_domain, user, application } = owner.scene
    const domain = user.email.split('@')[1] ?? ''
    const { id: organization_id } = await client.organizations.get({ org_domain })
    const { connection } = await saml.connect({ organization_id, application }, { email_domains: [domain] })
    const { landed: led } = await signInWith(owner)
    expect(led.html).toContain('http-equiv="refresh"')

    const { data: domains } = await client.domains.list({ org_domain })
    await client.domains.update({ org_domain, domain_id: domains[0]?.id ?? '', sso_required: true })
    await client.ssoConnections.update({ idp_id: connection.idp_id, active: false })
    const { landed } = await signInWith(owner)

    expect(isIn(landed)).toBe(false)
    expect(await reasonsOf(owner)).toEqual(['sso_required'])
  })

  test('of who comes by single sign-on signs nobody in by itself, whatever the domain of their address', async () => {
    const { scene, held } = await given.withPasskey()
    const { org_domain, application } = scene
    const { id: organization_id } = await client.organizations.get({ org_domain })
    const { idp_id } = await client.ssoConnections.create({
      ...{ organization_id, application_id: application.id, provider_type: 'test' },
    })
    const owner = { scene, held }
    expect(isIn((await signInWith(owner)).landed)).toBe(true)
    await comeBySso(service, { userId: scene.user.id, idpId: idp_id })

    refuses((await signInWith(owner)).landed)

    expect(await reasonsOf(owner)).toEqual(['sso_required'])
    await client.ssoConnections.update({ idp_id, active: false })
    expect(isIn((await signInWith(owner)).landed)).toBe(true)
  })

  test('whose count has not grown is refused, and blocked where no other tab explains it', async () => {
    const owner = await given.withPasskey()
    await signInWith(owner, { signCount: 7 })
    refuses((await signInWith(owner, { signCount: 7 })).landed)
    expect(await given.passkeysOf(owner.scene)).toMatchObject([{ sign_count: 7, disabled_at: null }])
    await service.clock.advance(61)

    refuses((await signInWith(owner, { signCount: 6 })).landed)

    expect(await given.passkeysOf(owner.scene)).toMatchObject([
      { sign_count: 7, disabled_at: expect.any(String) },
    ])
    refuses((await signInWith(owner, { signCount: 8 })).landed)
    expect(await reasonsOf(owner)).toEqual(['passkey_wrong', 'passkey_disabled', 'passkey_wrong'])
    await service.runJobs()
    const { data: mails } = await client.outbox.list({ to: owner.scene.user.email })
    expect(mails.map(({ subject }) => subject)).toContainEqual(expect.stringContaining('passkey was blocked'))
  })

  longTest('opens one session, however often one answer is sent at once', async () => {
    const { scene, held } = await given.withPasskey()
    const before = await sessionsOf(scene)
    const { visitor, page } = await given.flows.begin(scene)
    const credential = held.use(given.asked(page))

    const answers = await Promise.all(
      Array.from({ length: 200 }, () => visitor.send(page, 'passkey', { credential })),
    )

    expect(answers.filter(({ status }) => status >= 500)).toEqual([])
    await visitor.visit(page.url)
    expect(await sessionsOf(scene)).toBe(before + 1)
    expect(await given.passkeysOf(scene)).toMatchObject([{ sign_count: 1 }])
  })

  test('that its provider copies may count anew on each device', async () => {
    const owner = await given.withPasskey(undefined, given.authenticator({ isSynced: true }))
    expect(isIn((await signInWith(owner, { signCount: 9 })).landed)).toBe(true)
    await service.clock.advance(61)

    expect(isIn((await signInWith(owner, { signCount: 1 })).landed)).toBe(true)
    expect(isIn((await signInWith(owner, { signCount: 0 })).landed)).toBe(true)
  })

  test('is the only way where there is no other, and the page says so', async () => {
    const owner = await given.withPasskey()
    const { org_domain, user } = owner.scene
    await client.password.updateConnection({ org_domain, active: false })
    await client.magicLink.updateConnection({ org_domain, active: false })
    const { visitor, page } = await given.flows.begin(owner.scene)
    const typed = await visitor.press(page, 'identify', { email: user.email })

    expect(typed).toMatchObject({ status: 422 })
    expect(typed.html).toContain('signs you in with a passkey')
    expect(isIn((await signInWith(owner)).landed)).toBe(true)
  })
})

import { describe, expect, test } from 'vitest'
import { callback, goodPassword } from '../given/flow-given.js'
import { startService } from '../given/harness.js'
import { ownPage, ownPageGivenOf, ownRpId, usedBy } from '../given/own-page-given.js'
import type { Lie } from '../given/passkey-authenticator.js'
import { passkeyGivenOf } from '../given/passkey-given.js'
import { totpGivenOf } from '../given/totp-given.js'
import { pkcePair } from '../given/visitor.js'
import { longTest, sampled } from '../sampled.js'
import { exchange } from './code-given.js'

const service = await startService()
const client = await service.client()
const given = ownPageGivenOf(service, client)
const pages = passkeyGivenOf(service, client)
const totp = totpGivenOf(service, client)

const rejected = { status: 401, code: 'passkey_rejected' }

function payloadOf(token: unknown): unknown {
  return JSON.parse(Buffer.from(String(token).split('.')[1] ?? '', 'base64url').toString())
}

describe('a passkey on a page of an application', () => {
  test('signs its user in without an address, as two factors', async () => {
    const { scene, held } = await given.owner()
    const { application, user, org_domain } = scene
    const { verifier, challenge: code_challenge } = pkcePair()
    const challenge = await given.ask(scene, { code_challenge, nonce: 'n-1', redirect_uri: callback })
    expect(challenge.options).toMatchObject({
      ...{ rpId: ownRpId, allowCredentials: [], userVerification: 'required' },
    })

    const passed = await given.answer(challenge, usedBy(held, challenge))

    expect(passed).toMatchObject({ success: true, user_id: user.id, renew_password: null })
    const answer = await exchange(service, {
      ...{ code: passed.code, code_verifier: verifier },
      ...{ client_id: application.client_id, redirect_uri: callback },
    })
    expect(answer.status).toBe(200)
    expect(payloadOf(answer.body.id_token)).toMatchObject({
      ...{ sub: user.id, nonce: 'n-1', amr: ['pop', 'user', 'mfa'], acr: 'urn:portico:acr:mfa' },
    })
    expect(await given.passkeysOf(scene)).toMatchObject([{ sign_count: 1, last_used_at: expect.any(String) }])
    const events = await service.query<{ actor_type: string }>(
      `select actor_type from events where subject_id = $1 and code = 'passkey.challenge.validate.success'`,
      [user.id],
    )
    expect(events).toEqual([{ actor_type: 'user' }])
    const { data: log } = await client.logEvents.list({ org_domain })
    expect(log).toContainEqual(
      expect.objectContaining({ event_code: 'END_USER_PASSKEY_SUCCESS', client_id: application.id }),
    )
  })

  const lies: readonly (readonly [string, Lie])[] = [
    ['another page of the same domain', { origin: 'https://other.store.example' }],
    ['nobody verified', { isVerified: false }],
    ['another user', { userHandle: Buffer.alloc(32).toString('base64url') }],
    ['another signature', { isForged: true }],
    ['a page of the service', { origin: service.baseUrl }],
    ['another domain', { rpId: 'evil.example' }],
    ['another challenge', { challenge: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' }],
    ['a creation in place of a use', { type: 'webauthn.create' }],
    ['a frame of another site', { crossOrigin: true }],
    ['nobody there', { isPresent: false }],
    ['a key that has become synced', { isSynced: true }],
    ['no user', { userHandle: null }],
  ]
  test.each(sampled(lies, 4))(
    'whose answer is of %s signs nobody in, and its challenge is over',
    async (_, lie) => {
      const { scene, held } = await given.owner()
      const challenge = await given.ask(scene)

      await expect(given.answer(challenge, usedBy(held, challenge, lie))).rejects.toMatchObject(rejected)

      expect(await given.reasonsOf(scene)).toEqual(['passkey_wrong'])
      await expect(given.answer(challenge, usedBy(held, challenge))).rejects.toMatchObject(rejected)
      expect(await given.signIn({ scene, held })).toMatchObject({ success: true })
    },
  )

  test('passes for one answer alone: not again, nor at another challenge', async () => {
    const { scene, held } = await given.owner()
    const [challenge, other] = [await given.ask(scene), await given.ask(scene)]
    const credential = usedBy(held, challenge)
    await expect(given.answer(other, credential)).rejects.toMatchObject(rejected)
    expect(await given.answer(challenge, credential)).toMatchObject({ success: true })

    // Made anew, so that it is not refused as one that was used before.
    await expect(given.answer(challenge, usedBy(held, challenge))).rejects.toMatchObject(rejected)
  })

  test('passes for five minutes', async () => {
    const { scene, held } = await given.owner()
    const challenge = await given.ask(scene)
    await service.clock.advance(300)

    await expect(given.answer(challenge, usedBy(held, challenge))).rejects.toMatchObject(rejected)
  })

  test('passes for a key that sees its organization in its environment alone', async () => {
    const { scene, held } = await given.owner()
    const challenge = await given.ask(scene)
    const credential = usedBy(held, challenge)
    const { id } = await client.organizations.get({ org_domain: (await given.scene()).org_domain })
    const foreigners = [
      await service.client({ environment: 'production' }),
      await service.client({ organizationIds: [id] }),
      await service.client({ account: await service.createAccount() }),
    ]
    for (const as of foreigners)
      await expect(given.answer(challenge, credential, as)).rejects.toMatchObject(rejected)

    const answered = given.answer(challenge, credential).then(({ success }) => success)
    expect(await answered.catch(() => false)).toBe(true)
  })

  test('of another organization signs nobody in', async () => {
    const { held } = await given.owner()
    const elsewhere = { scene: await given.scene(), held }

    await expect(given.signIn(elsewhere)).rejects.toMatchObject(rejected)
    expect(await given.reasonsOf(elsewhere.scene)).toEqual(['passkey_of_other_organization'])
  })

  test('that was added on the pages of the service is not one of the domain', async () => {
    const { scene, held } = await pages.withPasskey()
    const application = await given.givePages(scene)
    const elsewhere = { ...scene, application }
    const challenge = await given.ask(elsewhere)

    await expect(given.answer(challenge, usedBy(held, challenge, { origin: ownPage }))).rejects.toMatchObject(
      rejected,
    )
    expect(await given.reasonsOf(elsewhere)).toEqual(['passkey_unknown'])
  })

  test('signs nobody in by the answer to a registration', async () => {
    const { scene, held } = await given.owner()
    const { id: request_id, options } = await given.begin(scene)
    const credential = usedBy(held, {
      ...(await given.ask(scene)),
      options: { ...(await given.ask(scene)).options, challenge: options.challenge },
    })

    await expect(given.answer({ request_id }, credential)).rejects.toMatchObject(rejected)
  })

  test('of a user who is deactivated signs nobody in, nor does one that was removed', async () => {
    const owner = await given.owner()
    const { org_domain, user } = owner.scene
    const of = { org_domain, user_id: user.id }
    await client.users.update({ ...of, active: false })
    await expect(given.signIn(owner)).rejects.toMatchObject(rejected)
    await client.users.update({ ...of, active: true })
    const [passkey] = await given.passkeysOf(owner.scene)
    await client.passkeys.delete({ ...of, passkey_id: passkey?.id ?? '' })

    await expect(given.signIn(owner)).rejects.toMatchObject(rejected)
    expect(await given.reasonsOf(owner.scene)).toEqual(['passkey_unknown', 'user_inactive'])
  })

  test.each([{ active: false }, { first_factor: false }])(
    'signs nobody in once the organization does not want it: %j',
    async (changes) => {
      const { scene, held } = await given.owner()
      const challenge = await given.ask(scene)
      await client.passkeys.updateConnection({ org_domain: scene.org_domain, ...changes })

      await expect(given.answer(challenge, usedBy(held, challenge))).rejects.toMatchObject(rejected)
      expect(await given.reasonsOf(scene)).toEqual(['passkeys_inactive'])
      await expect(given.ask(scene)).rejects.toMatchObject({ status: 403, code: 'passkeys_inactive' })
    },
  )

  test('signs nobody in whom only single sign-on lets in, nor whose address is not allowed', async () => {
    const owner = await given.owner()
    const { org_domain, user } = owner.scene
    await client.organizations.update({ org_domain, allowed_email_domains: ['else.example'] })
    await expect(given.signIn(owner)).rejects.toMatchObject(rejected)
    await client.organizations.update({ org_domain, allowed_email_domains: [] })
    const { id: organization_id } = await client.organizations.get({ org_domain })
    const domain = user.email.split('@')[1] ?? ''
    await client.domains.create({ org_domain, domain, sso_required: true })
    await client.ssoConnections.create({ organization_id, email_domains: [domain] })

    await expect(given.signIn(owner)).rejects.toMatchObject(rejected)
    expect(await given.reasonsOf(owner.scene)).toEqual(['sso_required', 'email_domain_not_allowed'])
  })

  test('signs in to no application that has changed its pages or its redirect URL', async () => {
    const { scene, held } = await given.owner()
    const { org_domain, application } = scene
    const changed: readonly Parameters<typeof client.applications.update>[0][] = [
      { org_domain, client_id: application.id, allowed_redirect_urls: ['https://store.example/new'] },
      { org_domain, client_id: application.id, allowed_web_origins: ['https://new.store.example'] },
      { org_domain, client_id: application.id, passkey_rp_id: null },
    ]
    for (const changes of changed) {
      const challenge = await given.ask(scene)
      await client.applications.update(changes)
      const credential = usedBy(held, challenge)
      await expect(given.answer(challenge, credential)).rejects.toMatchObject(rejected)
    }

    expect(await given.reasonsOf(scene)).toEqual([
      ...['passkeys_inactive', 'passkey_wrong', 'redirect_not_allowed'],
    ])
    await expect(given.ask(scene)).rejects.toMatchObject({
      ...{ status: 422, fields: [{ path: 'application_id', code: 'passkey_rp_id_missing' }] },
    })
  })

  test('whose count has not grown is refused, and blocked with its event', async () => {
    const owner = await given.owner()
    await given.signIn(owner, { signCount: 7 })
    await service.clock.advance(61)
    const { cursor } = await client.events.list({ after: 'latest' })

    await expect(given.signIn(owner, { signCount: 7 })).rejects.toMatchObject(rejected)

    expect(await given.passkeysOf(owner.scene)).toMatchObject([{ disabled_at: expect.any(String) }])
    const { data: events } = await client.events.list({ after: cursor })
    expect(events.map(({ code }) => code)).toEqual(['passkey.passkey.disable.success'])
  })

  test('is asked for as often in a minute as passwords are tried in the organization', async () => {
    const { org_domain, application } = await given.scene()
    const variables = { SIGN_IN_RATE_PER_MINUTE: '2' }
    const slow = await startService({ databaseUrl: service.databaseUrl, variables })
    const as = await slow.client({ account: service.account })
    const ask = () => as.passkeys.createChallenge({ org_domain, application_id: application.id })
    await ask()
    await ask()

    await expect(ask()).rejects.toMatchObject({ status: 429, code: 'rate_limited' })
  })

  longTest('makes one code, however many answers one challenge gets at once', async () => {
    const { scene, held } = await given.owner(undefined, given.authenticator({ isSynced: true }))
    const challenge = await given.ask(scene)
    const credential = usedBy(held, challenge)
    const answers = await Promise.allSettled(
      Array.from({ length: 200 }, () => given.answer(challenge, credential)),
    )

    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const codes = await service.query('select from authorization_codes where user_id = $1', [scene.user.id])
    expect(codes).toHaveLength(1)
  })
})

describe('a passkey as the second factor on a page of an application', () => {
  /** A user with an app and a passkey, whose password was right. */
  async function waiting() {
    const scene = await given.scene()
    const { org_domain, user } = scene
    // Before the passkey, which ends when the address is proved for the first time.
    await given.passwords.set(scene)
    const owner = await given.owner(scene)
    await totp.activate(org_domain)
    await totp.enroll({ org_domain, user_id: user.id })
    const { request_id, error } = await given.passwords.challenge(scene, { plain_text: goodPassword })
    expect(error).toBe('totp_required')
    return { ...owner, request_id }
  }

  test('completes the sign-in of the password, also where nobody is verified', async () => {
    const { scene, held, request_id: password_request_id } = await waiting()
    await client.passkeys.updateConnection({ org_domain: scene.org_domain, first_factor: false })
    const challenge = await client.passkeys.createChallenge({
      ...{ org_domain: scene.org_domain, password_request_id },
    })
    expect(challenge.options).toMatchObject({
      allowCredentials: [{ id: held.keys[0]?.id }],
      userVerification: 'preferred',
    })

    const lie = { isVerified: false, userHandle: null }
    const passed = await given.answer(challenge, usedBy(held, challenge, lie))

    const { application, user } = scene
    expect(passed).toMatchObject({ success: true, user_id: user.id, renew_password: null })
    const answer = await exchange(service, { code: passed.code, client_id: application.client_id })
    expect(payloadOf(answer.body.id_token)).toMatchObject({ sub: user.id, amr: ['pwd', 'pop', 'mfa'] })
    await expect(
      client.passkeys.createChallenge({ org_domain: scene.org_domain, password_request_id }),
    ).rejects.toMatchObject({
      ...{ status: 422, fields: [{ path: 'password_request_id', code: 'not_open' }] },
    })
  })

  test('of the page is what a password takes where passkeys are demanded', async () => {
    const { scene } = await pages.withPasskey()
    const { org_domain } = scene
    const { held } = await given.owner({ ...scene, application: await given.givePages(scene) })
    await client.passkeys.updateConnection({ org_domain, requirement: 'required' })
    const { request_id, error } = await given.passwords.challenge(scene)
    expect(error).toBe('passkey_required')
    const challenge = await given.ask(scene, { password_request_id: request_id })

    expect(await given.answer(challenge, usedBy(held, challenge))).toMatchObject({ user_id: scene.user.id })
  })

  test('of a colleague does not pass', async () => {
    const { scene, request_id: password_request_id } = await waiting()
    const { org_domain, application } = scene
    const colleague = await service.given.user({ org_domain })
    const { held } = await given.owner({ org_domain, application, user: colleague })
    const challenge = await given.ask(scene, { password_request_id })

    await expect(given.answer(challenge, usedBy(held, challenge))).rejects.toMatchObject(rejected)
    expect(await given.reasonsOf(scene)).toEqual(['passkey_wrong'])
  })

  test('passes for one sign-in, by whichever of two challenges', async () => {
    const { scene, held, request_id: password_request_id } = await waiting()
    const [first, second] = [
      await given.ask(scene, { password_request_id }),
      await given.ask(scene, { password_request_id }),
    ]
    expect(await given.answer(first, usedBy(held, first))).toMatchObject({ success: true })

    await expect(given.answer(second, usedBy(held, second))).rejects.toMatchObject(rejected)
    expect(await given.reasonsOf(scene)).toEqual(['sign_in_over'])
  })

  test('completes no sign-in of the pages of the service', async () => {
    const { scene } = await waiting()
    const { org_domain, user } = scene
    const { answer } = await pages.flows.signIn(scene)
    expect(answer.has('code')).toBe(false)
    const [row] = await service.query<{ id: string }>(
      'select id from pending_sign_ins where user_id = $1 and flow_id is not null',
      [user.id],
    )

    await expect(
      client.passkeys.createChallenge({ org_domain, password_request_id: row?.id ?? '' }),
    ).rejects.toMatchObject({ fields: [{ path: 'password_request_id', code: 'not_open' }] })
  })
})

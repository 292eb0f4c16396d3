import { describe, expect, test } from 'vitest'
import { answerOf, callback, goodPassword, isIn, type FlowScene } from '../given/flow-given.js'
import { startService } from '../given/harness.js'
import { comeByTestIdp, ssoPlace } from '../given/sso-newcomer-given.js'
import { passkeyGivenOf } from '../given/passkey-given.js'
import { pkcePair, type Seen } from '../given/visitor.js'
import { longTest } from '../sampled.js'
import { accountGivenOf } from './account-given.js'
import { exchange } from './code-given.js'
import { mfa } from './enrolling-given.js'

const service = await startService()
const client = await service.client()
const given = passkeyGivenOf(service, client)
const { flows } = given
const account = accountGivenOf(service, client)

const phr = { acr_values: 'phr' }
const adding = 'data-passkey="create"'
const asking = 'data-passkey="get"'

/** A sign-in of its own, at its first page or wherever the browser's session leads. */
async function begin(scene: FlowScene, members: Record<string, string>, visitor = flows.visitorOf()) {
  const { verifier, challenge } = pkcePair()
  const { page } = await flows.begin(scene, { code_challenge: challenge, ...members }, visitor)
  return { scene, visitor, page, verifier }
}

type Begun = Awaited<ReturnType<typeof begin>>

async function afterPassword(scene: FlowScene, members: Record<string, string> = phr): Promise<Begun> {
  const at = await begin(scene, members)
  const asked = await at.visitor.press(at.page, 'identify', { email: scene.user.email })
  return { ...at, page: await at.visitor.press(asked, 'password', { password: goodPassword }) }
}

/** A user with an app and a passkey, signed in with the code. */
async function withBoth() {
  const scene = await flows.enrolledScene()
  const { visitor, page } = await afterPassword(scene, {})
  await visitor.press(page, 'totp', { code: flows.totp.codeOf(scene.app) })
  const on = await visitor.visit(given.addressOf(scene))
  const held = given.authenticator()
  await visitor.press(on, 'add', { credential: held.create(given.asked(on)) })
  return { scene, held, visitor }
}

function claimsOf(token: unknown): Record<string, unknown> {
  const [, payload = ''] = String(token).split('.')
  return JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>
}

/** What the tokens of a finished sign-in say of its strength. */
async function strengthOf({ scene, verifier }: Begun, landed: Seen) {
  const { body } = await exchange(service, {
    code: answerOf(landed).get('code') ?? '',
    code_verifier: verifier,
    client_id: scene.application.client_id,
    redirect_uri: callback,
  })
  const { acr, amr } = claimsOf(body.id_token)
  expect(claimsOf(body.access_token)['acr']).toBe(acr)
  return { acr, amr }
}

async function reasonsOf({ org_domain }: FlowScene) {
  const { data } = await client.logEvents.list({ org_domain })
  return data.flatMap(({ event_code, reason }) => (event_code === 'END_USER_SIGN_IN_FAILED' ? [reason] : []))
}

describe('an application that demands a sign-in which cannot be phished', () => {
  test('is told where its user goes back without adding a passkey, once', async () => {
    const scene = await flows.scene()
    const { visitor, page } = await afterPassword(scene)
    expect(page.html).toContain(adding)
    expect(page.html).toContain(`Back to ${scene.application.name}`)

    const landed = await visitor.press(page, 'cancel')

    expect(landed.location?.startsWith(callback)).toBe(true)
    expect(Object.fromEntries(answerOf(landed))).toMatchObject({ error: 'access_denied', state: 'state-1' })
    expect(visitor.sessionSecret()).toBeUndefined()
    expect(await reasonsOf(scene)).toEqual(['passkey_expected'])
    expect((await visitor.send(page, 'cancel')).status).toBe(404)
  })

  test('is led back to by no page that adds a passkey for the organization', async () => {
    const scene = await flows.scene()
    await client.passkeys.updateConnection({
      ...{ org_domain: scene.org_domain, requirement: 'required', grace_days: 0 },
    })
    const { visitor, page } = await afterPassword(scene, {})
    expect(page.html).toContain(adding)
    expect(page.html).not.toContain('value="cancel"')

    const after = await visitor.press(page, 'cancel')

    expect(after.html).toContain(adding)
    expect(await reasonsOf(scene)).toEqual([])
  })

  test('is told where its user goes back without using the passkey, also where that is blocked', async () => {
    const { scene } = await given.withPasskey()
    const back = `Back to ${scene.application.name}`
    const asked = await afterPassword(scene)
    expect(asked.page.html).toContain(asking)
    await service.query('update passkeys set disabled_at = now() where user_id = $1', [scene.user.id])
    const blocked = await afterPassword(scene)
    expect(blocked.page.html).toContain('Your passkey was blocked')

    for (const { visitor, page } of [asked, blocked]) {
      expect(page.html).toContain(back)
      const landed = await visitor.press(page, 'cancel')
      expect(landed.location?.startsWith(callback)).toBe(true)
      expect(Object.fromEntries(answerOf(landed))).toMatchObject({
        error: 'access_denied',
        error_description: 'the user has not used the passkey that the application demands',
        state: 'state-1',
      })
      expect(visitor.sessionSecret()).toBeUndefined()
      expect((await visitor.send(page, 'cancel')).status).toBe(404)
    }

    expect(await reasonsOf(scene)).toEqual(['passkey_expected', 'passkey_expected'])
  })

  test('is told where its user goes back from the code that comes before the passkey', async () => {
    const scene = await flows.enrolledScene()
    const { visitor, page } = await afterPassword(scene)
    const wrong = await visitor.press(page, 'totp', { code: '' })
    for (const one of [page, wrong]) expect(one.html).toContain(`Back to ${scene.application.name}`)

    const landed = await visitor.press(wrong, 'cancel')

    expect(answerOf(landed).get('error')).toBe('access_denied')
  })

  test('is led back to by no page that asks for a passkey where a code would do, nor by that of the account page', async () => {
    const { scene } = await given.withPasskey()
    const demanded = await afterPassword(scene, mfa)
    const { visitor } = await flows.signIn(scene)
    const ofAccount = { visitor, page: await visitor.visit(given.addressOf(scene)) }
    for (const at of [demanded, ofAccount]) {
      expect(at.page.html).toContain(asking)
      expect(at.page.html).not.toContain('value="cancel"')

      const after = await at.visitor.press(at.page, 'cancel')

      expect([after.status, after.url]).toEqual([200, at.page.url])
    }
    expect(await reasonsOf(scene)).toEqual([])
  })

  test('has one way back at the issuer of the account, which tells it', async () => {
    const scene = await account.scene()
    await given.withPasskey(scene)
    const visitor = flows.visitorOf()

    const page = await account.pass(scene, await visitor.visit(account.authorizeUrl(scene, phr)), visitor)

    expect(page.html.split(`Back to ${scene.application.name}`)).toHaveLength(2)
    const landed = await visitor.press(page, 'cancel')
    expect(Object.fromEntries(answerOf(landed))).toMatchObject({
      error: 'access_denied',
      iss: account.issuer,
    })
  })

  test('gets one by a passkey alone, which is told as that where it is asked for', async () => {
    const { scene, held } = await given.withPasskey()
    const strengths = []
    for (const members of [phr, { acr_values: 'phr urn:portico:acr:mfa' }, {}]) {
      const at = await begin(scene, members)
      const credential = held.use(given.asked(at.page))
      strengths.push(await strengthOf(at, await at.visitor.press(at.page, 'passkey', { credential })))
    }
    const amr = ['pop', 'user', 'mfa']
    expect(strengths).toEqual([
      { acr: 'phr', amr },
      { acr: 'phr', amr },
      { acr: 'urn:portico:acr:mfa', amr },
    ])
  })

  test('has who has a passkey and codes use the passkey after the password, whatever the form says', async () => {
    const { scene, held } = await withBoth()
    await service.clock.advance(30)

    const at = await afterPassword(scene)
    expect(at.page.html).toContain(asking)
    expect(at.page.html).not.toContain('name="code"')
    const refused = await at.visitor.press(at.page, 'totp', { code: flows.totp.codeOf(scene.app) })
    expect(answerOf(refused).get('error')).toBe('unmet_authentication_requirements')
    expect(await reasonsOf(scene)).toEqual(['passkey_expected'])

    const again = await afterPassword(scene)
    const credential = held.use(given.asked(again.page))
    const landed = await again.visitor.press(again.page, 'passkey', { credential })
    expect(await strengthOf(again, landed)).toEqual({ acr: 'phr', amr: ['pwd', 'pop', 'mfa'] })
  })

  test('has who has codes alone add a passkey after a code, and who has neither at once, and offers no codes', async () => {
    const withCodes = await flows.enrolledScene()
    const asked = await afterPassword(withCodes)
    expect(asked.page.html).not.toContain(adding)
    const code = flows.totp.codeOf(withCodes.app)
    const first = { ...asked, page: await asked.visitor.press(asked.page, 'totp', { code }) }
    const without = await flows.scene()
    await flows.totp.activate(without.org_domain)
    const second = await afterPassword(without)
    const strengths = []
    for (const at of [first, second]) {
      expect(at.page.html).toContain(adding)
      expect(at.page.html).not.toContain('value="enroll"')
      const credential = given.authenticator().create(given.asked(at.page))
      const added = await at.visitor.press(at.page, 'passkey', { credential })
      strengths.push(await strengthOf(at, await given.withCodesSaved(at.visitor, added)))
    }

    expect(strengths).toEqual([
      { acr: 'phr', amr: ['pwd', 'otp', 'pop', 'mfa'] },
      { acr: 'phr', amr: ['pwd', 'pop', 'mfa'] },
    ])
  })

  test('takes the passkey in addition to a session that has a code, and no other sign-in after it', async () => {
    const { scene, held, visitor } = await withBoth()

    const silent = await begin(scene, { ...phr, prompt: 'none' }, visitor)
    expect(answerOf(silent.page).get('error')).toBe('interaction_required')
    const at = await begin(scene, phr, visitor)
    expect(at.page.html).toContain(asking)
    const credential = held.use(given.asked(at.page))
    const landed = await visitor.press(at.page, 'passkey', { credential })
    expect(await strengthOf(at, landed)).toEqual({ acr: 'phr', amr: ['pwd', 'otp', 'pop', 'mfa'] })
    const next = await begin(scene, { ...phr, prompt: 'none' }, visitor)
    expect((await strengthOf(next, next.page)).acr).toBe('phr')
  })

  test('is satisfied with a code where it takes another value besides, and demands one by an essential claim', async () => {
    const scene = await flows.enrolledScene()
    const at = await afterPassword(scene, { acr_values: 'phr urn:portico:acr:mfa' })
    const landed = await at.visitor.press(at.page, 'totp', { code: flows.totp.codeOf(scene.app) })
    expect((await strengthOf(at, landed)).acr).toBe('urn:portico:acr:mfa')
    await service.clock.advance(30)

    const claims = JSON.stringify({ id_token: { acr: { essential: true, values: ['phr'] } } })
    const demanded = await afterPassword(scene, { claims })
    const next = await demanded.visitor.press(demanded.page, 'totp', { code: flows.totp.codeOf(scene.app) })
    expect([isIn(next), next.html.includes(adding)]).toEqual([false, true])
  })

  test('gets an error of an organization that has switched passkeys off, though it has codes', async () => {
    const scene = await flows.enrolledScene()
    await client.passkeys.updateConnection({ org_domain: scene.org_domain, active: false })

    const { page } = await begin(scene, phr)

    expect(answerOf(page).get('error')).toBe('unmet_authentication_requirements')
  })

  test('gets the error where passkeys are switched off before the password, and no page without a way on', async () => {
    const scene = await flows.scene()
    const at = await begin(scene, phr)
    const asked = await at.visitor.press(at.page, 'identify', { email: scene.user.email })
    await client.passkeys.updateConnection({ org_domain: scene.org_domain, active: false })

    const landed = await at.visitor.press(asked, 'password', { password: goodPassword })

    expect(answerOf(landed).get('error')).toBe('unmet_authentication_requirements')
  })

  test('gets the error before a password is renewed that should be another one', async () => {
    const scene = await flows.scene()
    const at = await begin(scene, phr)
    const asked = await at.visitor.press(at.page, 'identify', { email: scene.user.email })
    await client.passkeys.updateConnection({ org_domain: scene.org_domain, active: false })
    await client.password.updateConnection({ org_domain: scene.org_domain, plain_text_min_length: 40 })

    const landed = await at.visitor.press(asked, 'password', { password: goodPassword })

    expect(answerOf(landed).get('error')).toBe('unmet_authentication_requirements')
  })

  test('gets no acr but one that its essential claim names, and phr also by a claim that is not essential', async () => {
    const { scene, held } = await given.withPasskey()
    const twoFactors = mfa.acr_values
    const claimed = (acr: object) => JSON.stringify({ id_token: { acr } })
    const acrs = []
    const requests: Record<string, string>[] = [
      { acr_values: `phr ${twoFactors}`, claims: claimed({ essential: true, values: [twoFactors] }) },
      { claims: claimed({ values: ['phr', twoFactors] }) },
    ]
    for (const members of requests) {
      const at = await begin(scene, members)
      const credential = held.use(given.asked(at.page))
      acrs.push((await strengthOf(at, await at.visitor.press(at.page, 'passkey', { credential }))).acr)
    }

    expect(acrs).toEqual([twoFactors, 'phr'])
  })

  longTest('takes a passkey besides the identity provider of who comes by single sign-on', async () => {
    const { visitor, page } = await comeByTestIdp(flows, await ssoPlace(service, client), phr)

    expect(page.html).toContain(adding)
    const credential = given.authenticator().create(given.asked(page))
    const added = await visitor.press(page, 'passkey', { credential })
    expect(answerOf(await given.withCodesSaved(visitor, added)).has('code')).toBe(true)
  })
})

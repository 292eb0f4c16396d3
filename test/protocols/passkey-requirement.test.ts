import { followMagicLink } from '@portico/sdk'
import { describe, expect, test } from 'vitest'
import { answerOf, callback, goodPassword, isIn, type FlowScene } from '../given/flow-given.js'
import { discoveryGivenOf } from '../given/discovery-given.js'
import { anyEmail } from '../given/given.js'
import { startService } from '../given/harness.js'
import { comeByTestIdp, ssoPlace } from '../given/sso-newcomer-given.js'
import { usedBy } from '../given/own-page-given.js'
import { passkeyGivenOf } from '../given/passkey-given.js'
import type { Seen, Visitor } from '../given/visitor.js'
import { longTest } from '../sampled.js'
import { accountSignInGivenOf } from './account-sign-in-given.js'

const service = await startService()
const client = await service.client()
const given = passkeyGivenOf(service, client)
const account = accountSignInGivenOf(service, client)
const discoveries = discoveryGivenOf(service, client)
const { flows } = given

const adding = 'data-passkey="create"'
const asking = 'data-passkey="get"'
const notNow = 'name="action" value="not_now"'
const day = 24 * 60 * 60
const hour = 60 * 60

/** Has an organization demand passkeys. */
function demand({ org_domain }: Pick<FlowScene, 'org_domain'>, grace_days = 0) {
  return client.passkeys.updateConnection({ org_domain, requirement: 'required', grace_days })
}

async function demandingScene(graceDays?: number): Promise<FlowScene> {
  const scene = await flows.scene()
  await demand(scene, graceDays)
  return scene
}

/** A user with a passkey, of whom the organization demands one from now on. */
async function withDemandedPasskey() {
  const had = await given.withPasskey()
  await demand(had.scene)
  return had
}

/** The page after the password, of a sign-in of its own. */
async function afterPassword(
  scene: FlowScene,
  members: Record<string, string> = {},
  visitor = flows.visitorOf(),
) {
  const { page } = await flows.atPassword(scene, members, visitor)
  return { visitor, page: await visitor.press(page, 'password', { password: goodPassword }) }
}

/** The page after a link that was mailed, of a sign-in of its own. */
async function afterLink(scene: FlowScene) {
  const visitor = flows.visitorOf()
  const { page } = await flows.begin(scene, {}, visitor)
  await visitor.press(await visitor.press(page, 'identify', { email: scene.user.email }), 'mail_link')
  const opened = await account.links.open(await account.links.newestLinkTo(scene.user.email), visitor)
  return { visitor, page: await visitor.visit(opened.location ?? '') }
}

async function addOn(page: Seen, visitor: Visitor, held = given.authenticator()): Promise<Seen> {
  const credential = held.create(given.asked(page))
  return given.withCodesSaved(visitor, await visitor.press(page, 'passkey', { credential }))
}

describe('an organization that demands passkeys', () => {
  test('has who has none add one, which may be put off as long as the grace lasts', async () => {
    const scene = await demandingScene(14)
    const { visitor, page } = await afterPassword(scene)
    expect(page.html).toContain(adding)
    expect(page.html).toContain('You can do this later, until ')
    expect(isIn(await visitor.press(page, 'not_now'))).toBe(true)

    await service.clock.advance(14 * day)
    const due = await afterPassword(scene)

    expect(due.page.html).toContain(adding)
    expect(due.page.html).not.toContain(notNow)
    const refused = await due.visitor.press(due.page, 'not_now')
    expect([refused.status, isIn(refused)]).toEqual([422, false])
    expect(isIn(await addOn(refused, due.visitor))).toBe(true)
    expect(await given.passkeysOf(scene)).toHaveLength(1)
  })

  test('counts the grace from the switch, or from a later creation of the user', async () => {
    const scene = await demandingScene(1)
    await service.clock.advance(2 * day)
    // A second request for the same does not begin it anew.
    await demand(scene, 1)
    const email = anyEmail()
    const user = await client.users.create({ org_domain: scene.org_domain, email })

    expect((await afterPassword(scene)).page.html).not.toContain(notNow)
    expect((await afterLink({ ...scene, user })).page.html).toContain(notNow)
  })

  longTest('counts it anew where passkeys, or the demand, were switched off', async () => {
    const scene = await demandingScene(1)
    const { org_domain } = scene
    await service.clock.advance(2 * day)
    await client.passkeys.updateConnection({ org_domain, active: false })
    expect(isIn((await afterPassword(scene)).page)).toBe(true)
    await client.passkeys.updateConnection({ org_domain, active: true })
    expect((await afterPassword(scene)).page.html).toContain(notNow)

    await service.clock.advance(2 * day)
    expect((await afterPassword(scene)).page.html).not.toContain(notNow)
    await client.passkeys.updateConnection({ org_domain, requirement: 'optional' })
    expect(isIn((await afterPassword(scene)).page)).toBe(true)
    await demand(scene, 1)
    expect((await afterPassword(scene)).page.html).toContain(notNow)
  })

  test('asks for it after a password and after a link, and not after itself', async () => {
    const scene = await flows.scene()
    // The first proof of the mailbox ends passkeys of before.
    await afterLink(scene)
    const { held } = await given.withPasskey(scene)
    await demand(scene)
    for (const after of [afterPassword, afterLink]) {
      const { visitor, page } = await after(scene)
      expect(page.html).toContain(asking)
      expect(isIn(page)).toBe(false)
      const landed = await visitor.press(page, 'passkey', { credential: held.use(given.asked(page)) })
      expect(isIn(landed)).toBe(true)
    }

    const visitor = flows.visitorOf()
    const { page } = await flows.begin(scene, {}, visitor)

    expect(isIn(await visitor.press(page, 'passkey', { credential: held.use(given.asked(page)) }))).toBe(true)
  })

  longTest('asks nobody who comes by single sign-on', async () => {
    const place = await ssoPlace(service, client)
    await demand(place)

    const { page } = await comeByTestIdp(flows, place)

    expect(answerOf(page).has('code')).toBe(true)
  })

  test('has who has one that is blocked add none by the password, and says who can help', async () => {
    const { scene } = await withDemandedPasskey()
    await service.query('update passkeys set disabled_at = now() where user_id = $1', [scene.user.id])

    const { page } = await afterPassword(scene)

    expect([page.html.includes(adding), isIn(page)]).toEqual([false, false])
    expect(page.html).toContain('Contact your administrator, who can remove it')
  })

  test('takes a code in its place from who has enrolled one, as long as codes are on', async () => {
    const scene = await flows.enrolledScene()
    const { org_domain } = scene
    await demand(scene)
    const { visitor, page } = await afterPassword(scene)
    expect(page.html).not.toContain(adding)
    expect(isIn(await visitor.press(page, 'totp', { code: flows.totp.codeOf(scene.app) }))).toBe(true)

    await client.totp.updateConnection({ org_domain, active: false })

    const without = await afterPassword(scene)
    expect(without.page.html).toContain(adding)
    expect(isIn(await addOn(without.page, without.visitor))).toBe(true)
  })

  test('decides when the button is pressed, not when its page is shown', async () => {
    const scene = await demandingScene(1)
    await service.clock.advance(day - hour / 2)
    const { visitor, page } = await afterPassword(scene)
    expect(page.html).toContain(notNow)
    await service.clock.advance(hour / 2)

    expect((await visitor.press(page, 'not_now')).status).toBe(422)
  })

  test('decides once more when the sign-in ends', async () => {
    const scene = await flows.scene()
    const { visitor, page } = await afterPassword(scene, { prompt: 'consent' })
    expect(page.html).toContain('value="allow"')
    await demand(scene)

    const ended = await visitor.press(page, 'allow')

    expect([ended.status, isIn(ended)]).toEqual([403, false])
  })

  test('has a session of before take the passkey in addition, and one of who has none sign in anew', async () => {
    const had = await given.withPasskey()
    const { visitor } = await flows.signIn(had.scene)
    await demand(had.scene)
    expect(errorOf(await silent(had.scene, visitor))).toBe('interaction_required')
    const { page } = await flows.begin(had.scene, {}, visitor)
    expect(page.html).not.toContain('name="email"')
    const landed = await visitor.press(page, 'passkey', { credential: had.held.use(given.asked(page)) })
    expect(isIn(landed)).toBe(true)
    expect(isIn(await silent(had.scene, visitor))).toBe(true)

    const other = await flows.signIn()
    await demand(other.scene, 1)
    expect(isIn(await silent(other.scene, other.visitor))).toBe(true)
    await demand(other.scene, 0)
    expect(errorOf(await silent(other.scene, other.visitor))).toBe('login_required')
  })

  test('has a passkey that was added in the grace named without being asked for it', async () => {
    const scene = await demandingScene(14)
    const visitor = flows.visitorOf()
    const offered = await given.signInAt(visitor, await visitor.visit(given.addressOf(scene)), scene)
    const page = await visitor.press(offered, 'not_now')
    const added = await visitor.press(page, 'add', {
      credential: given.authenticator().create(given.asked(page)),
    })
    const [passkey] = await given.passkeysOf(scene)

    await visitor.press(added, 'rename', { passkey_id: passkey?.id ?? '', name: 'Mine' })

    expect(await given.passkeysOf(scene)).toMatchObject([{ name: 'Mine' }])
  })
})

describe('the last passkey of who has no code', () => {
  test('is not removed by its user while passkeys or a second factor are demanded, and by the API', async () => {
    const { scene, visitor, page } = await withDemandedPasskey()
    const { org_domain, user } = scene
    const [passkey] = await given.passkeysOf(scene)
    const remove = () => visitor.press(page, 'remove', { passkey_id: passkey?.id ?? '' })
    const refused = await remove()
    expect(refused.status).toBe(409)
    expect(refused.html).toContain('this passkey is your only means')
    await client.passkeys.updateConnection({ org_domain, requirement: 'optional' })
    await client.organizationPolicy.update({ org_domain, second_factor: 'required' })
    expect((await remove()).status).toBe(409)
    expect(await given.passkeysOf(scene)).toHaveLength(1)

    await client.passkeys.delete({ org_domain, user_id: user.id, passkey_id: passkey?.id ?? '' })

    expect(await given.passkeysOf(scene)).toEqual([])
  })

  test('is shown with the advice to add another one, or to get recovery codes, of which there are none', async () => {
    const { scene, visitor, page } = await withDemandedPasskey()
    const advice = 'You have no recovery codes: get some, or add another passkey'
    const alone = await visitor.visit(given.addressOf(scene))
    expect([page.html.includes(advice), alone.html.includes(advice)]).toEqual([false, true])

    await visitor.press(alone, 'add', { credential: given.authenticator().create(given.asked(alone)) })

    expect((await visitor.visit(given.addressOf(scene))).html).not.toContain(advice)
  })

  test('is removed where nothing demands it, or another one is there', async () => {
    const { scene, visitor, page } = await withDemandedPasskey()
    const [first] = await given.passkeysOf(scene)
    const added = await visitor.press(page, 'add', {
      credential: given.authenticator().create(given.asked(page)),
    })
    const after = await visitor.press(added, 'remove', { passkey_id: first?.id ?? '' })
    expect(after.status).toBe(200)
    const [second] = await given.passkeysOf(scene)
    await client.passkeys.updateConnection({ org_domain: scene.org_domain, requirement: 'optional' })

    expect((await visitor.press(after, 'remove', { passkey_id: second?.id ?? '' })).status).toBe(200)
    expect(await given.passkeysOf(scene)).toEqual([])
  })

  test('leaves a code where it is, which its user does not turn off', async () => {
    const scene = await flows.enrolledScene()
    await demand(scene)
    const visitor = flows.visitorOf()
    const address = given.addressOf(scene).replace('/passkeys', '/second-factor')
    const asked = await given.signInAt(visitor, await visitor.visit(address), scene)
    const page = await visitor.press(asked, 'totp', { code: flows.totp.codeOf(scene.app) })

    expect(page.html).toContain('it cannot be turned off')
    await visitor.press(page, 'remove')

    const { org_domain, user } = scene
    await expect(client.totp.removeEnrollment({ org_domain, user_id: user.id })).resolves.toBeDefined()
  })
})

describe('a passkey of a domain that the service has had before', () => {
  test('leaves a code where it is, which its user does not turn off while passkeys are demanded', async () => {
    const { scene } = await given.withPasskey()
    const { org_domain, user } = scene
    await service.query("update passkeys set rp_id = 'old.example' where user_id = $1", [user.id])
    await flows.totp.activate(org_domain)
    const { app } = await flows.totp.enroll({ org_domain, user_id: user.id })
    await service.clock.advance(30)
    await demand(scene)
    const visitor = flows.visitorOf()
    const address = given.addressOf(scene).replace('/passkeys', '/second-factor')
    const asked = await given.signInAt(visitor, await visitor.visit(address), scene)

    const page = await visitor.press(asked, 'totp', { code: flows.totp.codeOf(app) })

    expect(page.html).toContain('it cannot be turned off')
  })
})

describe('the API of an organization that demands passkeys', () => {
  test('says of a right password that the passkey is missing, or that there is none, and nothing of a wrong one', async () => {
    const scene = await demandingScene(1)
    const { org_domain, user } = scene
    const by = { org_domain, user_email: user.email }
    const challenge = () => client.password.createChallenge({ ...by, plain_text: goodPassword })
    expect(await challenge()).toMatchObject({ 'valid?': true })
    await service.clock.advance(day)
    await expect(challenge()).rejects.toMatchObject({ status: 403, code: 'passkey_enrollment_required' })

    const { visitor, page } = await afterPassword(scene)
    await addOn(page, visitor)

    expect(await challenge()).toMatchObject({
      ...{ 'valid?': false, error: 'passkey_required', user_id: user.id },
      request_id: expect.any(String) as string,
    })
    const wrong = await client.password.createChallenge({ ...by, plain_text: 'another passphrase 7' })
    expect(wrong).toMatchObject({ 'valid?': false, error: 'invalid_credentials', user_id: null })
  })

  test('takes the passkey on a page of an application of the same domain, by a challenge for the password', async () => {
    const { scene, held } = await withDemandedPasskey()
    const { org_domain, application, user } = scene
    await client.applications.update({
      ...{ org_domain, client_id: application.client_id, passkey_rp_id: 'localhost' },
      allowed_web_origins: [service.baseUrl],
    })
    const sent = { org_domain, user_email: user.email, application_id: application.id }
    const asked = await client.password.createChallenge({ ...sent, plain_text: goodPassword })
    const challenge = await client.passkeys.createChallenge({
      ...{ org_domain, application_id: application.id, password_request_id: asked.request_id },
    })

    const passed = await client.passkeys.validateChallenge({
      request_id: challenge.request_id,
      credential: usedBy(held, challenge),
    })

    expect(passed).toMatchObject({ user_id: user.id, code: expect.any(String) as string })
  })

  test('says the same of a link in its redirect, and a password that is set signs nobody in', async () => {
    const scene = await demandingScene()
    const { org_domain, user } = scene
    const by = { org_domain, user_email: user.email, redirect_uri: callback }
    const follow = async () => {
      const { magic_link } = await client.magicLink.createChallenge({ ...by, send_email: false })
      return followMagicLink(magic_link ?? '')
    }
    expect(await follow()).toMatchObject({ outcome: 'passkey_enrollment_required', userId: user.id })
    const { visitor, page } = await afterPassword(scene)
    await addOn(page, visitor)

    expect(await follow()).toMatchObject({ outcome: 'passkey_required', userId: user.id })
    const { request_id } = await client.password.createRequest(by)
    const asked = await client.magicLink.createChallenge({ ...by, request_id, send_email: false })
    const followed = await followMagicLink(asked.magic_link ?? '')
    if (followed.outcome !== 'password_code') expect.unreachable()
    const { passwordCode: password_code } = followed
    const set = await client.password.set({
      ...{ org_domain, user_email: user.email, password_code, plain_text: goodPassword },
    })
    expect(set.code).toBeNull()
  })

  test('has a discovery go on at the page that adds one', async () => {
    const { email: user_email, application, first } = await account.inTwo()
    await demand(first)
    const { org_domain } = first
    await client.discovery.createChallenge({ user_email, application_id: application.id })
    const link = await account.links.newestLinkTo(user_email)
    const found = await client.discovery.exchange({ discovery_code: await discoveries.codeOf(link) })

    const at = { discovery_token: found.discovery_token, org_domain, redirect_uri: callback }
    const { code, continue_url } = await client.discovery.enter(at)

    expect(found.organizations.map(({ second_factor }) => second_factor).toSorted()).toEqual([false, true])
    expect(code).toBeNull()
    const browser = flows.visitorOf()
    const gone = await discoveries.press(continue_url ?? '', browser)
    expect((await browser.visit(gone.location ?? '')).html).toContain(adding)
  })
})

describe('an organization whose policy demands a second factor', () => {
  test.each([
    ['in its grace', 14],
    ['after it', 0],
  ])(
    'asks who has a passkey alone for it %s, in the API and of an open session, too',
    async (_, graceDays) => {
      const { scene } = await given.withPasskey()
      const { org_domain, user } = scene
      const { visitor } = await flows.signIn(scene)
      await client.organizationPolicy.update({
        ...{ org_domain, second_factor: 'required', second_factor_grace_days: graceDays },
      })
      expect((await afterPassword(scene)).page.html).toContain(asking)

      const by = { org_domain, user_email: user.email, plain_text: goodPassword }
      expect(await client.password.createChallenge(by)).toMatchObject({
        ...{ 'valid?': false, error: 'passkey_required', user_id: user.id },
        request_id: expect.any(String) as string,
      })
      expect(errorOf(await silent(scene, visitor))).toBe('interaction_required')
    },
  )

  test('does not let who has added a passkey meanwhile put a second factor off', async () => {
    const scene = await flows.scene()
    const { org_domain } = scene
    await client.organizationPolicy.update({ org_domain, second_factor: 'required' })
    const { visitor, page } = await afterPassword(scene)
    expect(page.html).toContain(notNow)
    const other = await afterPassword(scene)
    await addOn(other.page, other.visitor)

    expect(isIn(await visitor.press(page, 'not_now'))).toBe(false)
  })
})

/** What is asked after a password, for each state of the demand and of the user. */
longTest(
  'the page after a password is the one that the demand and the factors of the user lead to',
  async () => {
    const pages: Record<string, string> = {}
    for (const requirement of ['optional', 'required'] as const)
      for (const graceDays of [0, 1])
        for (const hasPasskey of [false, true])
          for (const codes of ['off', 'on', 'enrolled'] as const) {
            const scene = await flows.scene()
            const { org_domain, user } = scene
            if (hasPasskey) await given.withPasskey(scene)
            if (codes !== 'off') await flows.totp.activate(org_domain)
            if (codes === 'enrolled') await flows.totp.enroll({ org_domain, user_id: user.id })
            await client.passkeys.updateConnection({ org_domain, requirement, grace_days: graceDays })
            const state = [requirement, graceDays, hasPasskey ? 'passkey' : 'none', codes].join(' ')
            pages[state] = whatIs((await afterPassword(scene)).page)
          }

    expect(pages).toEqual({
      'optional 0 none off': 'in',
      'optional 0 none on': 'in',
      'optional 0 none enrolled': 'code',
      'optional 0 passkey off': 'in',
      'optional 0 passkey on': 'in',
      'optional 0 passkey enrolled': 'code, passkey',
      'optional 1 none off': 'in',
      'optional 1 none on': 'in',
      'optional 1 none enrolled': 'code',
      'optional 1 passkey off': 'in',
      'optional 1 passkey on': 'in',
      'optional 1 passkey enrolled': 'code, passkey',
      'required 0 none off': 'new passkey',
      'required 0 none on': 'new code, new passkey',
      'required 0 none enrolled': 'code',
      'required 0 passkey off': 'passkey',
      'required 0 passkey on': 'passkey',
      'required 0 passkey enrolled': 'code, passkey',
      'required 1 none off': 'new passkey, later',
      'required 1 none on': 'new code, new passkey, later',
      'required 1 none enrolled': 'code',
      'required 1 passkey off': 'passkey',
      'required 1 passkey on': 'passkey',
      'required 1 passkey enrolled': 'code, passkey',
    })
  },
  5 * 60_000,
)

function whatIs(page: Seen): string {
  if (isIn(page)) return 'in'
  const parts = [
    ['code', 'name="code"'],
    ['passkey', asking],
    ['new code', 'value="enroll"'],
    ['new passkey', adding],
    ['later', notNow],
  ]
  return parts.flatMap(([name = '', text = '']) => (page.html.includes(text) ? [name] : [])).join(', ')
}

/** A sign-in that may show no page. */
async function silent(scene: FlowScene, visitor: Visitor): Promise<Seen> {
  return (await flows.begin(scene, { prompt: 'none' }, visitor)).page
}

function errorOf(page: Seen): string | null {
  return answerOf(page).get('error')
}

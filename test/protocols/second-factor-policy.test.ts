import { followMagicLink } from '@portico/sdk'
import { describe, expect, test } from 'vitest'
import { answerOf, callback, goodPassword, isIn, type FlowScene } from '../given/flow-given.js'
import { anyEmail } from '../given/given.js'
import { startService } from '../given/harness.js'
import { comeByTestIdp, ssoPlace } from '../given/sso-newcomer-given.js'
import { whileHeld } from '../given/waiting.js'
import type { Seen, Visitor } from '../given/visitor.js'
import { accountSignInGivenOf } from './account-sign-in-given.js'
import { discoveryGivenOf } from '../given/discovery-given.js'
import { authorizeGivenOf } from './authorize-given.js'
import { enrollingGivenOf } from './enrolling-given.js'

const service = await startService()
const client = await service.client()
const given = authorizeGivenOf(service, client)
const account = accountSignInGivenOf(service, client)
const discoveries = discoveryGivenOf(service, client)
const { sceneToEnroll, atEnroll, begun, validated } = enrollingGivenOf(client, given)

const enrolling = 'Set up two-step verification'
const notNow = 'name="action" value="not_now"'
const day = 24 * 60 * 60
const hour = 60 * 60

/** Has the policy of an organization whose second factor is active demand one. */
function demand({ org_domain }: Pick<FlowScene, 'org_domain'>, second_factor_grace_days = 14) {
  return client.organizationPolicy.update({ org_domain, second_factor: 'required', second_factor_grace_days })
}

async function demandingScene(graceDays?: number): Promise<FlowScene> {
  const scene = await sceneToEnroll()
  await demand(scene, graceDays)
  return scene
}

/** A discovery by the link that is mailed. */
async function discoveredByMail(seeker: { readonly user_email: string; readonly application_id: string }) {
  await client.discovery.createChallenge(seeker)
  const link = await account.links.newestLinkTo(seeker.user_email)
  return client.discovery.exchange({ discovery_code: await discoveries.codeOf(link) })
}

/** A press of "Not now" on whichever page, as a crafted form sends it. */
function putOff(page: Seen, visitor: Visitor): Promise<Seen> {
  return visitor.press(page, 'not_now')
}

describe('a policy that demands a second factor', () => {
  test('has users enrol one, who may put it off as long as its grace lasts', async () => {
    const scene = await demandingScene()
    const { visitor, page } = await atEnroll(scene, {})
    expect(page.html).toContain(enrolling)
    expect(page.html).toContain('You can do this later, until ')
    expect(isIn(await putOff(page, visitor))).toBe(true)

    await service.clock.advance(14 * day)
    const due = await atEnroll(scene, {})

    expect(due.page.html).toContain(enrolling)
    expect(due.page.html).not.toContain(notNow)
    const refused = await putOff(due.page, due.visitor)
    expect([refused.status, isIn(refused)]).toEqual([422, false])
    expect(refused.html).toContain('This can no longer be done later')
    const { visitor: enrolled, codes } = await validated(scene, {})
    expect(isIn(await enrolled.press(codes, 'acknowledge', { acknowledged: 'true' }))).toBe(true)
  })

  test('is kept by a session that is looked up while its user enrols', async () => {
    const scene = await sceneToEnroll()
    const { visitor } = await given.signIn(scene)
    await given.totp.enroll({ org_domain: scene.org_domain, user_id: scene.user.id })
    const setValidated = (at: string) =>
      service.query(`update totp_enrollments set validated_at = ${at} where user_id = $1`, [scene.user.id])
    await setValidated('null')
    await demand(scene, 0)

    const answer = await whileHeld(
      service,
      ['lock table passkeys in access exclusive mode'],
      () => given.answerTo(scene, { prompt: 'none' }, visitor),
      () => setValidated('now()'),
    )

    expect(answer.get('error')).toBe('interaction_required')
  })

  test('counts the grace from the switch, or from a later creation of the user', async () => {
    const scene = await demandingScene(1)
    await service.clock.advance(2 * day)
    // A second request for the same does not begin it anew.
    await demand(scene, 1)
    const email = anyEmail()
    const user = await client.users.create({ org_domain: scene.org_domain, email })
    await client.organizations.update({ org_domain: scene.org_domain, locale: 'en' })

    const old = await atEnroll(scene, {})
    expect(old.page.html).not.toContain(notNow)
    const { visitor, page } = await given.begin({ ...scene, user })
    await visitor.press(await visitor.press(page, 'identify', { email }), 'mail_link')
    const link = await account.links.newestLinkTo(email)
    const fresh = await account.links.open(link, visitor)
    expect((await visitor.visit(fresh.location ?? '')).html).toContain(notNow)
  })

  test('decides when the button is pressed, not when its page is shown', async () => {
    const scene = await demandingScene(1)
    await service.clock.advance(day - hour / 2)
    const { visitor, page } = await atEnroll(scene, {})
    expect(page.html).toContain(notNow)
    await service.clock.advance(hour / 2)

    expect((await putOff(page, visitor)).status).toBe(422)
    expect(isIn(await visitor.visit(page.url))).toBe(false)
  })

  test('decides once more when the sign-in ends', async () => {
    const scene = await demandingScene(1)
    await service.clock.advance(day - hour / 2)
    const { visitor, page } = await atEnroll(scene, { prompt: 'consent' })
    const consent = await putOff(page, visitor)
    expect(consent.html).toContain('value="allow"')
    await service.clock.advance(hour / 2)

    const ended = await visitor.press(consent, 'allow')

    expect([ended.status, isIn(ended)]).toEqual([403, false])
  })

  test('is not put off where the application demands one, nor without one where another sign-in has enrolled it', async () => {
    const scene = await demandingScene()
    const demanded = await atEnroll(scene)
    expect(demanded.page.html).not.toContain(notNow)
    expect((await putOff(demanded.page, demanded.visitor)).status).toBe(422)

    const { visitor, page } = await atEnroll(scene, {})
    await validated(scene, {})
    expect(isIn(await putOff(page, visitor))).toBe(false)
    expect(isIn(await visitor.visit(page.url))).toBe(false)
  })

  test('lets a session of before go on during the grace, and has it sign in and enrol then', async () => {
    const scene = await sceneToEnroll()
    await client.organizationPolicy.update({
      org_domain: scene.org_domain,
      session_lifetime_in_seconds: 30 * day,
      session_idle_in_seconds: 30 * day,
    })
    const { visitor } = await given.signIn(scene)
    await demand(scene)
    expect((await given.answerTo(scene, { prompt: 'none' }, visitor)).has('code')).toBe(true)
    await service.clock.advance(14 * day)

    expect((await given.answerTo(scene, { prompt: 'none' }, visitor)).get('error')).toBe('login_required')
    const { page } = await given.atPassword(scene, {}, visitor)
    expect((await visitor.press(page, 'password', { password: goodPassword })).html).toContain(enrolling)
  })

  test('asks nothing of who has a second factor, or comes by SSO', async () => {
    const scene = await given.enrolledScene()
    await demand(scene, 0)
    const { visitor, page } = await given.atPassword(scene)
    const asked = await visitor.press(page, 'password', { password: goodPassword })
    expect(isIn(await visitor.press(asked, 'totp', { code: given.totp.codeOf(scene.app) }))).toBe(true)

    const place = await ssoPlace(service, client)
    await given.totp.activate(place.org_domain)
    await demand(place, 0)
    expect(answerOf((await comeByTestIdp(given, place)).page).has('code')).toBe(true)
  })

  test('is not met by codes that the organization has switched off since', async () => {
    const scene = await given.enrolledScene()
    const { org_domain, user } = scene
    await demand(scene, 0)
    await client.totp.updateConnection({ org_domain, active: false })

    const { page } = await atEnroll(scene, {})

    expect(page.html).toContain('data-passkey="create"')
    const by = { org_domain, user_email: user.email, plain_text: goodPassword }
    await expect(client.password.createChallenge(by)).rejects.toMatchObject({ status: 403 })
  })

  test('is not met by a mailbox that was proved for an earlier sign-in', async () => {
    const { email, application, first, visitor } = await account.inTwo()
    await given.totp.activate(first.org_domain)
    await demand(first, 0)
    const enter = async (list: Seen) => account.enter(list, first.org_domain, visitor)
    expect((await enter(await account.prove(application, email, visitor))).html).toContain(enrolling)
    await service.clock.advance(hour / 2)

    const page = await enter(await account.begin(application, visitor))

    expect(page.html).not.toContain(enrolling)
    expect(isIn(page)).toBe(false)
  })

  test('is met in the API before a password or a link leads to a code', async () => {
    const scene = await demandingScene(1)
    const { org_domain, user } = scene
    const by = { org_domain, user_email: user.email }
    const challenge = () => client.password.createChallenge({ ...by, plain_text: goodPassword })
    expect(await challenge()).toMatchObject({ 'valid?': true, code: expect.any(String) as string })
    await service.clock.advance(day)

    await expect(challenge()).rejects.toMatchObject({ status: 403, code: 'totp_enrollment_required' })
    await expect(
      client.password.createChallenge({ ...by, plain_text: 'another passphrase 7' }),
    ).resolves.toMatchObject({ 'valid?': false })
    const redirect_uri = callback
    const { magic_link } = await client.magicLink.createChallenge({ ...by, redirect_uri, send_email: false })
    expect(await followMagicLink(magic_link ?? '')).toMatchObject({
      outcome: 'totp_enrollment_required',
      userId: user.id,
    })

    const { request_id } = await client.password.createRequest({ ...by, redirect_uri })
    const asked = await client.magicLink.createChallenge({ ...by, request_id, send_email: false })
    const followed = await followMagicLink(asked.magic_link ?? '')
    if (followed.outcome !== 'password_code') expect.unreachable()
    const { passwordCode: password_code } = followed
    const set = await client.password.set({ ...by, password_code, plain_text: goodPassword })
    expect(set.code).toBeNull()

    const enrolled = await given.totp.enroll({ org_domain, user_id: user.id })
    expect(enrolled.recoveryCodes).toHaveLength(5)
    expect(await challenge()).toMatchObject({ 'valid?': false, error: 'totp_required' })
  })

  test.each([
    ['at the page that enrols', true],
    ['at another mail, where its link was in an answer, which proves nobody to be there', false],
  ])('has a discovery go on %s', async (_, isLinkMailed) => {
    const { email: user_email, application, first } = await account.inTwo()
    await given.totp.activate(first.org_domain)
    await demand(first, 0)
    const { org_domain } = first

    const seeker = { user_email, application_id: application.id }
    const found = isLinkMailed ? await discoveredByMail(seeker) : await discoveries.discover(seeker)
    const at = { discovery_token: found.discovery_token, org_domain, redirect_uri: callback }
    const { code, continue_url } = await client.discovery.enter(at)

    expect(found.organizations.map(({ second_factor }) => second_factor).toSorted()).toEqual([false, true])
    expect(code).toBeNull()
    const browser = given.visitorOf()
    const gone = await discoveries.press(continue_url ?? '', browser)
    const page = await browser.visit(gone.location ?? '')
    expect([page.html.includes(enrolling), isIn(page)]).toEqual([isLinkMailed, false])
  })

  test('ends with the policy, also for a sign-in that waits at the page', async () => {
    const scene = await demandingScene(0)
    const { visitor, page } = await begun(scene, {})
    await client.organizationPolicy.update({ org_domain: scene.org_domain, second_factor: 'optional' })

    expect(isIn(await putOff(page, visitor))).toBe(true)
  })
})

describe('the second factor of an organization', () => {
  test('is on where the policy demands it, and is not switched off then', async () => {
    const { org_domain } = await given.scene()
    await client.passkeys.updateConnection({ org_domain, active: false })
    const fields = (path: string) => ({ fields: [expect.objectContaining({ path })] as unknown })
    await expect(demand({ org_domain })).rejects.toMatchObject({ status: 422, ...fields('second_factor') })
    await given.totp.activate(org_domain)
    await demand({ org_domain })

    const off = client.totp.updateConnection({ org_domain, active: false })

    await expect(off).rejects.toMatchObject({ status: 422, ...fields('active') })
    await client.organizationPolicy.update({ org_domain, second_factor: 'optional' })
    await expect(client.totp.updateConnection({ org_domain, active: false })).resolves.toMatchObject({
      active: false,
    })
  })

  test('is awaited by a policy that demands it while a change switches it off', async () => {
    const { org_domain } = await given.scene()
    await client.passkeys.updateConnection({ org_domain, active: false })
    await given.totp.activate(org_domain)
    const off = `update totp_connections set active = false
      where (account_id, organization_id) = (select account_id, id from organizations where domain = $1)`

    const demanded = whileHeld(service, [off, org_domain], () => demand({ org_domain }))

    await expect(demanded).rejects.toMatchObject({ status: 422 })
  })

  test('is never off under a policy that demands it, however many change both at once', async () => {
    const { org_domain } = await given.scene()
    await client.passkeys.updateConnection({ org_domain, active: false })
    await given.totp.activate(org_domain)
    const changes = [...Array(20).keys()].map((index) =>
      index % 2 === 0 ? demand({ org_domain }) : client.totp.updateConnection({ org_domain, active: false }),
    )

    const outcomes = await Promise.allSettled(changes)

    const { active } = await client.totp.getConnection({ org_domain })
    const { second_factor } = await client.organizationPolicy.get({ org_domain })
    expect([active, second_factor]).toEqual(active ? [true, 'required'] : [false, 'optional'])
    expect(outcomes.some(({ status }) => status === 'fulfilled')).toBe(true)
  })
})

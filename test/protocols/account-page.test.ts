import { accountPageIds } from '@portico/contract/sessions'
import { describe, expect, test } from 'vitest'
import { readKeyUri } from '../given/authenticator.js'
import { flowGivenOf, goodPassword, isIn, type FlowScene } from '../given/flow-given.js'
import { startService } from '../given/harness.js'
import { anyEmail } from '../given/given.js'
import { scimGivenOf } from '../given/scim-given.js'
import { stepSeconds } from '../given/totp-given.js'
import { csrfOf, pkcePair, type Seen, type Visitor } from '../given/visitor.js'
import { exchange } from './code-given.js'

const service = await startService()
const client = await service.client()
const given = flowGivenOf(service, client)

type Section = 'profile' | 'password' | 'second-factor'

const staleMinutes = 11
const otherPassword = `${goodPassword} and nineteen sails`

function addressOf({ org_domain }: Pick<FlowScene, 'org_domain'>, section?: Section): string {
  return `/t/${org_domain}/account${section === undefined ? '' : `/${section}`}?environment=sandbox`
}

/** Signs in at the page that a visit of the account page has led to. */
async function signInAt(
  visitor: Visitor,
  page: Seen,
  { user }: FlowScene,
  password = goodPassword,
): Promise<Seen> {
  const asked = await visitor.press(page, 'identify', { email: user.email })
  return visitor.press(asked, 'password', { password })
}

/** A user who has just signed in to a section of their account page. */
async function givenSection(section: Section, scene?: FlowScene) {
  const of = scene ?? (await given.scene())
  await client.sessions.endAll({ org_domain: of.org_domain, user_id: of.user.id })
  const visitor = given.visitorOf()
  const page = await signInAt(visitor, await visitor.visit(addressOf(of, section)), of)
  return { scene: of, visitor, page }
}

async function isPasswordOf(scene: FlowScene, password: string): Promise<boolean> {
  const visitor = given.visitorOf()
  const { page } = await given.begin(scene, {}, visitor)
  return isIn(await signInAt(visitor, page, scene, password))
}

async function sessionsOf({ org_domain, user }: FlowScene) {
  return (await client.sessions.list({ org_domain, user_id: user.id })).data
}

async function hasSecondFactor({ user }: FlowScene): Promise<boolean> {
  const rows = await service.query(
    'select from totp_enrollments where user_id = $1 and validated_at is not null',
    [user.id],
  )
  return rows.length > 0
}

/** Begins an enrolment, and reads the app's key from the page. */
async function begunOn(page: Seen, visitor: Visitor) {
  const shown = await visitor.press(page, 'enroll')
  const [, uri = ''] = /href="(otpauth:[^"]+)"/.exec(shown.html) ?? []
  return { shown, app: readKeyUri(uri.replaceAll('&amp;', '&')) }
}

/** Enrols an app on the page. */
async function enrolledOn(page: Seen, visitor: Visitor) {
  const { shown, app } = await begunOn(page, visitor)
  return { app, codes: await visitor.press(shown, 'validate', { code: given.totp.codeOf(app) }) }
}

describe('the account page', () => {
  test('begins a sign-in where there is no session, and is where it ends', async () => {
    const { scene, page } = await givenSection('profile')

    expect(page).toMatchObject({ status: 200, url: `${service.baseUrl}${addressOf(scene, 'profile')}` })
    expect(await sessionsOf(scene)).toMatchObject([{ client_id: accountPageIds.sandbox }])
  })

  test('leads to its sections and to the sessions, without a sign-in in between', async () => {
    const { scene, visitor } = await givenSection('profile')
    const page = await visitor.visit(addressOf(scene))
    const links = [...page.html.matchAll(/<a href="([^"]+)"/g)].map(([, url = '']) =>
      url.replaceAll('&amp;', '&'),
    )
    const own = links.filter(
      (url) => url.startsWith(`/t/${scene.org_domain}/`) && !url.includes('ui_locales'),
    )

    expect(own).toHaveLength(5)
    for (const url of own) expect(await visitor.request(url)).toMatchObject({ status: 200, location: null })
  })

  test('has a client that is in no list and no total, that no key reads, and whose code nobody can exchange', async () => {
    const scene = await given.scene()
    const before = await client.applications.list({ org_domain: scene.org_domain })
    const visitor = given.visitorOf()
    await signInAt(visitor, await visitor.visit(addressOf(scene)), scene)

    expect(await client.applications.list({ org_domain: scene.org_domain })).toMatchObject({
      total: before.total,
    })
    const client_id = accountPageIds.sandbox
    await expect(client.applications.get({ org_domain: scene.org_domain, client_id })).rejects.toMatchObject({
      status: 404,
    })
    const redirect_uri = `${service.baseUrl}/account/signed-in`
    const { verifier, challenge } = pkcePair()
    const members = { client_id, redirect_uri, prompt: 'none', code_challenge: challenge }
    const { location } = await visitor.request(given.authorizeUrl(scene, members))
    const code = new URL(location ?? '').searchParams.get('code') ?? ''
    const answer = await exchange(service, { code, code_verifier: verifier, client_id, redirect_uri })
    expect(code).not.toBe('')
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_grant'])
  })

  test.each([
    'https://evil.example/',
    '//evil.example/t/acme/account?environment=sandbox',
    '/t/acme/../../account?environment=sandbox',
    '/t/acme/account/profile?environment=sandbox&next=https://evil.example',
    '/console',
    '',
  ])('is left for no other page after a sign-in: %j', async (state) => {
    const visitor = given.visitorOf()
    const seen = await visitor.request(`/account/signed-in?${new URLSearchParams({ state }).toString()}`)

    expect(seen).toMatchObject({ status: 403, location: null })
  })

  test('does not send a browser round in circles that has no session after a sign-in', async () => {
    const scene = await given.scene()
    const state = addressOf(scene)
    const seen = await given
      .visitorOf()
      .request(`/account/signed-in?${new URLSearchParams({ state }).toString()}`)

    expect(seen).toMatchObject({ status: 401, location: null })
  })
})

describe('the name on the account page', () => {
  test('is changed by its user, with an event in their name, however long ago they signed in', async () => {
    const { scene, visitor, page } = await givenSection('profile')
    await service.clock.advance(30 * 60)
    const names = { given_name: 'Ada', family_name: 'Lovelace', nickname: '' }
    const after = await visitor.press(page, 'save', names)

    expect(after.html).toContain('value="Lovelace"')
    const { org_domain, user } = scene
    expect(await client.users.get({ org_domain, user_id: user.id })).toMatchObject({
      profile: { given_name: 'Ada', family_name: 'Lovelace', nickname: null },
    })
    const [event] = await service.query<{ actor_type: string; actor_id: string }>(
      `select actor_type, actor_id from events
       where subject_id = $1 and code = 'user.user.update.success' order by issued_at desc limit 1`,
      [user.id],
    )
    expect(event).toEqual({ actor_type: 'user', actor_id: user.id })
  })

  test('is not changed where a directory writes it: the page offers nothing, and a form has no effect', async () => {
    const at = await given.scene()
    const { scim } = await scimGivenOf(client).directory({ org_domain: at.org_domain })
    const userName = anyEmail()
    await scim('POST', '/Users', { body: { userName, name: { givenName: 'Grace', familyName: 'Hopper' } } })
    const user = await client.users.getByEmail({ org_domain: at.org_domain, user_email: userName })
    await given.passwords.set({ ...at, user })
    const { scene, visitor, page } = await givenSection('profile', { ...at, user })
    expect(page.html).toContain('Hopper')
    expect(page.html).not.toContain('name="family_name"')

    const form = await visitor.visit(addressOf(scene, 'password'))
    const body = new URLSearchParams({ csrf: csrfOf(form.html), action: 'save', family_name: 'Lovelace' })
    const headers = { origin: service.baseUrl }
    const sent = await visitor.request(addressOf(scene, 'profile'), { method: 'POST', headers, body })

    expect(sent.status).toBe(303)
    expect(await client.users.get({ org_domain: at.org_domain, user_id: user.id })).toMatchObject({
      profile: { given_name: 'Grace', family_name: 'Hopper' },
    })
  })

  test('that is too long is refused beside its field, and nothing is changed', async () => {
    const { scene, visitor, page } = await givenSection('profile')
    const after = await visitor.press(page, 'save', { given_name: 'Ada', family_name: 'L'.repeat(101) })

    expect(after).toMatchObject({ status: 422 })
    expect(after.html).toContain('id="family_name-fault"')
    expect(
      await client.users.get({ org_domain: scene.org_domain, user_id: scene.user.id }),
    ).not.toMatchObject({ profile: { given_name: 'Ada' } })
  })
})

describe('the password on the account page', () => {
  test('is changed after a fresh sign-in, ends every other session, and is told by mail', async () => {
    const { scene, visitor, page } = await givenSection('password')
    await given.signIn(scene)
    expect(await sessionsOf(scene)).toHaveLength(2)

    const after = await visitor.press(page, 'set_password', { password: otherPassword })

    expect(after).toMatchObject({ status: 200 })
    expect(await sessionsOf(scene)).toMatchObject([{ client_id: accountPageIds.sandbox }])
    expect(await visitor.request(addressOf(scene))).toMatchObject({ status: 200 })
    expect([await isPasswordOf(scene, goodPassword), await isPasswordOf(scene, otherPassword)]).toEqual([
      false,
      true,
    ])
    await service.runJobs()
    const { data } = await client.outbox.list({ to: scene.user.email })
    expect(data.map(({ subject }) => subject)).toContainEqual(expect.stringContaining('was set'))
  })

  test('keeps its rules: a common one is refused beside the field', async () => {
    const { scene, visitor, page } = await givenSection('password')
    const after = await visitor.press(page, 'set_password', { password: 'password1234' })

    expect(after).toMatchObject({ status: 422 })
    expect(await isPasswordOf(scene, goodPassword)).toBe(true)
  })

  test('asks for a new sign-in after ten minutes, and comes back', async () => {
    const { scene, visitor } = await givenSection('profile')
    await service.clock.advance(staleMinutes * 60)

    const asked = await visitor.visit(addressOf(scene, 'password'))

    expect(asked.url).toContain(`/t/${scene.org_domain}/sign-in/`)
    const back = await signInAt(visitor, asked, scene)
    expect(back.url).toBe(`${service.baseUrl}${addressOf(scene, 'password')}`)
  })

  test('is not changed by a form that is sent later than that, nor by a session that has ended', async () => {
    const { scene, visitor, page } = await givenSection('password')
    await service.clock.advance(staleMinutes * 60)

    const late = await visitor.press(page, 'set_password', { password: otherPassword })
    const fresh = await signInAt(visitor, late, scene)
    await client.sessions.endAll({ org_domain: scene.org_domain, user_id: scene.user.id })
    const ended = await visitor.press(fresh, 'set_password', { password: otherPassword })

    for (const { url } of [late, ended]) expect(url).toContain(`/t/${scene.org_domain}/sign-in/`)
    expect(await isPasswordOf(scene, goodPassword)).toBe(true)
  })

  test('is not changed by a form of another site', async () => {
    const { scene, visitor, page } = await givenSection('password')
    const sent = await visitor.send(
      page,
      'set_password',
      { password: otherPassword },
      { origin: 'https://evil.example' },
    )
    const without = await visitor.send(page, 'set_password', { password: otherPassword, csrf: '' })

    expect([sent.status, without.status]).toEqual([403, 403])
    expect(await isPasswordOf(scene, goodPassword)).toBe(true)
  })

  test('is not offered where the organization signs in without', async () => {
    const { scene, visitor, page } = await givenSection('password')
    await client.password.updateConnection({ org_domain: scene.org_domain, active: false })

    await visitor.press(page, 'set_password', { password: otherPassword })

    await client.password.updateConnection({ org_domain: scene.org_domain, active: true })
    expect(await isPasswordOf(scene, otherPassword)).toBe(false)
  })
})

describe('the second factor on the account page', () => {
  async function givenOffer() {
    const scene = await given.scene()
    await given.totp.activate(scene.org_domain)
    return givenSection('second-factor', scene)
  }

  test('is set up with its recovery codes, and asked for at the next sign-in', async () => {
    const { scene, visitor, page } = await givenOffer()
    const { codes } = await enrolledOn(page, visitor)

    expect(codes.html).toContain('id="codes"')
    const after = await visitor.press(codes, 'acknowledge', { acknowledged: 'true' })
    expect(after.status).toBe(200)
    expect(after.html).not.toContain('id="codes"')
    expect(await hasSecondFactor(scene)).toBe(true)
    const other = given.visitorOf()
    const asked = await signInAt(other, (await given.begin(scene, {}, other)).page, scene)
    expect(isIn(asked)).toBe(false)
  })

  test('is replaced after a sign-in with both factors: the sessions elsewhere end, and the old app is refused', async () => {
    const { scene, visitor, page } = await givenOffer()
    const { app } = await enrolledOn(page, visitor)
    await service.clock.advance(stepSeconds)
    const asked = await signInAt(visitor, await visitor.visit(addressOf(scene, 'second-factor')), scene)
    const there = await visitor.press(asked, 'totp', { code: given.totp.codeOf(app) })

    const { app: second, codes } = await enrolledOn(there, visitor)

    expect(codes.html).toContain('id="codes"')
    await service.clock.advance(stepSeconds)
    const at = { org_domain: scene.org_domain, user_id: scene.user.id }
    await given.totp.challenge(at)
    await expect(given.totp.answer(at, given.totp.codeOf(app))).rejects.toMatchObject({
      code: 'totp_code_rejected',
    })
    expect(await given.totp.answer(at, given.totp.codeOf(second))).toMatchObject({ success: true })
  })

  test('that was enrolled since the sign-in is asked for before anything is changed', async () => {
    const { scene, visitor, page } = await givenOffer()
    await given.totp.enroll({ org_domain: scene.org_domain, user_id: scene.user.id })

    const refused = await visitor.press(page, 'enroll')

    expect(refused.url).toContain(`/t/${scene.org_domain}/sign-in/`)
  })

  test('takes no code for an enrolment that somebody else has begun, and counts wrong ones', async () => {
    const { scene, visitor, page } = await givenOffer()
    const { shown, app } = await begunOn(page, visitor)
    const again = await visitor.press(shown, 'validate', { code: given.totp.wrongCode(app) })
    expect(again).toMatchObject({ status: 422 })
    const [counted] = await service.query<{ pending_failures: number }>(
      'select pending_failures from totp_enrollments where user_id = $1',
      [scene.user.id],
    )
    expect(counted?.pending_failures).toBe(1)

    const other = await given.totp.begun({ org_domain: scene.org_domain, user_id: scene.user.id })
    const refused = await visitor.press(again, 'validate', { code: given.totp.codeOf(other.app) })

    expect(refused).toMatchObject({ status: 422 })
    expect(await hasSecondFactor(scene)).toBe(false)
  })

  test('is turned off, unless the organization demands one', async () => {
    const { scene, visitor, page } = await givenOffer()
    const { app } = await enrolledOn(page, visitor)
    await service.clock.advance(stepSeconds)
    const asked = await signInAt(visitor, await visitor.visit(addressOf(scene, 'second-factor')), scene)
    const there = await visitor.press(asked, 'totp', { code: given.totp.codeOf(app) })
    await client.organizationPolicy.update({ org_domain: scene.org_domain, second_factor: 'required' })

    await visitor.press(there, 'remove')
    expect(await hasSecondFactor(scene)).toBe(true)

    await client.organizationPolicy.update({ org_domain: scene.org_domain, second_factor: 'optional' })
    const after = await visitor.press(there, 'remove')
    expect(after).toMatchObject({ status: 200 })
    expect(await hasSecondFactor(scene)).toBe(false)
    expect(await sessionsOf(scene)).toHaveLength(1)
  })
})

import { describe, expect, test } from 'vitest'
import { answerOf, callback, flowGivenOf, goodPassword, type FlowScene } from '../given/flow-given.js'
import { aCode, flowLinkGivenOf } from '../given/flow-link-given.js'
import { anyEmail } from '../given/given.js'
import { startService } from '../given/harness.js'
import { longTest, sampled } from '../sampled.js'
import type { Seen, Visitor } from '../given/visitor.js'

const otherPassword = 'copper meadow 17 whispers'
const deadText = 'This link no longer works'

const service = await startService()
const client = await service.client()
const given = flowGivenOf(service, client)
const links = flowLinkGivenOf(service, client, given)

/** The page on which a password is chosen, after the button of a link of that flow. */
async function atSetPassword(of?: FlowScene, opener?: Visitor, email?: string) {
  const sent = await links.linkSent(of, { action: 'forgot_password', ...(email !== undefined && { email }) })
  const visitor = opener ?? sent.visitor
  const opened = await links.open(sent.link, visitor)
  return { ...sent, opener: visitor, opened, form: await visitor.visit(opened.location ?? '') }
}

function codeOf({ url }: Pick<Seen, 'url'>): string {
  return new URL(url).searchParams.get('password_code') ?? ''
}

/** Submits the form of the page. */
function choose(visitor: Visitor, form: Seen, password: string, password_code = codeOf(form)): Promise<Seen> {
  return visitor.send(form, 'set_password', { password, password_code })
}

async function isPasswordRight({ org_domain, user }: FlowScene, plain_text: string): Promise<boolean> {
  const answer = await client.password.createChallenge({ org_domain, user_email: user.email, plain_text })
  return answer['valid?'] || answer.error === 'totp_required'
}

describe('a forgotten password', () => {
  longTest('is set by a link in the same browser, where the sign-in then goes on', async () => {
    const { scene, visitor, opened, form } = await atSetPassword()
    expect(opened.location).toBe(
      `${service.baseUrl}/t/${scene.org_domain}/set-password?password_code=${codeOf(form)}`,
    )

    const set = await choose(visitor, form, otherPassword)

    expect(set.status).toBe(303)
    expect(answerOf(await visitor.visit(set.location ?? '')).get('code')).toMatch(aCode)
    expect(await isPasswordRight(scene, goodPassword)).toBe(false)
    expect(await isPasswordRight(scene, otherPassword)).toBe(true)
  })

  longTest('is set in another browser, where nobody is signed in, nor in the first one', async () => {
    const scene = await given.scene()
    const other = given.visitorOf()
    const { page, form } = await atSetPassword(scene, other)

    const set = await choose(other, form, otherPassword)

    expect(set.status).toBe(200)
    expect(set.html).toContain('Your password has been saved')
    expect(other.sessionSecret()).toBeUndefined()
    expect(await links.stepOf(page)).toBe('link_sent')
    expect(await isPasswordRight(scene, otherPassword)).toBe(true)
  })

  longTest('does not stand in for the second factor', async () => {
    const scene = await given.enrolledScene()
    const { visitor, page, form } = await atSetPassword(scene)

    const set = await choose(visitor, form, otherPassword)

    expect(await links.stepOf(page)).toBe('totp')
    const asked = await visitor.visit(set.location ?? '')
    expect(visitor.sessionSecret()).toBeUndefined()
    const landed = await visitor.press(asked, 'totp', { code: given.totp.codeOf(scene.app) })
    expect(answerOf(landed).get('code')).toMatch(aCode)
  })

  test('ends every session of its user, and every sign-in under way', async () => {
    const scene = await given.scene()
    const before = await given.signIn(scene)
    const { visitor, form } = await atSetPassword(scene)

    await choose(visitor, form, otherPassword)

    const again = await before.visitor.visit(given.authorizeUrl(scene))
    expect(again.html).toContain('name="email"')
  })

  test('tells its user by mail', async () => {
    const { scene, visitor, form } = await atSetPassword()

    await choose(visitor, form, otherPassword)
    await service.runJobs()

    const { data } = await client.outbox.list({ to: scene.user.email })
    expect(data[0]?.subject).toContain('was set')
  })

  test('works while links do not sign in', async () => {
    const scene = await given.scene()
    await client.magicLink.updateConnection({ org_domain: scene.org_domain, active: false })
    const { visitor, form } = await atSetPassword(scene)

    expect((await choose(visitor, form, otherPassword)).status).toBe(303)
  })

  test('makes a user of an unknown address, where the organization says so', async () => {
    const scene = await given.scene()
    await client.magicLink.updateConnection({ org_domain: scene.org_domain, find_or_create_user: true })
    const email = anyEmail()
    const { visitor, form } = await atSetPassword(scene, undefined, email)

    const set = await choose(visitor, form, otherPassword)

    expect(set.status).toBe(303)
    const user = await client.users.getByEmail({ org_domain: scene.org_domain, user_email: email })
    expect(user).toMatchObject({ email_verified: true })
  })

  test('makes no user of an unknown address where links are off, and mails nothing', async () => {
    const scene = await given.scene()
    const { org_domain } = scene
    await client.magicLink.updateConnection({ org_domain, active: false, find_or_create_user: true })
    const email = `stranger-${scene.user.id}@example.com`
    await links.atLinkSent(scene, { email, action: 'forgot_password' })

    expect(await links.linksTo(email)).toEqual([])
    expect(await service.query('select 1 from users where email = $1', [email])).toEqual([])
  })

  test('makes no user by a link of before links were switched off', async () => {
    const scene = await given.scene()
    const { org_domain } = scene
    await client.magicLink.updateConnection({ org_domain, find_or_create_user: true })
    const email = `stranger-${scene.user.id}@example.com`
    const { visitor, link } = await links.linkSent(scene, { email, action: 'forgot_password' })
    await client.magicLink.updateConnection({ org_domain, active: false })
    await links.open(link, visitor)

    expect(await service.query('select 1 from users where email = $1', [email])).toEqual([])
  })

  test('does not take a sign-in on that has another address by now', async () => {
    const { visitor, page, form } = await atSetPassword()
    const identifier = await visitor.press(page, 'change_address')
    await visitor.press(identifier, 'identify', { email: anyEmail() })

    const set = await choose(visitor, form, otherPassword)

    expect(set.html).toContain('Your password has been saved')
    expect(await links.stepOf(page)).toBe('password')
  })
})

describe('the page that sets a password', () => {
  test('names the address for password managers, says the rules, and is kept nowhere', async () => {
    const { scene, form } = await atSetPassword()

    expect(form.html).toContain(scene.user.email)
    expect(form.html).toContain('name="password"')
    expect(form.headers.get('cache-control')).toBe('no-store')
    expect(form.headers.get('referrer-policy')).toBe('no-referrer')
  })

  test.each(sampled(['GET', 'HEAD'], 1))('is not used up by a %s', async (method) => {
    const { visitor, form } = await atSetPassword()

    await visitor.request(form.url, { method })

    expect((await choose(visitor, form, otherPassword)).status).toBe(303)
  })

  test('takes a code once, of eight that come together', async () => {
    const { scene, visitor, form } = await atSetPassword()

    const answers = await Promise.all(Array.from({ length: 8 }, () => choose(visitor, form, otherPassword)))

    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1)
    const late = await choose(visitor, form, goodPassword)
    expect(late.status).toBe(404)
    expect(late.html).toContain(deadText)
    expect(await isPasswordRight(scene, otherPassword)).toBe(true)
  })

  const refusals = [
    ['password1234', 'too common'],
    ['short', 'must be'],
    ['', 'must be'],
  ]
  test.each(sampled(refusals, 2))(
    'says what is wrong with %j, and takes another',
    async (password, sentence) => {
      const { visitor, form } = await atSetPassword()

      const refused = await choose(visitor, form, password)

      expect(refused.status).toBe(422)
      expect(refused.html).toContain(sentence)
      expect((await choose(visitor, refused, otherPassword, codeOf(form))).status).toBe(303)
    },
  )

  const deaths: [string, (scene: FlowScene, form: Seen) => unknown][] = [
    ['expired', () => service.clock.advance(60 * 60)],
    [
      'of a user who was switched off',
      ({ org_domain, user }) => client.users.update({ org_domain, user_id: user.id, active: false }),
    ],
    [
      'of a user who was deleted',
      ({ org_domain, user }) => client.users.delete({ org_domain, user_id: user.id }),
    ],
    [
      'of an organization without passwords by now',
      ({ org_domain }) => client.password.updateConnection({ org_domain, active: false }),
    ],
    ['voided by another password', (scene) => given.passwords.set(scene, 'another harbour 42 lanterns')],
  ]
  test.each(sampled(deaths, 4))('refuses a code that is %s', async (_, die) => {
    const { scene, visitor, form } = await atSetPassword()

    await die(scene, form)

    const seen = [await visitor.visit(form.url), await choose(visitor, form, otherPassword)]
    expect(seen.map(({ status }) => status)).toEqual([404, 404])
    expect(seen.every(({ html }) => html.includes(deadText))).toBe(true)
  })

  test('refuses a code of another organization, and one that never was', async () => {
    const scene = await given.scene()
    const other = await given.scene()
    const { visitor, form } = await atSetPassword(scene)
    const elsewhere = form.url.replace(`/t/${scene.org_domain}/`, `/t/${other.org_domain}/`)

    expect((await visitor.visit(elsewhere)).status).toBe(404)
    expect((await visitor.visit(form.url.replace(/.{8}$/, 'AAAAAAAA'))).status).toBe(404)
    expect((await visitor.visit(form.url.replace(/\?.*/, ''))).status).toBe(404)
  })

  test('refuses a code that was given to an application', async () => {
    const scene = await given.scene()
    const password_code = await given.passwords.code({ ...scene })
    const page = `${service.baseUrl}/t/${scene.org_domain}/set-password?password_code=${password_code}`

    expect((await given.visitorOf().visit(page)).status).toBe(404)
  })

  test('refuses a form of another site, or of another browser', async () => {
    const { scene, visitor, form } = await atSetPassword()
    const stranger = given.visitorOf()
    await stranger.visit(form.url)
    const fields = { password: otherPassword, password_code: codeOf(form) }

    const foreign = await visitor.send(form, 'set_password', fields, { origin: 'https://evil.example' })
    const other = await stranger.send(form, 'set_password', fields)

    expect([foreign.status, other.status]).toEqual([403, 403])
    expect(await isPasswordRight(scene, goodPassword)).toBe(true)
  })
})

describe('a password request of the API', () => {
  const ownPage = (scene: FlowScene) => `${service.baseUrl}/t/${scene.org_domain}/set-password`

  test('leads to the page where its redirect_uri says so', async () => {
    const scene = await given.scene()
    const { request_id } = await given.passwords.request(scene, { redirect_uri: ownPage(scene) })
    const link = await given.passwords.link(scene, request_id)
    const visitor = given.visitorOf()

    const opened = await links.open(link, visitor)

    const form = await visitor.visit(opened.location ?? '')
    expect(form.url).toMatch(`${ownPage(scene)}?password_code=`)
    const set = await choose(visitor, form, otherPassword)
    expect(set.html).toContain('Your password has been saved')
    expect(visitor.sessionSecret()).toBeUndefined()
    expect(await isPasswordRight(scene, otherPassword)).toBe(true)
  })

  test('has a code there that no application can use', async () => {
    const scene = await given.scene()
    const { request_id } = await given.passwords.request(scene, { redirect_uri: ownPage(scene) })
    const link = await given.passwords.link(scene, request_id)
    const opened = await links.open(link)

    const attempt = client.password.set({
      org_domain: scene.org_domain,
      user_email: scene.user.email,
      password_code: new URL(opened.location ?? '').searchParams.get('password_code') ?? '',
      plain_text: otherPassword,
    })

    await expect(attempt).rejects.toMatchObject({ code: 'password_code_refused' })
  })

  const otherPages: [string, (scene: FlowScene, other: FlowScene) => string][] = [
    ['of another organization', (_: FlowScene, other: FlowScene) => ownPage(other)],
    ['with a query', (scene: FlowScene) => `${ownPage(scene)}?x=1`],
    ['with a slash', (scene: FlowScene) => `${ownPage(scene)}/`],
    ['of our own, but another', (scene: FlowScene) => `${service.baseUrl}/t/${scene.org_domain}/magic-link`],
  ]
  test.each(sampled(otherPages, 2))(
    'leads to the application where its redirect_uri is the page %s',
    async (_, redirectUriOf) => {
      const scene = await given.scene()
      const other = await given.scene()
      const redirect_uri = redirectUriOf(scene, other)
      const { request_id } = await given.passwords.request(scene, { redirect_uri })
      const link = await given.passwords.link(scene, request_id)

      const opened = await links.open(link)

      expect(opened.location).toMatch(`${callback}?password_code=`)
    },
  )
})

describe('a password that should be another one', () => {
  /** A flow whose user has signed in with a password that is too short by now. */
  async function atRenewal(of?: FlowScene) {
    const scene = of ?? (await given.scene())
    await client.password.updateConnection({ org_domain: scene.org_domain, plain_text_min_length: 40 })
    const { visitor, page } = await given.atPassword(scene)
    return { scene, visitor, page: await visitor.press(page, 'password', { password: goodPassword }) }
  }
  const longPassword = 'copper meadow seventeen whispers under a lantern'

  test('is renewed on the way, and the sign-in goes on', async () => {
    const scene = await given.scene()
    const before = await given.signIn(scene)
    const { visitor, page } = await atRenewal(scene)
    expect(await links.stepOf(page)).toBe('renew_password')

    const landed = await visitor.press(page, 'set_password', { password: longPassword })

    expect(answerOf(landed).get('code')).toMatch(aCode)
    expect(await isPasswordRight(scene, longPassword)).toBe(true)
    const again = await before.visitor.visit(given.authorizeUrl(scene))
    expect(again.html).toContain('name="email"')
    expect(answerOf(await visitor.request(given.authorizeUrl(scene))).get('code')).toMatch(aCode)
  })

  test('stays where its user says so', async () => {
    const { scene, visitor, page } = await atRenewal()

    const landed = await visitor.press(page, 'not_now')

    expect(answerOf(landed).get('code')).toMatch(aCode)
    expect(await isPasswordRight(scene, goodPassword)).toBe(true)
  })

  test('is not replaced by one that does not meet the rules', async () => {
    const { visitor, page } = await atRenewal()

    const refused = await visitor.send(page, 'set_password', { password: otherPassword })

    expect(refused.status).toBe(422)
    expect(await links.stepOf(page)).toBe('renew_password')
  })

  test('is renewed after the second factor alone', async () => {
    const scene = await given.enrolledScene()
    const { visitor, page } = await atRenewal(scene)
    expect(await links.stepOf(page)).toBe('totp')
    expect((await visitor.send(page, 'set_password', { password: longPassword })).status).toBe(409)

    const renewal = await visitor.press(page, 'totp', { code: given.totp.codeOf(scene.app) })
    expect(await links.stepOf(renewal)).toBe('renew_password')

    expect(answerOf(await visitor.press(renewal, 'not_now')).get('code')).toMatch(aCode)
  })

  test('of two who renew it together, one does', async () => {
    const { scene, visitor, page } = await atRenewal()

    const answers = await Promise.all(
      Array.from({ length: 6 }, () => visitor.send(page, 'set_password', { password: longPassword })),
    )

    expect(answers.filter(({ location }) => location?.startsWith(`${callback}?code=`))).toHaveLength(1)
    const [row] = await service.query<{ count: string }>(
      `select count(*) from log_events where domain = $1 and event_code = 'PASSWORD_SET'`,
      [scene.org_domain],
    )
    // The password of the fixture, and one more.
    expect(row?.count).toBe('2')
  })
})

import { describe, expect, test } from 'vitest'
import { answerOf, goodPassword, isIn } from '../given/flow-given.js'
import { otherCode, shownCode } from '../given/flow-link-given.js'
import { anyEmail } from '../given/given.js'
import { startService } from '../given/harness.js'
import type { Seen, Visitor } from '../given/visitor.js'
import { accountSignInGivenOf, listedOn } from './account-sign-in-given.js'

const service = await startService()
const client = await service.client()
const given = accountSignInGivenOf(service, client)
const { flows, links } = given

const sentHeading = 'Check your e-mail'
const chooseHeading = 'Choose an organization'
const dead = 'This link does not work any more'

/** A person with users in two organizations, and an application of both. */
async function inTwo() {
  const email = anyEmail()
  const application = await given.application()
  const first = await given.member(email, { name: 'Alpha' })
  const second = await given.member(email, { name: 'Beta' })
  return { email, application, first, second, visitor: flows.visitorOf() }
}

describe('a sign-in that names no organization', () => {
  test('proves the mailbox, lists its organizations, and signs in to the chosen one', async () => {
    const { email, application, first, second, visitor } = await inTwo()
    const asked = await given.begin(application, visitor)
    expect(asked.html).toContain('Sign in to Storefront')
    const sent = await visitor.press(asked, 'identify', { email })
    expect(sent.html).toContain(sentHeading)

    const link = await links.newestLinkTo(email)
    expect((await visitor.request(link, { method: 'HEAD' })).status).toBe(200)
    const list = await given.open(link, visitor)

    expect(list.html).toContain(chooseHeading)
    expect(listedOn(list)).toEqual([first.org_domain, second.org_domain])
    const landed = await given.enter(list, second.org_domain, visitor)
    expect(isIn(landed)).toBe(true)
    expect(answerOf(landed).get('iss')).toBe(given.issuer)
    const [session] = (await client.sessions.list({ org_domain: second.org_domain, user_id: second.user.id }))
      .data
    expect(session?.amr).toEqual(['email'])
    const user = await client.users.get({ org_domain: second.org_domain, user_id: second.user.id })
    expect(user).toMatchObject({ email_verified: true })
  })

  test('names the application in its mail, and no organization', async () => {
    const { email, application, visitor } = await inTwo()
    await visitor.press(await given.begin(application, visitor), 'identify', { email })
    await service.runJobs()

    const [mail] = (await client.outbox.list({ to: email })).data

    expect(mail?.subject).toBe('Sign in to Storefront')
    expect(mail?.text).not.toMatch(/Alpha|Beta/)
  })

  test('enters the only organization at once, but on the first visit it is chosen', async () => {
    const application = await given.application()
    const { org_domain, user } = await given.member()
    const first = await given.prove(application, user.email)
    expect(listedOn(first)).toEqual([org_domain])
    const visitor = flows.visitorOf()
    const list = await given.prove(application, user.email, visitor)
    expect(isIn(await given.enter(list, org_domain, visitor))).toBe(true)

    expect(isIn(await given.prove(application, user.email))).toBe(true)
    const listed = await given.prove(application, user.email, flows.visitorOf(), {
      prompt: 'select_organization',
    })
    expect(listedOn(listed)).toEqual([org_domain])
  })

  test('shows the list without a mail to a browser that has proved the mailbox, for an hour without use', async () => {
    const { email, application, first, second, visitor } = await inTwo()
    await given.enter(await given.prove(application, email, visitor), first.org_domain, visitor)
    const select = { prompt: 'select_organization' }

    const list = await given.begin(application, visitor, select)
    expect(listedOn(list)).toEqual([first.org_domain, second.org_domain])
    expect(isIn(await given.enter(list, second.org_domain, visitor))).toBe(true)

    await service.clock.advance(61 * 60)
    expect(listedOn(await given.begin(application, visitor, select))).toEqual([])
  })

  test('counts a proof for eight hours at most, however it is used', async () => {
    const { email, application, visitor } = await inTwo()
    await given.prove(application, email, visitor)
    const isListed = async () => {
      await service.clock.advance(48 * 60)
      return listedOn(await given.begin(application, visitor, { prompt: 'select_organization' })).length > 0
    }

    const seen: boolean[] = []
    for (let use = 0; use < 10; use += 1) seen.push(await isListed())

    expect(seen).toEqual([...Array.from({ length: 9 }, () => true), false])
  })

  test('lists no user that was deleted, is inactive, or is of the other environment', async () => {
    const { email, application, first, second, visitor } = await inTwo()
    const third = await given.member(email)
    const production = await service.client({ environment: 'production' })
    const { domain } = await service.given.organization()
    await service.given.user({ org_domain: domain, email }, production)
    await client.users.delete({ org_domain: first.org_domain, user_id: first.user.id })
    await client.users.update({ org_domain: third.org_domain, user_id: third.user.id, active: false })

    expect(listedOn(await given.prove(application, email, visitor))).toEqual([second.org_domain])
  })

  test.each([
    ['max_age', { max_age: '60' }],
    ['prompt=login', { prompt: 'login select_organization' }],
  ])('asks for a new mail where the proof is older than %s allows', async (_, members) => {
    const { email, application, visitor } = await inTwo()
    await given.prove(application, email, visitor)
    await service.clock.advance(61)

    const page = await given.begin(application, visitor, { prompt: 'select_organization', ...members })

    expect(listedOn(page)).toEqual([])
    expect(page.html).toContain('Sign in to Storefront')
  })

  test('lists last used organizations first, and another one can be chosen after the first', async () => {
    const { email, application, first, second, visitor } = await inTwo()
    const list = await given.prove(application, email, visitor)
    await given.enter(list, second.org_domain, visitor)

    const again = await given.begin(application, visitor, { prompt: 'select_organization' })

    expect(listedOn(again)).toEqual([second.org_domain, first.org_domain])
    expect(again.html).toContain('New to you')
  })
})

describe('entering an organization', () => {
  test('asks for its password where it has no links', async () => {
    const scene = await given.scene()
    await client.magicLink.updateConnection({ org_domain: scene.org_domain, active: false })
    const visitor = flows.visitorOf()
    const list = await given.prove(scene.application, scene.user.email, visitor)

    const asked = await given.enter(list, scene.org_domain, visitor)
    expect(asked.html).toContain('Enter your password')
    expect(asked.html).toContain('Another organization')
    expect(isIn(await visitor.press(asked, 'password', { password: goodPassword }))).toBe(true)
  })

  test('asks for the second factor of its user, whatever another organization has asked for', async () => {
    const scene = await flows.enrolledScene()
    const application = await given.application()
    const visitor = flows.visitorOf()
    const list = await given.prove(application, scene.user.email, visitor)

    const asked = await given.enter(list, scene.org_domain, visitor)

    expect(isIn(asked)).toBe(false)
    const code = flows.totp.codeOf(scene.app)
    expect(isIn(await visitor.press(asked, 'totp', { code }))).toBe(true)
  })

  test('answers with an error where the application demands a second factor that it does not have', async () => {
    const { email, application, first, visitor } = await inTwo()
    const list = await given.prove(application, email, visitor, { acr_values: 'urn:portico:acr:mfa' })

    const landed = await given.enter(list, first.org_domain, visitor)

    expect(answerOf(landed).get('error')).toBe('unmet_authentication_requirements')
  })

  test('ends what was begun with the address before its owner first proved it', async () => {
    const application = await given.application()
    const scene = await given.scene(application)
    await service.query('update users set email_verified = true, email_proved_at = null where id = $1', [
      scene.user.id,
    ])
    const { visitor: intruder } = await given.signIn(scene)
    const visitor = flows.visitorOf()

    await given.enter(await given.prove(application, scene.user.email, visitor), scene.org_domain, visitor)

    expect(await given.answerTo(scene, { prompt: 'none' }, intruder)).toMatchObject({
      error: 'login_required',
    })
    expect(await given.answerTo(scene, { prompt: 'none' }, visitor)).toHaveProperty('code')
  })

  test('another address of a user is not proved by the one before', async () => {
    const { email, application, first, visitor } = await inTwo()
    await given.enter(await given.prove(application, email, visitor), first.org_domain, visitor)
    const { id } = first.user
    const provedAt = async () => {
      const [row] = await service.query<{ at: Date | null }>(
        'select email_proved_at as at from users where id = $1',
        [id],
      )
      return row?.at
    }
    await client.users.update({ org_domain: first.org_domain, user_id: id, email: email.toUpperCase() })
    expect(await provedAt()).toBeInstanceOf(Date)

    await client.users.update({ org_domain: first.org_domain, user_id: id, email: anyEmail() })

    expect(await provedAt()).toBe(null)
  })

  test('creates the user where links create users of the domain, and lists none that names no domain', async () => {
    const domain = `${anyEmail().split('@')[0] ?? ''}.example`
    const application = await given.application()
    const { domain: open } = await service.given.organization({ allowed_email_domains: [domain] })
    const { domain: everybody } = await service.given.organization()
    for (const org_domain of [open, everybody])
      await client.magicLink.updateConnection({ org_domain, find_or_create_user: true })
    const visitor = flows.visitorOf()
    const email = `new@${domain}`

    const list = await given.prove(application, email, visitor)

    expect(listedOn(list)).toEqual([open])
    expect(isIn(await given.enter(list, open, visitor))).toBe(true)
    const { data } = await client.users.list({ org_domain: open })
    expect(data.map((user) => user.email)).toEqual([email])
  })

  test.each<[string, (of: { org_domain: string; user_id: string }) => Promise<unknown>]>([
    ['was deleted', ({ org_domain }) => client.organizations.delete({ org_domain })],
    [
      'does not allow the address',
      ({ org_domain }) =>
        client.organizations.update({ org_domain, allowed_email_domains: ['other.example'] }),
    ],
  ])('409 with the list anew where the organization %s meanwhile', async (_, change) => {
    const { email, application, first, second, visitor } = await inTwo()
    const list = await given.prove(application, email, visitor)
    await change({ org_domain: first.org_domain, user_id: first.user.id })

    const refused = await given.enter(list, first.org_domain, visitor)

    expect(refused.status).toBe(409)
    expect(listedOn(refused)).toEqual([second.org_domain])
    expect(refused.html).toContain('You cannot use this organization.')
  })

  test('asks for the mailbox anew where a user of it was deactivated meanwhile, which ends its proof', async () => {
    const { email, application, first, visitor } = await inTwo()
    const list = await given.prove(application, email, visitor)
    await client.users.update({ org_domain: first.org_domain, user_id: first.user.id, active: false })

    const page = await given.enter(list, first.org_domain, visitor)

    expect(page.html).toContain('Sign in to Storefront')
    expect(listedOn(page)).toEqual([])
  })

  test('409 for an organization that is not in the list, as for one that there is not', async () => {
    const { email, application, visitor } = await inTwo()
    const stranger = await given.member()
    const elsewhere = await service.client({ account: await service.createAccount() })
    const foreign = await elsewhere.organizations.create({ name: 'Elsewhere' })
    await service.given.user({ org_domain: foreign.domain, email }, elsewhere)
    const list = await given.prove(application, email, visitor)

    const texts: string[] = []
    for (const domain of [stranger.org_domain, foreign.domain, 'no-such-organization']) {
      const refused = await given.enter(list, domain, visitor)
      expect(refused.status).toBe(409)
      texts.push(refused.html)
    }
    expect(new Set(texts).size).toBe(1)
  })

  test('ends the flow of an organization that was entered before', async () => {
    const { email, application, visitor } = await inTwo()
    const list = await given.prove(application, email, visitor)
    const [first = '', second = ''] = listedOn(list)
    for (const org_domain of [first, second]) {
      await client.password.createConnection({ org_domain })
      await client.magicLink.updateConnection({ org_domain, active: false })
    }
    const asked = await given.enter(list, first, visitor)
    expect(asked.html).toContain('Enter your password')
    const back = await visitor.visit(list.url)

    await given.enter(back, second, visitor)

    expect((await visitor.visit(asked.url)).status).toBe(404)
  })

  test('runs one flow of many choices at once', async () => {
    const scene = await given.scene()
    await client.magicLink.updateConnection({ org_domain: scene.org_domain, active: false })
    const visitor = flows.visitorOf()
    const list = await given.prove(scene.application, scene.user.email, visitor)
    const fields = { organization: scene.org_domain, round: '0' }

    await Promise.all(Array.from({ length: 50 }, () => visitor.send(list, 'enter', fields)))

    const [row] = await service.query<{ open: string }>(
      `select count(*) as open from sign_in_flows where application_id = $1 and used_at is null`,
      [scene.application.client_id.split('_').at(-1)],
    )
    expect(row?.open).toBe('1')
  })
})

describe('an address without an organization', () => {
  test('is told so only after it was proved', async () => {
    const { email, application, first, second, visitor } = await inTwo()
    await visitor.press(await given.begin(application, visitor), 'identify', { email })
    const link = await links.newestLinkTo(email)
    for (const { org_domain, user } of [first, second])
      await client.users.update({ org_domain, user_id: user.id, active: false })

    const page = await given.open(link, visitor)

    expect(page.html).toContain('No organization has this address')
  })

  test('a user who was carried over by a relay is not listed until they have proved the address there', async () => {
    const { email, application, first, second, visitor } = await inTwo()
    await service.query(
      `insert into user_identities
         (account_id, environment, organization_id, user_id, id, kind, issuer, subject, authenticated_at, inserted_at, provider, data)
       select account_id, environment, organization_id, id, id, 'relay', 'issuer', 'subject', inserted_at, inserted_at, 'relay', '{}'
       from users where id = $1`,
      [first.user.id],
    )

    const list = await given.prove(application, email, visitor)

    expect(listedOn(list)).toEqual([second.org_domain])
  })
})

describe('the link of a mailbox', () => {
  test('shows a code in another browser, proves nothing there, and lists nothing', async () => {
    const { email, application, first, visitor } = await inTwo()
    const sent = await visitor.press(await given.begin(application, visitor), 'identify', { email })
    const other = flows.visitorOf()

    const opened = await given.open(await links.newestLinkTo(email), other)

    const code = shownCode(opened)
    expect(code).toMatch(/^\d{6}$/)
    expect(opened.html).toContain('Give it to nobody.')
    expect([...other.cookies.keys()].filter((name) => name.includes('email'))).toEqual([])
    expect((await other.request(sent.url)).status).toBe(404)
    const wrong = await visitor.press(sent, 'link_code', { code: otherCode(code) })
    expect(wrong.status).toBe(422)
    const list = await visitor.press(sent, 'link_code', { code })
    expect(listedOn(list)).toContain(first.org_domain)
  })

  test('five guesses end the code', async () => {
    const { email, application, visitor } = await inTwo()
    const sent = await visitor.press(await given.begin(application, visitor), 'identify', { email })
    const code = shownCode(await given.open(await links.newestLinkTo(email), flows.visitorOf()))

    for (let guess = 0; guess < 5; guess += 1)
      await visitor.press(sent, 'link_code', { code: otherCode(code) })

    const page = await visitor.press(sent, 'link_code', { code })
    expect(page.status).toBe(422)
    expect(listedOn(page)).toEqual([])
  })

  test('opened many times at once it proves the mailbox once', async () => {
    const { email, application, visitor } = await inTwo()
    await visitor.press(await given.begin(application, visitor), 'identify', { email })
    const link = await links.newestLinkTo(email)
    const page = await visitor.visit(link)

    const opened = await Promise.all(Array.from({ length: 50 }, () => links.pressButton(link, page, visitor)))

    expect(opened.filter(({ status }) => status === 303)).toHaveLength(1)
    expect(opened.filter(({ html }) => html.includes(dead))).toHaveLength(49)
    const rows = await service.query<{ count: string }>(
      'select count(*) from email_sessions where email = $1',
      [email],
    )
    expect(rows).toEqual([{ count: '1' }])
  })

  test('works no more after another one was asked for', async () => {
    const { email, application, visitor } = await inTwo()
    const sent = await visitor.press(await given.begin(application, visitor), 'identify', { email })
    const first = await links.newestLinkTo(email)
    await service.clock.advance(1)
    await visitor.press(sent, 'resend')

    expect((await visitor.visit(first)).status).toBe(404)
    expect(listedOn(await given.open(await links.newestLinkTo(email), visitor))).toHaveLength(2)
  })

  test('at another account there is none, and a form of another site changes nothing', async () => {
    const { email, application, visitor } = await inTwo()
    const sent = await visitor.press(await given.begin(application, visitor), 'identify', { email })
    const link = await links.newestLinkTo(email)

    expect((await visitor.visit(link.replace(/\/a\/[^/]+\//, '/a/no-such-account/'))).status).toBe(404)
    const foreign = await visitor.send(sent, 'resend', {}, { origin: 'https://evil.example' })
    expect(foreign.status).toBe(403)
  })
})

describe('the proof of a mailbox', () => {
  const select = { prompt: 'select_organization' }

  async function proved() {
    const scene = await inTwo()
    const list = await given.prove(scene.application, scene.email, scene.visitor)
    await given.enter(list, scene.first.org_domain, scene.visitor)
    return scene
  }

  async function isListed({
    application,
    visitor,
  }: {
    application: Awaited<ReturnType<typeof given.application>>
    visitor: Visitor
  }) {
    return listedOn(await given.begin(application, visitor, select)).length > 0
  }

  test.each<[string, (of: { org_domain: string; user_id: string }) => Promise<unknown>]>([
    ['sessions were ended', (user) => client.sessions.endAll(user)],
    ['user was deactivated', (user) => client.users.update({ ...user, active: false })],
    ['user was deleted', (user) => client.users.delete(user)],
  ])('is over when the %s in an organization of the account', async (_, change) => {
    const scene = await proved()
    expect(await isListed(scene)).toBe(true)

    await change({ org_domain: scene.second.org_domain, user_id: scene.second.user.id })

    expect(await isListed(scene)).toBe(false)
  })

  test('is over when the session that came from it is ended', async () => {
    const scene = await proved()
    const user = { org_domain: scene.first.org_domain, user_id: scene.first.user.id }
    const [session] = (await client.sessions.list(user)).data
    if (session === undefined) throw new Error('there is no session')

    await client.sessions.end({ ...user, session_id: session.id })

    expect(await isListed(scene)).toBe(false)
  })

  test('is over when a user of the address gets another password', async () => {
    const scene = await proved()
    const { org_domain, user } = scene.second
    await client.password.createConnection({ org_domain })

    await flows.passwords.set({ org_domain, user, application: scene.application })

    expect(await isListed(scene)).toBe(false)
  })

  test.each<[string, (of: { org_domain: string }) => string]>([
    ['the account', () => given.path],
    ['the organization that was entered', ({ org_domain }) => `/t/${org_domain}`],
  ])('is over with a sign-out of %s', async (_, pathOf) => {
    const scene = await proved()
    const page = await scene.visitor.visit(`${pathOf(scene.first)}/logout`)

    await scene.visitor.press(page, 'sign_out')

    expect(await isListed(scene)).toBe(false)
    expect([...scene.visitor.cookies.keys()].filter((name) => name.includes('portico-email-'))).toEqual([])
  })

  test('is over when it is forgotten in the browser', async () => {
    const scene = await proved()
    const list = await given.begin(scene.application, scene.visitor, select)

    const page = await scene.visitor.press(list, 'sign_out_here')

    expect(page.html).toContain('Sign in to Storefront')
    expect(await isListed(scene)).toBe(false)
  })

  test.each(['sign_out_here', 'change_address'])(
    'leaves no sign-in behind that %s on the list has given up',
    async (action) => {
      const scene = await inTwo()
      const asked = { prompt: 'consent select_organization' }
      const list = await given.prove(scene.application, scene.email, scene.visitor, asked)
      const consent = await given.enter(list, scene.first.org_domain, scene.visitor)
      expect(consent.html).toContain('name="action" value="allow"')
      const again = await scene.visitor.visit(list.url)

      await scene.visitor.press(again, action)

      const landed = await scene.visitor.press(consent, 'allow')
      expect(isIn(landed)).toBe(false)
    },
  )

  test('that has ended finishes no sign-in at another organization', async () => {
    const scene = await inTwo()
    const asked = { prompt: 'consent select_organization' }
    const list = await given.prove(scene.application, scene.email, scene.visitor, asked)
    const consent = await given.enter(list, scene.first.org_domain, scene.visitor)

    await client.sessions.endAll({ org_domain: scene.second.org_domain, user_id: scene.second.user.id })

    const landed = await scene.visitor.press(consent, 'allow')
    expect(isIn(landed)).toBe(false)
  })

  test('a password of another organization proves nothing', async () => {
    const application = await given.application()
    const scene = await given.scene(application)
    await given.member(scene.user.email)
    const { visitor } = await given.signIn(scene)

    const page = await given.begin(application, visitor, select)

    expect(listedOn(page)).toEqual([])
    expect(page.html).toContain('Sign in to Storefront')
  })
})

describe('a typed address', () => {
  test('goes straight to the organization that this browser has used with it, and from there to another one', async () => {
    const application = await given.application()
    const scene = await given.scene(application)
    const { visitor } = await given.signIn(scene)
    await client.sessions.endAll({ org_domain: scene.org_domain, user_id: scene.user.id })

    const asked = await given.begin(application, visitor)
    expect(asked.html).not.toContain(scene.org_domain)
    const page = await visitor.press(asked, 'identify', { email: scene.user.email })
    expect(page.url).toContain(`/t/${scene.org_domain}/sign-in/`)
    expect(page.html).toContain('Enter your password')

    const back = await visitor.visit(/href="(\/a\/[^"]+)"/.exec(page.html)?.[1] ?? '')
    const sent = await visitor.press(back, 'identify', { email: scene.user.email })
    expect(sent.html).toContain(sentHeading)
  })

  test('an account cookie alone gives no session, and the page no name', async () => {
    const application = await given.application()
    const scene = await given.scene(application)
    const { visitor } = await given.signIn(scene)
    const thief = flows.visitorOf()
    for (const [name, value] of visitor.cookies)
      if (name.includes('portico-account-')) thief.cookies.set(name, value)

    const page = await given.begin(application, thief)

    expect(isIn(page)).toBe(false)
    expect(page.html).not.toContain(scene.org_domain)
    expect(page.html).not.toContain(scene.user.email)
  })
})

test('prompt=none shows no page, and select_organization is none of an organization’s', async () => {
  const { application, first } = await inTwo()
  expect(
    await given.answerTo({ org_domain: '', application }, { organization: undefined, prompt: 'none' }),
  ).toMatchObject({ error: 'login_required' })
  const url = flows.authorizeUrl(
    { org_domain: first.org_domain, application },
    { prompt: 'select_organization' },
  )
  expect(answerOf(await flows.visitorOf().request(url)).get('error')).toBe('invalid_request')
})

describe('prompt=select_account', () => {
  const select = { prompt: 'select_account' }

  /** A browser with sessions of two users in two organizations. */
  async function signedInTwice() {
    const application = await given.application()
    const first = await given.scene(application)
    const second = await given.scene(application)
    const { visitor } = await given.signIn(first)
    await service.clock.advance(60)
    await given.signIn(second, {}, visitor)
    return { application, first, second, visitor }
  }

  function pick(page: Seen, organization: string, visitor: Visitor) {
    return visitor.press(page, 'continue_as', { organization, round: '0' })
  }

  test('lists the sessions of this browser, the last used first, and goes on with one without a question', async () => {
    const { application, first, second, visitor } = await signedInTwice()

    const page = await given.begin(application, visitor, select)

    expect(listedOn(page)).toEqual([second.org_domain, first.org_domain])
    for (const { user } of [first, second]) expect(page.html.replace(/<wbr>/g, '')).toContain(user.email)
    expect(page.html).toContain('Use another address')
    expect(isIn(await pick(page, first.org_domain, visitor))).toBe(true)
  })

  test('goes on with another address', async () => {
    const { application, visitor } = await signedInTwice()
    const page = await given.begin(application, visitor, select)

    const sent = await visitor.press(page, 'identify', { email: anyEmail() })

    expect(sent.html).toContain(sentHeading)
  })

  test('asks for the sign-in that the request demands besides', async () => {
    const { application, first, visitor } = await signedInTwice()

    const page = await given.begin(application, visitor, { prompt: 'select_account login' })
    const asked = await pick(page, first.org_domain, visitor)

    expect(isIn(asked)).toBe(false)
    expect(asked.html).toContain('Sign in')
  })

  test('lists no session of another browser, account or environment, and goes on with none', async () => {
    const { application, first, visitor } = await signedInTwice()
    const stranger = flows.visitorOf()
    const page = await given.begin(application, stranger, select)
    expect(listedOn(page)).toEqual([])
    expect((await pick(page, first.org_domain, stranger)).url).toContain(given.path)

    const listed = await given.begin(application, visitor, select)
    await client.sessions.endAll({ org_domain: first.org_domain, user_id: first.user.id })
    const left = await pick(listed, first.org_domain, visitor)
    expect(left.url).toContain(given.path)
    expect(listedOn(left)).not.toContain(first.org_domain)
  })

  test('lists nothing where the application did not ask for it', async () => {
    const { application, first, visitor } = await signedInTwice()
    const page = await given.begin(application, visitor, { prompt: 'login' })

    expect(listedOn(page)).toEqual([])
    expect(isIn(await pick(page, first.org_domain, visitor))).toBe(false)
  })
})

test('the list has the logos of organizations that the user has entered, and of no other', async () => {
  const email = anyEmail()
  const application = await given.application()
  const logoOf = (name: string) => ({ icon_logo_url: `https://${name}.example/icon.png` })
  const used = await given.member(email, logoOf('used'))
  await given.member(email, logoOf('strange'))
  const visitor = flows.visitorOf()
  await given.enter(await given.prove(application, email, visitor), used.org_domain, visitor)

  const list = await given.begin(application, visitor, { prompt: 'select_organization' })

  expect(list.html).toContain('src="https://used.example/icon.png"')
  expect(list.html).not.toContain('strange.example')
  expect(list.headers.get('content-security-policy')).toContain("img-src 'self' data: https://used.example;")
})

import { describe, expect, test, vi } from 'vitest'
import { isIn } from '../given/flow-given.js'
import { flowIdOf, otherCode, shownCode } from '../given/flow-link-given.js'
import { startService } from '../given/harness.js'
import type { Visitor } from '../given/visitor.js'
import { untilWaiting, whileHeld, whileInsertWaits } from '../given/waiting.js'
import { accountSignInGivenOf, listedOn } from './account-sign-in-given.js'

const service = await startService()
const client = await service.client()
const given = accountSignInGivenOf(service, client)
const { flows, links, inTwo } = given

const dead = 'This link no longer works'

describe('the link of a mailbox', () => {
  test('shows a code in another browser, proves nothing there, and lists nothing', async () => {
    const { email, application, first, visitor } = await inTwo()
    const sent = await visitor.press(await given.begin(application, visitor), 'identify', { email })
    const other = flows.visitorOf()

    const opened = await given.open(await links.newestLinkTo(email), other)

    const code = shownCode(opened)
    expect(code).toMatch(/^\d{6}$/)
    expect(opened.html).toContain('Do not share this code.')
    expect(opened.html).toContain('Sandbox: for testing only')
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

    // Two of them at least are in the middle of it.
    const opened = await whileHeld(
      service,
      ['select from account_flows where email_normalized = $1 for update', email],
      () => Promise.all(Array.from({ length: 50 }, () => links.pressButton(link, page, visitor))),
      () => untilWaiting(service, 2),
    )

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

  test('takes nothing before its flow, as a request for another link does: neither ends the other one', async () => {
    const { email, application, visitor } = await inTwo()
    const sent = await visitor.press(await given.begin(application, visitor), 'identify', { email })
    const link = await links.newestLinkTo(email)
    const page = await visitor.visit(link)
    const flowId = flowIdOf(sent)
    const selectFree = 'select id from email_challenges where flow_id = $1 for update skip locked'

    const opened = await whileHeld(
      service,
      ['select from account_flows where id = $1 for update', flowId],
      () => links.pressButton(link, page, visitor),
      async () => expect(await service.query(selectFree, [flowId])).toHaveLength(1),
    )

    expect(opened.status).toBe(303)
  })

  test('at another account there is none, and a form of another site changes nothing', async () => {
    const { email, application, visitor } = await inTwo()
    const sent = await visitor.press(await given.begin(application, visitor), 'identify', { email })
    const link = await links.newestLinkTo(email)

    expect((await visitor.visit(link.replace(/\/a\/[^/]+\//, '/a/no-such-account/'))).status).toBe(404)
    const foreign = await visitor.send(sent, 'resend', {}, { origin: 'https://evil.example' })
    expect(foreign.status).toBe(403)
    const requestId = foreign.headers.get('x-request-id') ?? ''
    // An emulator writes its lines in blocks.
    const told = await vi.waitFor(() => {
      const line = service.logLines.find(
        (each) => each.includes(requestId) && each.includes('origin_mismatch'),
      )
      return line ?? expect.fail('no line has the origin')
    })
    expect(JSON.parse(told)).toMatchObject({
      request_id: requestId,
      reason: 'origin_mismatch',
      origin: 'https://evil.example',
      expected_origin: service.baseUrl,
    })
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

  /** Ends the session of the first organization by the API. */
  async function endSession({
    first: { org_domain, user },
  }: Pick<Awaited<ReturnType<typeof inTwo>>, 'first'>) {
    const of = { org_domain, user_id: user.id }
    const [session] = (await client.sessions.list(of)).data
    if (session === undefined) throw new Error('there is no session')
    await client.sessions.end({ ...of, session_id: session.id })
  }

  test('is over when the session that came from it is ended', async () => {
    const scene = await proved()

    await endSession(scene)

    expect(await isListed(scene)).toBe(false)
  })

  test('is over so, too, when its user has signed in to the organization again meanwhile', async () => {
    const scene = await proved()
    const again = {
      org_domain: scene.first.org_domain,
      user: scene.first.user,
      application: scene.application,
    }
    const { visitor } = scene
    const page = await visitor.visit(given.authorizeUrl(again, { prompt: 'login' }))
    await service.clock.advance(1)
    await visitor.press(page, 'identify', { email: scene.email })
    expect(isIn(await given.open(await links.newestLinkTo(scene.email), visitor))).toBe(true)

    await endSession(scene)

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

  test.each(['sign_out_here', 'change_address'])(
    'leaves none behind either that begins while %s gives it up',
    async (action) => {
      const scene = await inTwo()
      const asked = { prompt: 'consent select_organization' }
      const list = await given.prove(scene.application, scene.email, scene.visitor, asked)
      const again = await scene.visitor.visit(list.url)
      const enter = () => given.enter(list, scene.first.org_domain, scene.visitor)

      const consent = await whileInsertWaits(service, { table: 'sign_in_flows', when: 'true' }, enter, () =>
        scene.visitor.send(again, action),
      )

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

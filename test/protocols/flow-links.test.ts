import { describe, expect, test } from 'vitest'
import { answerOf, flowGivenOf, goodPassword, type FlowScene } from '../given/flow-given.js'
import { aCode, flowIdOf, flowLinkGivenOf, otherCode, shownCode, tokenOf } from '../given/flow-link-given.js'
import { anyEmail } from '../given/given.js'
import { startService } from '../given/harness.js'
import { longTest, sampled } from '../sampled.js'
import type { Seen, Visitor } from '../given/visitor.js'

const atOnce = [...Array(50).keys()]

const service = await startService()
const client = await service.client()
const given = flowGivenOf(service, client)
const links = flowLinkGivenOf(service, client, given)

/** Follows the redirects of a link, which completes a flow that is ready. */
async function finish(visitor: Visitor, at: Seen): Promise<URLSearchParams> {
  return answerOf(await visitor.visit(at.location ?? at.url))
}

async function failuresOf(of: FlowScene): Promise<string[]> {
  const rows = await service.query<{ reason: string }>(
    `select reason from log_events
     where domain = $1 and event_code = 'END_USER_MAGIC_LINK_FAILED' order by id`,
    [of.org_domain],
  )
  return rows.map(({ reason }) => reason)
}

describe('a link in the browser that asked for it', () => {
  longTest('signs in, once', async () => {
    const { scene, visitor, page, link } = await links.linkSent()
    expect(page.html).not.toContain(link)

    const opened = await links.open(link, visitor)

    expect(opened.status).toBe(303)
    expect(opened.location).toBe(`${service.baseUrl}/t/${scene.org_domain}/sign-in/${flowIdOf(page)}`)
    expect((await finish(visitor, opened)).get('code')).toMatch(aCode)
    expect((await links.open(link, visitor)).status).toBe(404)
  })

  longTest(
    'leaves a sign-in that is ready as it is for a HEAD, and for a browser that loads ahead',
    async () => {
      const { visitor, page, link } = await links.linkSent()
      const opened = await links.open(link, visitor)
      const looks: RequestInit[] = [{ method: 'HEAD' }, { headers: { 'sec-purpose': 'prefetch' } }]

      for (const look of looks) expect((await visitor.request(opened.location ?? '', look)).status).toBe(200)

      expect(await links.stepOf(page)).toBe('ready')
      expect((await finish(visitor, opened)).get('code')).toMatch(aCode)
    },
  )

  longTest('lets one of fifty pass that press its button together', async () => {
    const { visitor, link } = await links.linkSent()
    const page = await visitor.visit(link)

    const answers = await Promise.all(atOnce.map(() => visitor.send(page, '', { token: tokenOf(link) })))

    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(atOnce.length - 1)
  })

  test('is mailed in the language of the sign-in, else in that of the organization', async () => {
    const scene = await given.scene()
    const { org_domain, user } = scene
    const subjectOf = async (ui_locales?: string) => {
      await links.atLinkSent(scene, { ...(ui_locales !== undefined && { ui_locales }) })
      await service.runJobs()
      const { data } = await client.outbox.list({ to: user.email })
      return data.find(({ text }) => text.includes('token='))?.subject
    }
    expect(await subjectOf()).toMatch(/^Sign in to /)
    expect(await subjectOf('fr-CA en')).toMatch(/^Se connecter à /)
    await client.organizations.update({ org_domain, locale: 'fr-FR' })
    expect(await subjectOf()).toMatch(/^Se connecter à /)
    expect(await subjectOf('en')).toMatch(/^Sign in to /)
  })

  test.each(sampled(['GET', 'HEAD'], 1))('is not spent by a %s', async (method) => {
    const { visitor, page, link } = await links.linkSent()

    const seen = await visitor.request(link, { method, headers: { accept: 'application/json' } })

    expect(seen.status).toBe(200)
    expect(await links.stepOf(page)).toBe('link_sent')
    expect((await links.open(link, visitor)).status).toBe(303)
  })

  test('verifies the address of its user, whose password and sessions of before are gone', async () => {
    const scene = await given.scene()
    const impostor = await given.signIn(scene)
    await service.query('update users set email_verified = false where id = $1', [scene.user.id])
    const { visitor, link } = await links.linkSent(scene)

    const opened = await links.open(link, visitor)

    expect((await finish(visitor, opened)).get('code')).toMatch(aCode)
    const user = await client.users.get({ org_domain: scene.org_domain, user_id: scene.user.id })
    expect(user).toMatchObject({ email_verified: true })
    const again = await impostor.visitor.visit(given.authorizeUrl(scene))
    expect(again.html).toContain('name="email"')
  })

  test('leads to the second factor where one is asked for, and signs nobody in before', async () => {
    const scene = await given.enrolledScene()
    const { visitor, page, link } = await links.linkSent(scene)

    const opened = await links.open(link, visitor)

    expect(await links.stepOf(page)).toBe('totp')
    const asked = await visitor.visit(opened.location ?? '')
    expect((await visitor.send(asked, 'finish')).status).toBe(409)
    const landed = await visitor.press(asked, 'totp', { code: given.totp.codeOf(scene.app) })
    expect(answerOf(landed).get('code')).toMatch(aCode)
  })

  test('works for a quarter of an hour', async () => {
    const { visitor, link } = await links.linkSent()

    await service.clock.advance(15 * 60)

    expect((await visitor.visit(link)).status).toBe(404)
  })
})

describe('a link of a flow is dead', () => {
  const states: [string, (at: { scene: FlowScene; visitor: Visitor; page: Seen }) => Promise<unknown>][] = [
    ['when another one was asked for since', ({ visitor, page }) => visitor.press(page, 'resend')],
    [
      'when the flow has another address by now',
      async ({ visitor, page }) => {
        const identifier = await visitor.press(page, 'change_address')
        return visitor.press(identifier, 'identify', { email: anyEmail() })
      },
    ],
    [
      'when the flow waits for the link of another address by now',
      async ({ visitor, page }) => {
        const identifier = await visitor.press(page, 'change_address')
        const password = await visitor.press(identifier, 'identify', { email: anyEmail() })
        return visitor.press(password, 'mail_link')
      },
    ],
    [
      'when the flow was finished by password',
      async ({ scene, visitor, page }) => {
        const identifier = await visitor.press(page, 'change_address')
        const password = await visitor.press(identifier, 'identify', { email: scene.user.email })
        return visitor.press(password, 'password', { password: goodPassword })
      },
    ],
    [
      'when the user was switched off',
      ({ scene }) =>
        client.users.update({ org_domain: scene.org_domain, user_id: scene.user.id, active: false }),
    ],
    [
      'when links are switched off',
      ({ scene }) => client.magicLink.updateConnection({ org_domain: scene.org_domain, active: false }),
    ],
    [
      'when the domain of the address is not allowed any more',
      ({ scene }) =>
        client.organizations.update({
          org_domain: scene.org_domain,
          allowed_email_domains: ['other.example'],
        }),
    ],
  ]

  test.each(
    states.flatMap((state) => ['its own', 'another'].map((where) => [state[0], where, state[1]] as const)),
  )('%s: in %s browser', async (_, where, change) => {
    const { scene, visitor, page, link } = await links.linkSent()
    const opener = where === 'its own' ? visitor : given.visitorOf()
    const linkPage = await opener.visit(link)

    await change({ scene, visitor, page })

    const pressed = await links.pressButton(link, linkPage, opener)
    expect(pressed.status).toBe(404)
    expect(shownCode(pressed)).toBe('')
    expect(pressed.html).toContain('no longer works')
  })
})

describe('a link that is opened in another browser', () => {
  test('says so, signs nobody in there, and shows a code that signs in where it was asked for', async () => {
    const { visitor, page, link } = await links.linkSent()
    const other = given.visitorOf()
    expect((await other.visit(link)).html).toContain('in a different browser')
    expect((await visitor.visit(link)).html).not.toContain('in a different browser')

    const opened = await links.open(link, other)

    expect(opened.status).toBe(200)
    expect(shownCode(opened)).toMatch(/^\d{6}$/)
    expect(opened.html).toContain('Sandbox: for testing only')
    expect(other.sessionSecret()).toBeUndefined()
    expect((await other.visit(page.url)).html).toContain('This sign-in has expired')
    expect(await links.stepOf(page)).toBe('link_sent')
    const asked = await visitor.visit(page.url)
    expect(asked.html).toContain('Enter the code')
    const landed = await visitor.press(asked, 'link_code', { code: shownCode(opened) })
    expect(answerOf(landed).get('code')).toMatch(aCode)
    expect((await links.open(link, visitor)).status).toBe(404)
  })

  test('lets its code be typed in groups', async () => {
    const { visitor, page, link } = await links.linkSent()
    const code = await links.codeElsewhere(link)

    const landed = await visitor.press(page, 'link_code', { code: `${code.slice(0, 3)} ${code.slice(3)}` })

    expect(answerOf(landed).get('code')).toMatch(aCode)
  })

  test('has a code that is good for ten minutes', async () => {
    const { visitor, page, link } = await links.linkSent()
    const code = await links.codeElsewhere(link)

    await service.clock.advance(10 * 60)

    const late = await visitor.send(page, 'link_code', { code })
    expect(late.status).toBe(422)
    expect(late.html).toContain('This code has expired')
  })

  test('has a code that is void after five wrong ones, and another link is asked for', async () => {
    const { scene, visitor, page, link } = await links.linkSent()
    const code = await links.codeElsewhere(link)

    const wrong: Seen[] = []
    for (let tries = 0; tries < 5; tries++)
      wrong.push(await visitor.send(page, 'link_code', { code: otherCode(code) }))

    expect(wrong.map(({ status }) => status)).toEqual([422, 422, 422, 422, 422])
    const right = await visitor.send(page, 'link_code', { code })
    expect(right.status).toBe(422)
    expect(right.html).toContain('This code has expired')
    const again = await visitor.press(right, 'resend')
    const fresh = await links.codeElsewhere(await links.newestLinkTo(scene.user.email))
    expect(answerOf(await visitor.press(again, 'link_code', { code: fresh })).get('code')).toMatch(aCode)
  })

  test('has a code of which fifty guesses together are five', async () => {
    const { visitor, page, link } = await links.linkSent()
    const code = await links.codeElsewhere(link)
    const guesses = Array.from({ length: 49 }, () => otherCode(code))

    const answers = await Promise.all(
      guesses.map((guess) => visitor.send(page, 'link_code', { code: guess })),
    )

    expect(answers.filter(({ html }) => html.includes('Incorrect code'))).toHaveLength(4)
    expect((await visitor.send(page, 'link_code', { code })).status).toBe(422)
    expect(await links.stepOf(page)).toBe('link_sent')
  })

  test('has a code that lets one of fifty pass that send it together', async () => {
    const { visitor, page, link } = await links.linkSent()
    const code = await links.codeElsewhere(link)

    const answers = await Promise.all(atOnce.map(() => visitor.send(page, 'link_code', { code })))

    expect(answers.filter(({ location }) => answerOf({ location }).has('code'))).toHaveLength(1)
  })

  test('has a code that only its own browser may send', async () => {
    const { visitor, page, link } = await links.linkSent()
    const code = await links.codeElsewhere(link)
    const other = given.visitorOf()
    await other.visit(link)

    const answer = await other.send(page, 'link_code', { code })

    expect(answer.status).toBe(403)
    expect(await links.stepOf(page)).toBe('link_sent')
    expect((await visitor.send(page, 'link_code', { code })).status).toBe(303)
  })

  test('signs nobody in at another address that the flow has gone on to', async () => {
    const scene = await given.scene()
    const own = await service.given.user({ org_domain: scene.org_domain })
    const { visitor, page, link } = await links.linkSent(scene, { email: own.email })
    const code = await links.codeElsewhere(link)
    const identifier = await visitor.press(page, 'change_address')
    const password = await visitor.press(identifier, 'identify', { email: scene.user.email })
    const sent = await visitor.press(password, 'mail_link')

    const answer = await visitor.send(sent, 'link_code', { code })

    expect(answer.status).toBe(422)
    expect(await links.stepOf(page)).toBe('link_sent')
  })

  test('signs nobody in by its code once the user was switched off', async () => {
    const { scene, visitor, page, link } = await links.linkSent()
    const code = await links.codeElsewhere(link)
    await client.users.update({ org_domain: scene.org_domain, user_id: scene.user.id, active: false })

    const answer = await visitor.send(page, 'link_code', { code })

    expect(answer.status).toBe(422)
    expect(await failuresOf(scene)).toEqual(['other_browser', 'user_inactive'])
  })

  test('verifies the address only when its code was typed', async () => {
    const scene = await given.scene()
    await service.query('update users set email_verified = false where id = $1', [scene.user.id])
    const { visitor, page, link } = await links.linkSent(scene)
    const user = () => client.users.get({ org_domain: scene.org_domain, user_id: scene.user.id })

    const code = await links.codeElsewhere(link)

    expect(await user()).toMatchObject({ email_verified: false })
    await visitor.send(page, 'link_code', { code })
    expect(await user()).toMatchObject({ email_verified: true })
  })
})

describe('an address without a user', () => {
  test('is shown the same page as one with a user, and is sent nothing', async () => {
    const scene = await given.scene()
    const unknown = anyEmail()
    const known = await links.atLinkSent(scene)
    const other = await links.atLinkSent(scene, { email: unknown })

    const same = (page: Seen, email: string) =>
      page.html
        .replaceAll('<wbr/>', '')
        .replaceAll(email, '<email>')
        .replaceAll(flowIdOf(page), '<flow>')
        .replaceAll(/name="csrf" value="[^"]*"/g, '')
    expect(same(other.page, unknown)).toBe(same(known.page, scene.user.email))
    expect(await links.linksTo(unknown)).toEqual([])
    expect(await links.linksTo(scene.user.email)).toHaveLength(1)
  })

  test('is in the log with the reason, as is one of an inactive user, and no other', async () => {
    const scene = await given.scene()
    const { org_domain } = scene
    const unknown = anyEmail()
    const inactive = await service.given.user({ org_domain })
    await client.users.update({ org_domain, user_id: inactive.id, active: false })
    for (const email of [unknown, inactive.email, scene.user.email]) {
      await links.atLinkSent(scene, { email })
      await links.linksTo(email)
    }

    const { data } = await client.logEvents.list({ org_domain })

    const told = data.filter(({ event_code: code }) => code === 'END_USER_MAGIC_LINK_NOT_SENT')
    expect(told).toMatchObject([
      { email: inactive.email, reason: 'user_inactive', client_id: scene.application.client_id },
      { email: unknown, reason: 'user_not_found', client_id: scene.application.client_id },
    ])
  })

  test.each(sampled(['in another one', 'in the same browser'], 1))(
    'becomes a user by its link %s, where the connection says so',
    async (where) => {
      const scene = await given.scene()
      await client.magicLink.updateConnection({ org_domain: scene.org_domain, find_or_create_user: true })
      const email = anyEmail()
      const { visitor, page, link } = await links.linkSent(scene, { email })
      const byEmail = () => client.users.getByEmail({ org_domain: scene.org_domain, user_email: email })

      if (where === 'in another one') {
        const code = await links.codeElsewhere(link)
        await expect(byEmail()).rejects.toMatchObject({ status: 404 })
        const landed = await visitor.press(page, 'link_code', { code })
        expect(answerOf(landed).get('code')).toMatch(aCode)
      } else expect((await finish(visitor, await links.open(link, visitor))).get('code')).toMatch(aCode)

      expect(await byEmail()).toMatchObject({ email, email_verified: true })
    },
  )
})

describe('what ends sign-ins of a user ends those on the pages', () => {
  const ends: [string, (scene: FlowScene) => Promise<unknown>][] = [
    [
      'a deactivation, though it is taken back',
      async ({ org_domain, user }) => {
        await client.users.update({ org_domain, user_id: user.id, active: false })
        await client.users.update({ org_domain, user_id: user.id, active: true })
      },
    ],
    ['a new password', (scene) => given.passwords.set(scene, 'another harbour 42 lanterns')],
    [
      'a second factor in the place of the first',
      async ({ org_domain, user }) => {
        await given.totp.enroll({ org_domain, user_id: user.id }, { force_enroll: true })
      },
    ],
    ['a deletion', ({ org_domain, user }) => client.users.delete({ org_domain, user_id: user.id })],
  ]

  test.each(sampled(ends, 3))('%s', async (_, end) => {
    const scene = await given.enrolledScene()
    const { visitor, link } = await links.linkSent(scene)
    const asked = await visitor.visit((await links.open(link, visitor)).location ?? '')
    const code = given.totp.codeOf(scene.app)

    await end(scene)

    const answer = await visitor.send(asked, 'totp', { code })
    expect(answer.status).toBe(404)
    expect(answer.html).toContain('This sign-in has expired')
  })
})

import { describe, expect, test } from 'vitest'
import { callback, flowGivenOf, goodPassword, type FlowScene } from '../given/flow-given.js'
import { startService } from '../given/harness.js'
import { sampled } from '../sampled.js'
import type { Seen, Visitor } from '../given/visitor.js'

const service = await startService()
const client = await service.client()
const given = flowGivenOf(service, client)

const mfa = 'urn:portico:acr:mfa'

describe('a flow', () => {
  test('ends once, and its forms and pages are worth nothing then', async () => {
    const { page, visitor } = await given.atPassword()
    await visitor.send(page, 'password', { password: goodPassword })

    const again = await visitor.send(page, 'password', { password: goodPassword })
    const finish = await visitor.send(page, 'finish')
    const looked = await visitor.visit(page.url)

    expect([again, finish, looked].map(({ status, location }) => [status, location])).toEqual([
      [404, null],
      [404, null],
      [404, null],
    ])
  })

  test('ends once, however many of its last forms come together', async () => {
    const { scene, page, visitor } = await given.atPassword()

    const seen = await Promise.all(
      Array.from({ length: 6 }, () => visitor.send(page, 'password', { password: goodPassword })),
    )

    expect(seen.filter(({ location }) => location?.startsWith(callback))).toHaveLength(1)
    const sessions = await service.query(
      'select id from sessions where user_id = $1 and secret_hash is not null',
      [scene.user.id],
    )
    expect(sessions).toHaveLength(1)
  })

  test('moves on once, however many forms of a step come together', async () => {
    const scene = await given.enrolledScene()
    const { page, visitor } = await given.atPassword(scene)

    const seen = await Promise.all(
      Array.from({ length: 6 }, () => visitor.send(page, 'password', { password: goodPassword })),
    )

    expect(seen.filter(({ status }) => status === 303)).toHaveLength(1)
  })

  test('is over an hour after it has begun; its second factor has ten minutes', async () => {
    const scene = await given.enrolledScene()
    const { page, visitor } = await given.atPassword(scene)
    const asked = await visitor.press(page, 'password', { password: goodPassword })
    await service.clock.advance(10 * 60)
    const late = await visitor.send(asked, 'totp', { code: given.totp.codeOf(scene.app) })
    const { page: other, visitor: slow } = await given.atPassword(scene)
    await service.clock.advance(61 * 60)
    const over = await slow.send(other, 'password', { password: goodPassword })

    expect([late.status, late.location, over.status, over.location]).toEqual([404, null, 404, null])
  })

  test('of another organization’s address is not there', async () => {
    const scene = await given.scene()
    const other = await given.scene()
    const { page, visitor } = await given.atPassword(scene)

    const seen = await visitor.visit(page.url.replace(scene.org_domain, other.org_domain))

    expect(seen.status).toBe(404)
  })

  const strangeIds = ['%00', `${'0'.repeat(8)}-0000-0000-0000-${'0'.repeat(12)}`, '..%2f', 'x']
  test.each(sampled(strangeIds, 2))('is not there by the id %s', async (id) => {
    const { scene, visitor } = await given.begin()

    expect((await visitor.visit(`/t/${scene.org_domain}/sign-in/${id}`)).status).toBe(404)
  })
})

describe('step skipping', () => {
  /** Every button of every page; first those that would advance the flow the furthest. */
  const actions = [
    ...['allow', 'refuse'],
    ...['finish', 'password', 'totp', 'link_code', 'validate', 'acknowledge', 'set_password', 'not_now'],
    ...['identify', 'mail_link', 'forgot_password', 'change_address', 'resend'],
    ...['send_sms', 'enroll', 'new_codes'],
    ...['', 'show', 'constructor', '__proto__', 'toString'],
  ]
  const fields = { email: 'eve@people.example', password: goodPassword, code: '000000', acknowledged: 'on' }
  const places: readonly {
    readonly step: string
    readonly own: readonly string[]
    readonly reach: () => Promise<{ visitor: Visitor; page: Seen }>
  }[] = [
    { step: 'the address', own: ['identify'], reach: async () => given.begin() },
    {
      step: 'the password',
      own: ['password', 'mail_link', 'forgot_password', 'change_address'],
      reach: async () => given.atPassword(),
    },
    {
      step: 'the mailed link',
      own: ['link_code', 'resend', 'change_address'],
      reach: async () => {
        const { visitor, page } = await given.atPassword()
        return { visitor, page: { ...(await visitor.press(page, 'mail_link')), html: page.html } }
      },
    },
    {
      step: 'the second factor',
      own: ['totp', 'send_sms'],
      reach: async () => {
        const { visitor, page } = await given.atPassword(await given.enrolledScene())
        return { visitor, page: await visitor.press(page, 'password', { password: goodPassword }) }
      },
    },
    {
      step: 'an enrolment',
      own: ['enroll', 'validate', 'not_now'],
      reach: async () => {
        const scene = await given.scene()
        await given.totp.activate(scene.org_domain)
        const { visitor, page } = await given.atPassword(scene, { acr_values: mfa })
        return { visitor, page: await visitor.press(page, 'password', { password: goodPassword }) }
      },
    },
    {
      step: 'the consent',
      own: ['allow', 'refuse', 'change_address'],
      reach: async () => {
        const { visitor, landed: page } = await given.signIn(undefined, { prompt: 'consent' })
        return { visitor, page }
      },
    },
  ]

  test.each(places.map((place) => [place.step, place] as const))(
    'at %s is refused, whatever is pressed, and leaves it where it is',
    async (_, { own, reach }) => {
      const { visitor, page } = await reach()
      const before = await visitor.visit(page.url)

      const wrong = sampled(
        actions.filter((action) => !own.includes(action)),
        8,
      )
      const seen: [number, string | null][] = []
      for (const action of wrong) {
        const { status, location } = await visitor.send(page, action, fields)
        seen.push([status, location])
      }

      expect(seen).toEqual(wrong.map(() => [409, null]))
      expect((await visitor.visit(page.url)).html).toBe(before.html)
      expect(visitor.sessionSecret()).toBeUndefined()
    },
  )

  test('of the page before, which is still open in another tab, is refused', async () => {
    const { scene, visitor, page } = await given.begin()
    await visitor.press(page, 'identify', { email: scene.user.email })

    expect((await visitor.send(page, 'identify', { email: 'eve@people.example' })).status).toBe(409)
  })
})

describe('what changes while somebody signs in', () => {
  type Change = (scene: FlowScene) => Promise<unknown>
  const changes: [string, Change][] = [
    [
      'the user is deactivated',
      ({ org_domain, user }) => client.users.update({ org_domain, user_id: user.id, active: false }),
    ],
    [
      'the application is deleted',
      ({ org_domain, application }) =>
        client.applications.delete({ org_domain, client_id: application.client_id }),
    ],
    [
      'the organization lets the address in no more',
      ({ org_domain }) =>
        client.organizations.update({ org_domain, allowed_email_domains: ['elsewhere.example'] }),
    ],
    [
      'passwords are switched off',
      ({ org_domain }) => client.password.updateConnection({ org_domain, active: false }),
    ],
    ['the user is deleted', ({ org_domain, user }) => client.users.delete({ org_domain, user_id: user.id })],
    [
      'the address of the application is taken away',
      ({ org_domain, application }) =>
        client.applications.update({
          org_domain,
          client_id: application.client_id,
          allowed_redirect_urls: ['https://store.example/other'],
        }),
    ],
  ]

  test.each(changes)('is looked at before the password: %s', async (_, change) => {
    const { scene, page, visitor } = await given.atPassword()
    await change(scene)

    const seen = await visitor.send(page, 'password', { password: goodPassword })

    expect([403, 422]).toContain(seen.status)
    expect([seen.location, visitor.sessionSecret()]).toEqual([null, undefined])
  })

  const laterChanges: [string, Change][] = [
    [
      'the second factor is switched off',
      ({ org_domain }) => client.totp.updateConnection({ org_domain, active: false }),
    ],
    ...changes,
  ]
  test.each(sampled(laterChanges, 5))('is looked at before the second factor: %s', async (_, change) => {
    const scene = await given.enrolledScene()
    const { page, visitor } = await given.atPassword(scene)
    const asked = await visitor.press(page, 'password', { password: goodPassword })
    await change(scene)

    const seen = await visitor.press(asked, 'totp', { code: given.totp.codeOf(scene.app) })

    expect([403, 404, 422]).toContain(seen.status)
    expect([seen.location, visitor.sessionSecret()]).toEqual([null, undefined])
  })
})

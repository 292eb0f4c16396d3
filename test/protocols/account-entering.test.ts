import { describe, expect, test } from 'vitest'
import { longTest } from '../sampled.js'
import { answerOf, goodPassword, isIn } from '../given/flow-given.js'
import { anyEmail } from '../given/given.js'
import { startService } from '../given/harness.js'
import type { Seen } from '../given/visitor.js'
import { untilWaiting, whileHeld } from '../given/waiting.js'
import { accountSignInGivenOf, listedOn } from './account-sign-in-given.js'
import { mfa } from './enrolling-given.js'

const service = await startService()
const client = await service.client()
const given = accountSignInGivenOf(service, client)
const { flows, links, inTwo } = given

/** Sends again what is answered 503: on a busy machine a wait for a row exceeds its limit. */
async function repeatedly(send: () => Promise<Seen>): Promise<Seen> {
  const seen = await send()
  return seen.status === 503 ? repeatedly(send) : seen
}

describe('entering an organization', () => {
  longTest('asks for its password where it has no links', async () => {
    const scene = await given.scene()
    await client.magicLink.updateConnection({ org_domain: scene.org_domain, active: false })
    const visitor = flows.visitorOf()
    const list = await given.prove(scene.application, scene.user.email, visitor)

    const asked = await given.enter(list, scene.org_domain, visitor)
    expect(asked.html).toContain('Enter your password')
    expect(asked.html).toContain('Another organization')
    expect(isIn(await visitor.press(asked, 'password', { password: goodPassword }))).toBe(true)
  })

  test('leads back to the application where that has named the organization, also once a link was mailed', async () => {
    const { email, application, first, visitor } = await inTwo()
    const organization = first.org_domain

    const asked = await given.begin(application, visitor, { organization })
    const sent = await visitor.press(asked, 'identify', { email })

    const back = '<a href="https://store.example/">Back to Storefront</a>'
    for (const page of [asked, sent]) expect(page.html).toContain(back)
    expect(sent.html).not.toContain('Another organization')
    const own = { org_domain: organization, application }
    expect((await visitor.visit(flows.authorizeUrl(own))).html).not.toContain('Back to Storefront')
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
    await client.passkeys.updateConnection({ org_domain: first.org_domain, active: false })
    const list = await given.prove(application, email, visitor, { acr_values: 'urn:portico:acr:mfa' })

    const landed = await given.enter(list, first.org_domain, visitor)

    expect(answerOf(landed).get('error')).toBe('unmet_authentication_requirements')
  })

  test('enrolls a second factor by a proof of this sign-in, and of an earlier one only after another mail', async () => {
    const { email, application, first, visitor } = await inTwo()
    await flows.totp.activate(first.org_domain)
    const enter = async (list: Seen) => given.enter(list, first.org_domain, visitor)
    const enrolling = 'Set up two-step verification'
    expect((await enter(await given.prove(application, email, visitor, mfa))).html).toContain(enrolling)
    await service.clock.advance(30 * 60)

    const page = await enter(await given.begin(application, visitor, mfa))

    expect(page.html).not.toContain(enrolling)
    const sent = await visitor.press(page, 'identify', { email })
    expect(sent.url).toContain(`/t/${first.org_domain}/`)
    expect((await given.open(await links.newestLinkTo(email), visitor)).html).toContain(enrolling)
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

  longTest('is given up while its sign-in finishes: of both, none fails', async () => {
    const { email, application, first, visitor } = await inTwo()
    const asked = { prompt: 'consent select_organization' }
    const list = await given.prove(application, email, visitor, asked)
    const consent = await given.enter(list, first.org_domain, visitor)
    const back = await visitor.visit(list.url)
    const givingUp: Promise<Seen>[] = []

    // The sign-in has locked its flow, and waits for its user; then each of both waits for the other one.
    const allowed = await whileHeld(
      service,
      ['select from users where id = $1 for update', first.user.id],
      () => repeatedly(() => visitor.send(consent, 'allow')),
      async () => {
        givingUp.push(repeatedly(() => visitor.send(back, 'change_address')))
        await untilWaiting(service, 2)
      },
    )

    // The database chooses which of both it lets go on: a sign-in that was given up is refused, or over.
    expect([200, 303, 403, 404, 409]).toContain(allowed.status)
    expect((await Promise.all(givingUp)).map(({ status }) => status)).toEqual([303])
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

import type { Client } from '@portico/sdk'
import { beforeAll, describe, expect, test } from 'vitest'
import { startService, type Service } from '../harness.js'
import {
  onboardingGivenOf,
  tokenOf,
  type OnboardingGiven,
  type OnboardingScene,
} from '../onboarding-given.js'
import { createVisitor, type Visitor } from '../visitor.js'

let service: Service
let client: Client
let given: OnboardingGiven

beforeAll(async () => {
  service = await startService()
  client = await service.client()
  given = onboardingGivenOf(service, client)
})

const minute = 60
const hour = 60 * minute
const day = 24 * hour

async function adminOf({ org_domain, email }: { org_domain: string; email: string }) {
  const { data } = await client.admins.list({ org_domain })
  return data.find((admin) => admin.email === email)
}

function pathOf({ connection }: Pick<OnboardingScene, 'connection'>, page = ''): string {
  return `/onboarding/${connection.idp_id}${page}`
}

async function logCodes(): Promise<string[]> {
  const rows = await service.query<{ event_code: string }>(
    `select event_code from log_events where event_code like 'ADMIN%' order by inserted_at`,
  )
  return rows.map((row) => row.event_code)
}

describe('the link of an invitation', () => {
  test('does nothing when it is opened, by GET, HEAD or a program that looks ahead', async () => {
    const scene = await given.invited()
    const visitor = createVisitor(service.baseUrl)

    const page = await visitor.visit(scene.link)
    await visitor.request(scene.link, { method: 'HEAD' })
    await visitor.request(scene.link, { headers: { 'sec-purpose': 'prefetch' } })

    expect(page.status).toBe(200)
    expect(page.html).toContain('Continue as i***@corp.example')
    expect(page.html).not.toContain(scene.email)
    expect(await given.mailsTo(scene.email)).toHaveLength(1)
    expect(await adminOf(scene)).toMatchObject({ accepted_invitation_at: null, last_login_at: null })
    expect(await given.onboardingOf(scene)).toMatchObject({ state: 'it_admin_invitation_pending' })
    expect([...visitor.cookies.keys()]).not.toContain('portico-admin')
  })

  test('says to what the users will sign in: the application of the connection, else the product', async () => {
    const { id: organization_id, domain: org_domain } = await service.given.organization()
    const { id: application_id } = await service.given.application({ org_domain, name: 'Storefront <1>' })
    const scene = await given.invited({ organization_id, application_id })
    const { invitation, visitor, page } = await given.atCode(scene)
    const provider = await visitor.press(page, 'verify', { code: await given.codeTo(scene.email) })
    const mails = (await given.mailsTo(scene.email)).join()

    expect(mails).toContain('The people who run Storefront <1> ask you to connect the identity provider')
    expect(invitation.html).toContain('the identity provider of your organization to Storefront &lt;1>')
    expect(provider.html).toContain('will sign in to Storefront &lt;1>')

    for (const other of [await given.invited(), await given.invitedToAll(1)]) {
      const { html } = await createVisitor(service.baseUrl).visit(other.link)
      expect(html).toContain('the identity provider of your organization to Portico')
    }
  })

  test('lets nobody in without the code: the browser is asked for it at every address', async () => {
    const scene = await given.invited()
    const { visitor, page } = await given.atCode(scene)

    expect(page.html).toContain('6-digit code')
    expect((await visitor.visit(pathOf(scene))).html).toContain('6-digit code')
    for (const part of ['/provider', '/tutorial', '/metadata', '/sp-metadata.xml', '/test/start'])
      expect((await visitor.request(pathOf(scene, part))).status).toBe(401)
  })

  test('and the code of the mail let the administrator in, which their record and the connection say', async () => {
    const scene = await given.invited()
    const { page } = await given.arrived(scene)

    expect(new URL(page.url).pathname).toBe(pathOf(scene, '/provider'))
    expect(page.html).toContain('Which identity provider do you use?')
    const at = expect.stringMatching(/Z$/)
    expect(await adminOf(scene)).toMatchObject({ accepted_invitation_at: at, last_login_at: at })
    expect(await given.onboardingOf(scene)).toMatchObject({ state: 'it_admin_onboarding' })
    expect(await logCodes()).toContain('ADMIN_ONBOARDING_LOGIN')
  })

  test('opens in another browser by another code', async () => {
    const scene = await given.invited()
    const first = await given.arrived(scene)
    const code = await given.codeTo(scene.email)
    const second = await given.atCode(scene)

    const wrong = await second.visitor.press(second.page, 'verify', { code })
    expect(wrong.status).toBe(422)
    const right = await second.visitor.press(wrong, 'verify', { code: await given.codeTo(scene.email) })
    expect(right.status).toBe(200)
    expect((await first.visitor.visit(pathOf(scene, '/provider'))).status).toBe(200)
  })

  test('works for 30 days', async () => {
    const scene = await given.invited()
    service.clock.advance(30 * day - minute)
    expect((await createVisitor(service.baseUrl).visit(scene.link)).status).toBe(200)

    service.clock.advance(2 * minute)
    const page = await createVisitor(service.baseUrl).visit(scene.link)
    expect(page.status).toBe(404)
    expect(page.html).toContain('This invitation does not work any more')
  })

  test('ends with the next invitation, and so do its sessions', async () => {
    const scene = await given.invited()
    const { visitor } = await given.arrived(scene)

    await client.ssoConnections.inviteAdmin({ idp_id: scene.connection.idp_id })

    expect((await createVisitor(service.baseUrl).visit(scene.link)).status).toBe(404)
    expect((await visitor.visit(pathOf(scene, '/provider'))).status).toBe(401)
    const link = await given.linkTo(scene.email)
    expect(link).not.toBe(scene.link)
    expect((await given.arrived({ ...scene, link })).page.status).toBe(200)
  })

  test('ends with the administrator, and with the organization', async () => {
    const removed = await given.invited()
    const deleted = await given.invited()
    const visitors = [await given.arrived(removed), await given.arrived(deleted)]

    await client.admins.delete({ org_domain: removed.org_domain, email: removed.email })
    await client.organizations.delete({ org_domain: deleted.org_domain })

    for (const scene of [removed, deleted])
      expect((await createVisitor(service.baseUrl).visit(scene.link)).status).toBe(404)
    expect((await visitors[0]?.visitor.visit(pathOf(removed, '/provider')))?.status).toBe(401)
    expect((await visitors[1]?.visitor.visit(pathOf(deleted, '/provider')))?.status).toBe(401)
  })

  test('of one connection is not good at the address of another, nor of the organization', async () => {
    const [scene, other] = [await given.invited(), await given.invited()]
    const visitor = createVisitor(service.baseUrl)
    const token = tokenOf(scene.link)

    for (const path of [pathOf(other), '/onboarding', '/onboarding/nobody'])
      expect((await visitor.visit(`${path}?token=${token}`)).status).toBe(404)
  })
})

describe('the code', () => {
  test('has five tries, and then another one has to be asked for', async () => {
    const scene = await given.invited()
    const { visitor, page } = await given.atCode(scene)
    const code = await given.codeTo(scene.email)
    const wrong = await given.wrongCode(scene.email)

    for (let tries = 1; tries <= 5; tries++) {
      const answer = await visitor.press(page, 'verify', { code: wrong })
      expect(answer.html).toContain('This code does not work. Enter the one')
    }
    expect((await visitor.press(page, 'verify', { code })).html).toContain('Ask for another one')

    const again = await visitor.press(page, 'send_again')
    expect(again.html).toContain('Another code is on its way')
    expect((await visitor.press(again, 'verify', { code: await given.codeTo(scene.email) })).url).toContain(
      '/provider',
    )
  })

  test('is tried five times also by many at once', async () => {
    const scene = await given.invited()
    const { visitor, page } = await given.atCode(scene)
    const wrong = await given.wrongCode(scene.email)

    const answers = await Promise.all(
      Array.from({ length: 12 }, () => visitor.send(page, 'verify', { code: wrong })),
    )

    const looked = answers.filter(({ html }) => html.includes('Enter the one from the newest e-mail'))
    expect(looked).toHaveLength(5)
    const code = await given.codeTo(scene.email)
    expect((await visitor.press(page, 'verify', { code })).status).toBe(422)
  })

  test('works for ten minutes', async () => {
    const scene = await given.invited()
    const { visitor, page } = await given.atCode(scene)
    const code = await given.codeTo(scene.email)
    service.clock.advance(10 * minute + 1)

    expect((await visitor.press(page, 'verify', { code })).html).toContain('Ask for another one')
  })

  test('is not good any more once another one was asked for', async () => {
    const scene = await given.invited()
    const { visitor, page } = await given.atCode(scene)
    const first = await given.codeTo(scene.email)
    await visitor.press(page, 'send_again')
    const second = await given.codeTo(scene.email)

    if (first !== second) expect((await visitor.press(page, 'verify', { code: first })).status).toBe(422)
    expect((await visitor.press(page, 'verify', { code: second })).status).toBe(200)
  })

  test('is mailed three times in ten minutes, in whatever browser of a network it is asked for', async () => {
    const scene = await given.invited()
    const { visitor, page } = await given.atCode(scene)
    await visitor.press(page, 'send_again')
    await visitor.press(page, 'send_again')

    const again = await visitor.press(page, 'send_again')
    expect(again.status).toBe(429)
    expect(again.html).toContain('Several codes are on their way already')
    const elsewhere = await given.atCode(scene)
    expect(elsewhere.page.status).toBe(429)

    expect(await given.mailsTo(scene.email)).toHaveLength(4)
    service.clock.advance(10 * minute + 1)
    expect((await visitor.press(page, 'send_again')).status).toBe(200)
  })

  test('is typed as it is read, with a space in it', async () => {
    const scene = await given.invited()
    const { visitor, page } = await given.atCode(scene)
    const code = await given.codeTo(scene.email)

    const answer = await visitor.press(page, 'verify', { code: `${code.slice(0, 3)} ${code.slice(3)}` })
    expect(answer.url).toContain('/provider')
  })

  test('that is missing is asked for', async () => {
    const { visitor, page } = await given.atCode(await given.invited())
    expect((await visitor.press(page, 'verify', { code: ' ' })).html).toContain('Enter the code.')
  })
})

describe('the session of an administrator', () => {
  test('lasts eight hours', async () => {
    const scene = await given.invited()
    const { visitor } = await given.arrived(scene)
    service.clock.advance(8 * hour - minute)
    expect((await visitor.visit(pathOf(scene, '/provider'))).status).toBe(200)

    service.clock.advance(2 * minute)
    const page = await visitor.visit(pathOf(scene, '/provider'))
    expect(page.status).toBe(401)
    expect(page.html).toContain('Open your invitation')
  })

  test('is of its connection: another one is not there, as one that does not exist', async () => {
    const [scene, other] = [await given.invited(), await given.invited()]
    const { visitor, page } = await given.inTutorial(scene)
    const foreign = await given.inTutorial(other)

    for (const idpId of [other.connection.idp_id, 'nobody_1234']) {
      for (const part of [
        'provider',
        'tutorial',
        'metadata',
        'sp-metadata.xml',
        'sp-certificate.pem',
        'test/start',
      ]) {
        const answer = await visitor.request(`/onboarding/${idpId}/${part}`)
        expect(answer.status).toBe(404)
        expect(answer.html).toContain('There is no such connection')
      }
    }
    const csrf = /name="csrf" value="([\w-]+)"/.exec(page.html)?.[1] ?? ''
    const sent = await visitor.request(pathOf(other, '/tutorial'), {
      method: 'POST',
      headers: { origin: service.baseUrl },
      body: new URLSearchParams({ csrf, action: 'next', step: '0' }),
    })
    expect(sent.status).toBe(404)
    expect((await foreign.visitor.visit(pathOf(other, '/tutorial'))).html).toContain('Step 1 of')
  })

  test('of the organization lists its connections, and is good at each of them and at no other', async () => {
    const scene = await given.invitedToAll(2)
    const stranger = await given.invited()
    const { visitor, page } = await given.arrived(scene)

    expect(new URL(page.url).pathname).toBe('/onboarding')
    for (const { idp_id } of scene.connections) {
      expect(page.html).toContain(idp_id)
      const at = await visitor.visit(`/onboarding/${idp_id}`)
      expect(at.html).toContain('Which identity provider do you use?')
      const tutorial = await visitor.press(at, 'choose', { provider_type: 'keycloak' })
      expect(tutorial.html).toContain('Import us as a client')
    }
    expect(page.html).not.toContain(stranger.connection.idp_id)
    expect((await visitor.visit(pathOf(stranger, '/provider'))).status).toBe(404)
  })

  test('ends when the administrator signs out, and the link lets them in again', async () => {
    const scene = await given.invited()
    const { visitor, page } = await given.arrived(scene)
    const secret = visitor.cookies.get('portico-admin')

    const left = await visitor.press(page, 'leave')
    expect(left.html).toContain('You are signed out')
    expect(visitor.cookies.has('portico-admin')).toBe(false)
    const stolen = { headers: { cookie: `portico-admin=${secret}` } }
    expect((await visitor.request(pathOf(scene, '/provider'), stolen)).status).toBe(401)
    expect((await given.arrived(scene, visitor)).page.status).toBe(200)
  })

  test('takes no form of another site, of another browser, or without its field', async () => {
    const scene = await given.invited()
    const { visitor, page } = await given.arrived(scene)
    const other = await given.arrived(await given.invited())
    const fields = { provider_type: 'okta' }

    const refused = [
      await visitor.send(page, 'choose', fields, { origin: 'https://evil.example' }),
      await visitor.send(page, 'choose', fields, {}),
      await visitor.send(
        { ...page, html: page.html.replace(/name="csrf" value="/g, '$&x') },
        'choose',
        fields,
      ),
      await visitor.send(
        { ...other.page, url: page.url, html: withAction(other.page.html, page.url) },
        'choose',
        fields,
      ),
    ]

    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403])
    expect(await given.onboardingOf(scene)).toMatchObject({ provider_type: 'unset' })
  })
})

describe('the form of the invitation', () => {
  test('is taken from our page in the same browser alone', async () => {
    const scene = await given.invited()
    const visitor = createVisitor(service.baseUrl)
    const page = await visitor.visit(scene.link)
    const token = tokenOf(scene.link)

    const refused = [
      await visitor.send(page, 'continue', { token }, { origin: 'https://evil.example' }),
      await createVisitor(service.baseUrl).send(page, 'continue', { token }),
    ]

    expect(refused.map(({ status }) => status)).toEqual([403, 403])
    expect(await given.mailsTo(scene.email)).toHaveLength(1)
    expect((await visitor.visit(scene.link)).status).toBe(200)
  })
})

describe('who is not in charge', () => {
  async function expectDeclined(scene: OnboardingScene, page: { html: string }, visitor: Visitor) {
    expect(page.html).toContain('Thank you for telling us')
    expect(await adminOf(scene)).toMatchObject({ declined_to_be_in_charge_at: expect.stringMatching(/Z$/) })
    expect((await visitor.visit(scene.link)).status).toBe(404)
    expect((await visitor.visit(pathOf(scene, '/provider'))).status).toBe(401)
    const [event] = await service.query(
      `select actor_type, data->>'email' as email from events
       where code = 'admin.admin.update.success' order by issued_at desc limit 1`,
    )
    expect(event).toEqual({ actor_type: 'admin', email: scene.email })
    expect(await logCodes()).toContain('ADMIN_ONBOARDING_DECLINED')
  }

  test('says so behind the code: the link alone, which may have been forwarded, ends nothing', async () => {
    const scene = await given.invited()
    const owner = await given.arrived(scene)
    const thief = createVisitor(service.baseUrl)
    const invitation = await thief.visit(scene.link)
    const fields = { token: tokenOf(scene.link) }

    expect(invitation.html).not.toContain('value="decline"')
    await thief.send(invitation, 'decline', fields)
    const code = await thief.press(invitation, 'continue', fields)
    expect((await thief.send(code, 'decline')).status).toBe(422)

    expect(await adminOf(scene)).toMatchObject({ declined_to_be_in_charge_at: null })
    expect((await owner.visitor.visit(pathOf(scene, '/provider'))).status).toBe(200)
    expect((await thief.visit(scene.link)).status).toBe(200)
  })

  test('says so on any page, which ends the sessions of the link, too', async () => {
    const scene = await given.invited()
    const [one, other] = [await given.arrived(scene), await given.arrived(scene)]
    await expectDeclined(scene, await one.visitor.press(one.page, 'decline'), one.visitor)
    expect((await other.visitor.visit(pathOf(scene, '/provider'))).status).toBe(401)
  })
})

describe('the steps', () => {
  test('go on and back, are kept for another browser, and are told by events', async () => {
    const scene = await given.invited()
    const { visitor, page } = await given.inTutorial(scene)
    expect(page.html).toContain('Step 1 of 5')
    expect(await given.onboardingOf(scene)).toMatchObject({
      provider_type: 'okta',
      onboarding: { state: 'provider_type_chosen', provider_type: 'okta', tutorial_step: 0 },
    })

    const second = await visitor.press(page, 'next', { step: '0' })
    const third = await visitor.press(second, 'next', { step: '1' })
    const back = await visitor.press(third, 'previous', { step: '2' })
    expect(back.html).toContain('Step 2 of 5')

    const elsewhere = await given.arrived(scene)
    expect(elsewhere.page.url).toContain('/tutorial')
    expect(elsewhere.page.html).toContain('Step 2 of 5')
    expect(await given.onboardingOf(scene)).toMatchObject({ onboarding: { tutorial_step: 1 } })
  })

  test('of two browsers at once are taken once', async () => {
    const scene = await given.invited()
    const { visitor, page } = await given.inTutorial(scene)
    const other = await given.arrived(scene)

    await Promise.all([
      visitor.send(page, 'next', { step: '0' }),
      other.visitor.send(other.page, 'next', { step: '0' }),
      visitor.send(page, 'next', { step: '0' }),
    ])

    expect(await given.onboardingOf(scene)).toMatchObject({ onboarding: { tutorial_step: 1 } })
  })

  test('of two browsers, one behind the other, move by what each has seen', async () => {
    const scene = await given.invited()
    const { visitor, page } = await given.inTutorial(scene)
    const behind = await given.arrived(scene)
    await visitor.press(page, 'next', { step: '0' })

    const shown = await behind.visitor.press(behind.page, 'next', { step: '0' })
    expect(shown.html).toContain('Step 2 of 5')
    expect(await given.onboardingOf(scene)).toMatchObject({ onboarding: { tutorial_step: 1 } })
  })

  test('begin anew with another product, and stay with the same one', async () => {
    const scene = await given.invited()
    const { visitor, page } = await given.inTutorial(scene)
    await visitor.press(page, 'next', { step: '0' })

    const choice = await visitor.visit(pathOf(scene, '/provider'))
    expect((await visitor.press(choice, 'choose', { provider_type: 'okta' })).html).toContain('Step 2 of 5')
    const adfs = await visitor.press(choice, 'choose', { provider_type: 'adfs' })
    expect(adfs.html).toContain('Step 1 of 6')
    expect(await given.onboardingOf(scene)).toMatchObject({ provider_type: 'adfs' })
  })

  test('of a product that was preset begin at its tutorial', async () => {
    const scene = await given.invited({ provider_type: 'keycloak' })
    const { page } = await given.arrived(scene)
    expect(page.html).toContain('Import us as a client')
  })

  test('lead nowhere else: a page that is too far goes back to the one that is due', async () => {
    const scene = await given.invited()
    const { visitor } = await given.arrived(scene)
    for (const part of ['/tutorial', '/metadata', '/review', '/test', '/test/start', '/done'])
      expect((await visitor.visit(pathOf(scene, part))).url).toContain('/provider')
  })

  test('are shown anew after the operator has reset the onboarding, which ends its sessions', async () => {
    const scene = await given.invited()
    const { visitor } = await given.inTutorial(scene)

    await client.ssoConnections.resetOnboarding({ idp_id: scene.connection.idp_id })

    expect((await visitor.visit(pathOf(scene, '/tutorial'))).status).toBe(401)
    const { page } = await given.arrived(scene)
    expect(page.html).toContain('Which identity provider do you use?')
  })

  test('an unknown page, and another method, are refused', async () => {
    const scene = await given.invited()
    const { visitor } = await given.arrived(scene)
    expect((await visitor.request(pathOf(scene, '/nothing'))).status).toBe(404)
    expect((await visitor.request(pathOf(scene, '/toString'))).status).toBe(404)
    expect((await visitor.request(pathOf(scene, '/provider'), { method: 'PUT' })).status).toBe(405)
    expect((await visitor.request('/onboarding', { method: 'DELETE' })).status).toBe(405)
  })
})

test('our metadata and certificate are downloaded as files', async () => {
  const scene = await given.invited()
  const { visitor } = await given.arrived(scene)

  const metadata = await visitor.request(pathOf(scene, '/sp-metadata.xml'))
  const certificate = await visitor.request(pathOf(scene, '/sp-certificate.pem'))

  expect(metadata.headers.get('content-disposition')).toBe('attachment; filename="sp-metadata.xml"')
  expect(metadata.html).toContain(scene.connection.acs_url)
  expect(certificate.html).toMatch(/^-----BEGIN CERTIFICATE-----\n[\s\S]+-----END CERTIFICATE-----\n$/)
})

function withAction(html: string, url: string): string {
  return html.replace(/(<form[^>]* action=")[^"]*/, `$1${new URL(url).pathname}`)
}

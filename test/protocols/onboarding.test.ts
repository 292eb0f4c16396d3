import { describe, expect, test } from 'vitest'
import { longDescribe, longTest } from '../sampled.js'
import { startService } from '../given/harness.js'
import { onboardingGivenOf, pathOf, tokenOf } from '../given/onboarding-given.js'
import { createVisitor } from '../given/visitor.js'

const service = await startService()
const client = await service.client()
const given = onboardingGivenOf(service, client)

const minute = 60
const hour = 60 * minute
const day = 24 * hour

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
    expect(await given.adminOf(scene)).toMatchObject({ accepted_invitation_at: null, last_login_at: null })
    expect(await given.onboardingOf(scene)).toMatchObject({ state: 'it_admin_invitation_pending' })
    expect([...visitor.cookies.keys()]).not.toContain('portico-admin')
  })

  longTest(
    'says to what the users will sign in: the application of the connection, else the product',
    async () => {
      const { id: organization_id, domain: org_domain } = await service.given.organization()
      const { id: application_id } = await service.given.application({ org_domain, name: 'Storefront <1>' })
      const scene = await given.invited({ organization_id, application_id })
      const { invitation, visitor, page } = await given.atCode(scene)
      const provider = await visitor.press(page, 'verify', { code: await given.codeTo(scene.email) })
      const mails = (await given.mailsTo(scene.email)).join()

      expect(mails).toContain('You have been invited to connect the identity provider')
      expect(invitation.html).toContain('your organization’s identity provider to Storefront &lt;1>')
      expect(provider.html).toContain('and soon to Storefront &lt;1>')

      for (const other of [await given.invited(), await given.invitedToAll(1)]) {
        const { html } = await createVisitor(service.baseUrl).visit(other.link)
        expect(html).toContain('your organization’s identity provider to Portico')
      }
    },
  )

  test('lets nobody in without the code: the browser is asked for it at every address', async () => {
    const { scene, visitor, page } = await given.atNewCode()

    expect(page.html).toMatch(/6[-\u2011]digit code/)
    expect((await visitor.visit(pathOf(scene))).html).toMatch(/6[-\u2011]digit code/)
    for (const part of ['/provider', '/tutorial', '/metadata', '/sp-metadata.xml', '/test/start'])
      expect((await visitor.request(pathOf(scene, part))).status).toBe(401)
  })

  longTest(
    'and the code of the mail let the administrator in, which their record and the connection say',
    async () => {
      const { scene, page } = await given.newArrival()

      expect(new URL(page.url).pathname).toBe(pathOf(scene, '/provider'))
      expect(page.html).toContain('Which identity provider do you use?')
      const at = expect.stringMatching(/Z$/)
      expect(await given.adminOf(scene)).toMatchObject({ accepted_invitation_at: at, last_login_at: at })
      expect(await given.onboardingOf(scene)).toMatchObject({ state: 'it_admin_onboarding' })
      expect(await given.logCodes()).toContain('ADMIN_ONBOARDING_LOGIN')
    },
  )

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
    await service.clock.advance(30 * day - minute)
    expect((await createVisitor(service.baseUrl).visit(scene.link)).status).toBe(200)

    await service.clock.advance(2 * minute)
    const page = await createVisitor(service.baseUrl).visit(scene.link)
    expect(page.status).toBe(404)
    expect(page.html).toContain('This invitation no longer works')
  })

  longTest('ends with the next invitation, and so do its sessions', async () => {
    const { scene, visitor } = await given.newArrival()

    await client.ssoConnections.inviteAdmin({ idp_id: scene.connection.idp_id })

    expect((await createVisitor(service.baseUrl).visit(scene.link)).status).toBe(404)
    expect((await visitor.visit(pathOf(scene, '/provider'))).status).toBe(401)
    const link = await given.linkTo(scene.email)
    expect(link).not.toBe(scene.link)
    expect((await given.arrived({ ...scene, link })).page.status).toBe(200)
  })

  longTest('ends with the administrator, and with the organization', async () => {
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
    const { scene, visitor, page } = await given.atNewCode()
    const code = await given.codeTo(scene.email)
    const wrong = await given.wrongCode(scene.email)

    for (let tries = 1; tries <= 5; tries++) {
      const answer = await visitor.press(page, 'verify', { code: wrong })
      expect(answer.html).toContain('Incorrect code. Enter the one')
    }
    expect((await visitor.press(page, 'verify', { code })).html).toContain('Request a new one')

    const again = await visitor.press(page, 'send_again')
    expect(again.html).toContain('We have sent you a new code')
    expect((await visitor.press(again, 'verify', { code: await given.codeTo(scene.email) })).url).toContain(
      '/provider',
    )
  })

  test('is tried five times also by many at once', async () => {
    const { scene, visitor, page } = await given.atNewCode()
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
    const { scene, visitor, page } = await given.atNewCode()
    const code = await given.codeTo(scene.email)
    await service.clock.advance(10 * minute + 1)

    expect((await visitor.press(page, 'verify', { code })).html).toContain('Request a new one')
  })

  test('is not good any more once another one was asked for', async () => {
    const { scene, visitor, page } = await given.atNewCode()
    const first = await given.codeTo(scene.email)
    await visitor.press(page, 'send_again')
    const second = await given.codeTo(scene.email)

    if (first !== second) expect((await visitor.press(page, 'verify', { code: first })).status).toBe(422)
    expect((await visitor.press(page, 'verify', { code: second })).status).toBe(200)
  })

  test('is mailed three times in ten minutes, in whatever browser of a network it is asked for', async () => {
    const { scene, visitor, page } = await given.atNewCode()
    await visitor.press(page, 'send_again')
    await visitor.press(page, 'send_again')

    const again = await visitor.press(page, 'send_again')
    expect(again.status).toBe(429)
    expect(again.html).toContain('We have already sent you several codes')
    const elsewhere = await given.atCode(scene)
    expect(elsewhere.page.status).toBe(429)

    expect(await given.mailsTo(scene.email)).toHaveLength(4)
    await service.clock.advance(10 * minute + 1)
    expect((await visitor.press(page, 'send_again')).status).toBe(200)
  })

  test('is typed as it is read, with a space in it', async () => {
    const { scene, visitor, page } = await given.atNewCode()
    const code = await given.codeTo(scene.email)

    const answer = await visitor.press(page, 'verify', { code: `${code.slice(0, 3)} ${code.slice(3)}` })
    expect(answer.url).toContain('/provider')
  })

  test('that is missing is asked for', async () => {
    const { visitor, page } = await given.atNewCode()
    expect((await visitor.press(page, 'verify', { code: ' ' })).html).toContain('Enter the code.')
  })
})

longDescribe('the session of an administrator', () => {
  test('lasts eight hours', async () => {
    const { scene, visitor } = await given.newArrival()
    await service.clock.advance(8 * hour - minute)
    expect((await visitor.visit(pathOf(scene, '/provider'))).status).toBe(200)

    await service.clock.advance(2 * minute)
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
        expect(answer.html).toContain('Connection not found')
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
      expect(tutorial.html).toContain('Create a client from our metadata')
    }
    expect(page.html).not.toContain(stranger.connection.idp_id)
    expect((await visitor.visit(pathOf(stranger, '/provider'))).status).toBe(404)
  })

  test('ends when the administrator signs out, and the link lets them in again', async () => {
    const { scene, visitor, page } = await given.newArrival()
    const secret = visitor.cookies.get('portico-admin')

    const left = await visitor.press(page, 'leave')
    expect(left.html).toContain('You are signed out')
    expect(visitor.cookies.has('portico-admin')).toBe(false)
    const stolen = { headers: { cookie: `portico-admin=${secret}` } }
    expect((await visitor.request(pathOf(scene, '/provider'), stolen)).status).toBe(401)
    expect((await given.arrived(scene, visitor)).page.status).toBe(200)
  })

  test('takes no form of another site, of another browser, or without its field', async () => {
    const { scene, visitor, page } = await given.newArrival()
    const other = await given.newArrival()
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

function withAction(html: string, url: string): string {
  return html.replace(/(<form[^>]* action=")[^"]*/, `$1${new URL(url).pathname}`)
}

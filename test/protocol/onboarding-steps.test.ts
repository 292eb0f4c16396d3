import type { Client } from '@portico/sdk'
import { beforeAll, describe, expect, test } from 'vitest'
import { startService, type Service } from '../harness.js'
import {
  onboardingGivenOf,
  pathOf,
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

describe('who is not in charge', () => {
  async function expectDeclined(scene: OnboardingScene, page: { html: string }, visitor: Visitor) {
    expect(page.html).toContain('Thank you for telling us')
    expect(await given.adminOf(scene)).toMatchObject({
      declined_to_be_in_charge_at: expect.stringMatching(/Z$/),
    })
    expect((await visitor.visit(scene.link)).status).toBe(404)
    expect((await visitor.visit(pathOf(scene, '/provider'))).status).toBe(401)
    const [event] = await service.query(
      `select actor_type, data->>'email' as email from events
       where code = 'admin.admin.update.success' order by issued_at desc limit 1`,
    )
    expect(event).toEqual({ actor_type: 'admin', email: scene.email })
    expect(await given.logCodes()).toContain('ADMIN_ONBOARDING_DECLINED')
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

    expect(await given.adminOf(scene)).toMatchObject({ declined_to_be_in_charge_at: null })
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

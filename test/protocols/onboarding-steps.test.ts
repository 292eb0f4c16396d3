import { describe, expect, test } from 'vitest'
import { startService } from '../given/harness.js'
import {
  onboardingGivenOf,
  pathOf,
  tokenOf,
  uploadIdOf,
  type OnboardingScene,
} from '../given/onboarding-given.js'
import { idpMetadata } from '../given/sso-given.js'
import { chooseAtTestIdp } from '../given/test-idp-given.js'
import { createVisitor, type Visitor } from '../given/visitor.js'

const service = await startService()
const client = await service.client()
const given = onboardingGivenOf(service, client)

describe('who is not in charge', () => {
  async function expectDeclined(scene: OnboardingScene, page: { html: string }, visitor: Visitor) {
    expect(page.html).toContain('Thank you for letting us know')
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
    const { scene, visitor, page } = await given.inTutorial()
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
    const { scene, visitor, page } = await given.inTutorial()
    const other = await given.arrived(scene)

    await Promise.all([
      visitor.send(page, 'next', { step: '0' }),
      other.visitor.send(other.page, 'next', { step: '0' }),
      visitor.send(page, 'next', { step: '0' }),
    ])

    expect(await given.onboardingOf(scene)).toMatchObject({ onboarding: { tutorial_step: 1 } })
  })

  test('of two browsers, one behind the other, move by what each has seen', async () => {
    const { scene, visitor, page } = await given.inTutorial()
    const behind = await given.arrived(scene)
    await visitor.press(page, 'next', { step: '0' })

    const shown = await behind.visitor.press(behind.page, 'next', { step: '0' })
    expect(shown.html).toContain('Step 2 of 5')
    expect(await given.onboardingOf(scene)).toMatchObject({ onboarding: { tutorial_step: 1 } })
  })

  test('begin anew with another product, and stay with the same one', async () => {
    const { scene, visitor, page } = await given.inTutorial()
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
    expect(page.html).toContain('Create a client from our metadata')
  })

  test('lead nowhere else: a page that is too far goes back to the one that is due', async () => {
    const { scene, visitor } = await given.newArrival()
    for (const part of ['/tutorial', '/metadata', '/review', '/test', '/test/start', '/done'])
      expect((await visitor.visit(pathOf(scene, part))).url).toContain('/provider')
  })

  test('are shown anew after the operator has reset the onboarding, which ends its sessions', async () => {
    const { scene, visitor } = await given.inTutorial()

    await client.ssoConnections.resetOnboarding({ idp_id: scene.connection.idp_id })

    expect((await visitor.visit(pathOf(scene, '/tutorial'))).status).toBe(401)
    const { page } = await given.arrived(scene)
    expect(page.html).toContain('Which identity provider do you use?')
  })

  test('an unknown page, and another method, are refused', async () => {
    const { scene, visitor } = await given.newArrival()
    expect((await visitor.request(pathOf(scene, '/nothing'))).status).toBe(404)
    expect((await visitor.request(pathOf(scene, '/toString'))).status).toBe(404)
    expect((await visitor.request(pathOf(scene, '/provider'), { method: 'PUT' })).status).toBe(405)
    expect((await visitor.request('/onboarding', { method: 'DELETE' })).status).toBe(405)
  })
})

describe('the built-in identity provider', () => {
  test('is left again for another product, which begins from its first step', async () => {
    const scene = await given.invited()
    const { visitor } = await given.inTutorial(scene, 'test')
    const choice = await visitor.visit(pathOf(scene, '/provider'))
    const entered = await visitor.press(choice, 'choose', { provider_type: 'adfs' })
    expect(entered.html).toContain('Step 1 of 6')
    expect(await given.onboardingOf(scene)).toMatchObject({
      provider_type: 'adfs',
      state: 'it_admin_onboarding',
      metadata: [{ current: false }],
      onboarding: { provider_type: 'adfs', state: 'provider_type_chosen' },
    })
    // The onboarding waits for that product's metadata; the pages of test and completion are not reachable.
    for (const part of ['/test/start', '/done'])
      expect((await visitor.visit(pathOf(scene, part))).url).not.toContain('/test-idp/')
    expect((await visitor.visit(pathOf(scene, '/done'))).url).toContain('/metadata')
  })

  test('leads over the test to the end, and asks for no metadata', async () => {
    const scene = await given.invitedToAll(2)
    const [operators, chosen] = scene.connections.map(({ idp_id }) => idp_id)
    await client.ssoConnections.update({ idp_id: operators ?? '', provider_type: 'test' })
    const { visitor } = await given.arrived(scene)
    for (const idp_id of [operators, chosen, chosen]) {
      const at = `/onboarding/${idp_id}`
      const tutorial = await visitor.press(await visitor.visit(`${at}/provider`), 'choose', {
        provider_type: 'test',
      })
      const page = await visitor.press(tutorial, 'next', { step: '0' })
      expect(page.html).toContain(`${at}/test/start`)
      expect(page.html).not.toContain(`${at}/metadata`)
      for (const part of ['metadata', 'review', 'client'])
        expect((await visitor.visit(`${at}/${part}`)).url).toContain(`${at}/test`)
      const sent = await visitor.request(`${at}/test/start`)
      const idp = await visitor.visit(sent.location ?? '')
      const seen = await chooseAtTestIdp(visitor, idp, { email: 'ada@corp.example', fault: 'none' })
      expect(seen.html).toContain('The test has passed')
      const done = await visitor.visit(`${at}/done`)
      expect([new URL(done.url).pathname, done.html]).toEqual([
        `${at}/done`,
        expect.not.stringContaining('not tested yet'),
      ])
    }
  })

  test('takes no metadata: those which waited for another product are not stored', async () => {
    const { scene, visitor } = await given.inTutorial()
    await given.upload(scene, visitor, { xml: idpMetadata() })
    const review = await visitor.visit(pathOf(scene, '/review'))
    const form = await visitor.visit(pathOf(scene, '/metadata'))
    await visitor.press(await visitor.visit(pathOf(scene, '/provider')), 'choose', { provider_type: 'test' })

    await visitor.press(review, 'confirm', { upload_id: uploadIdOf(review) })
    await visitor.press(form, 'upload', { xml: idpMetadata() })
    expect((await given.onboardingOf(scene)).metadata).toMatchObject([{ uploaded_by: 'service' }])
    expect((await visitor.visit(pathOf(scene, '/review'))).url).toContain('/test')
  })
})

test('our metadata and certificate are downloaded as files', async () => {
  const { scene, visitor } = await given.newArrival()

  const metadata = await visitor.request(pathOf(scene, '/sp-metadata.xml'))
  const certificate = await visitor.request(pathOf(scene, '/sp-certificate.pem'))

  expect(metadata.headers.get('content-disposition')).toBe('attachment; filename="sp-metadata.xml"')
  expect(metadata.html).toContain(scene.connection.acs_url)
  expect(certificate.html).toMatch(/^-----BEGIN CERTIFICATE-----\n[\s\S]+-----END CERTIFICATE-----\n$/)
})

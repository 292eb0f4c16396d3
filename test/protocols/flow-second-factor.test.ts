import { describe, expect, test } from 'vitest'
import { longDescribe, longTest } from '../sampled.js'
import { answerOf, flowGivenOf, goodPassword, type FlowScene } from '../given/flow-given.js'
import { flowLinkGivenOf } from '../given/flow-link-given.js'
import { startService } from '../given/harness.js'

const service = await startService()
const client = await service.client()
const given = flowGivenOf(service, client)
const links = flowLinkGivenOf(service, client, given)

/** Somebody who knows the password of a user, and waits for the code. */
async function atSecondFactor(scene: FlowScene) {
  const { visitor, page } = await given.atPassword(scene)
  const waiting = await visitor.press(page, 'password', { password: goodPassword })
  return { visitor, waiting, landed: () => visitor.visit(waiting.url) }
}

describe('a code that an application asks for', () => {
  longTest('does not pass a sign-in that waits on the pages, which stays open', async () => {
    const scene = await given.enrolledScene()
    const { visitor, waiting, landed } = await atSecondFactor(scene)
    const user = { org_domain: scene.org_domain, user_id: scene.user.id }

    await expect(
      client.totp.validateChallenge({ ...user, code: given.totp.codeOf(scene.app) }),
    ).rejects.toMatchObject({ code: 'totp_challenge_not_open' })

    expect(answerOf(await landed()).get('code')).toBeNull()
    const passed = await visitor.press(waiting, 'totp', { code: given.totp.codeOf(scene.app) })
    expect(answerOf(passed).get('code')).not.toBeNull()
  })

  test('passes its own challenge, also where a sign-in on the pages has asked since', async () => {
    const scene = await given.enrolledScene()
    const user = { org_domain: scene.org_domain, user_id: scene.user.id }
    const asked = await client.totp.createChallenge(user)
    await service.clock.advance(5)
    const { landed } = await atSecondFactor(scene)

    const passed = await client.totp.validateChallenge({ ...user, code: given.totp.codeOf(scene.app) })

    expect(passed.code).toBeNull()
    expect(asked.request_id).toBeDefined()
    expect(answerOf(await landed()).get('code')).toBeNull()
  })

  test('is not taken for the challenge of the pages, whoever knows its id', async () => {
    const scene = await given.enrolledScene()
    const { landed } = await atSecondFactor(scene)
    const [row] = await service.query<{ id: string }>('select id from totp_challenges where user_id = $1', [
      scene.user.id,
    ])

    await expect(
      client.totp.validateChallenge({
        org_domain: scene.org_domain,
        user_id: scene.user.id,
        request_id: row?.id ?? '',
        code: given.totp.codeOf(scene.app),
      }),
    ).rejects.toMatchObject({ code: 'totp_challenge_not_open' })

    expect(answerOf(await landed()).get('code')).toBeNull()
  })

  test('is asked for no sign-in of the pages, whoever knows its id', async () => {
    const scene = await given.enrolledScene()
    await atSecondFactor(scene)
    const [row] = await service.query<{ id: string }>('select id from pending_sign_ins where user_id = $1', [
      scene.user.id,
    ])

    await expect(
      client.totp.createChallenge({
        org_domain: scene.org_domain,
        user_id: scene.user.id,
        password_request_id: row?.id ?? '',
      }),
    ).rejects.toMatchObject({ code: 'invalid_parameters' })
  })

  longTest(
    'by text message is another one than that of the pages, and both are good where they were asked for',
    async () => {
      const scene = await scenesBySms()
      const user = { org_domain: scene.org_domain, user_id: scene.user.id }
      await client.totp.createChallenge(user)
      const ofApi = await newestMessage(scene.phoneNumber)
      const { visitor, waiting, landed } = await atSecondFactor(scene)
      const ofPage = await newestMessage(scene.phoneNumber)
      expect(ofPage).not.toBe(ofApi)

      await expect(client.totp.validateChallenge({ ...user, code: ofPage })).rejects.toMatchObject({
        code: 'totp_code_rejected',
      })
      expect(answerOf(await landed()).get('code')).toBeNull()
      expect((await visitor.send(waiting, 'totp', { code: ofApi })).status).toBe(422)
      await client.totp.validateChallenge({ ...user, code: ofApi })
      const passed = await visitor.press(waiting, 'totp', { code: ofPage })

      expect(answerOf(passed).get('code')).not.toBeNull()
    },
  )
})

longDescribe('two browsers of a user that wait for text messages', () => {
  test('have a challenge each, and each one’s message passes it alone', async () => {
    const scene = await scenesBySms()
    const first = await atSecondFactor(scene)
    const ofFirst = await newestMessage(scene.phoneNumber)
    await service.clock.advance(31)
    const second = await atSecondFactor(scene)
    const ofSecond = await newestMessage(scene.phoneNumber)
    expect(ofSecond).not.toBe(ofFirst)

    const refused = await second.visitor.send(second.waiting, 'totp', { code: ofFirst })
    const passed = await first.visitor.press(first.waiting, 'totp', { code: ofFirst })

    expect(refused.status).toBe(422)
    expect(answerOf(passed).get('code')).not.toBeNull()
  })
})

describe('a session with one factor', () => {
  test('is not enough once the user has enrolled', async () => {
    const scene = await given.scene()
    await given.totp.activate(scene.org_domain)
    const { visitor } = await given.signIn(scene)
    const { app } = await given.totp.enroll({ org_domain: scene.org_domain, user_id: scene.user.id })
    await service.clock.advance(30)

    const refused = answerOf(await visitor.request(given.authorizeUrl(scene, { prompt: 'none' })))
    const page = await visitor.visit(given.authorizeUrl(scene))
    const passed = answerOf(await visitor.press(page, 'totp', { code: given.totp.codeOf(app) }))
    const next = answerOf(await visitor.request(given.authorizeUrl(scene, { prompt: 'none' })))

    expect([refused.get('code'), refused.get('error')]).toEqual([null, 'interaction_required'])
    expect([passed.get('code'), next.get('code')]).not.toContain(null)
  })

  test('is enough while the organization asks for no second factor', async () => {
    const scene = await given.enrolledScene()
    await client.totp.updateConnection({ org_domain: scene.org_domain, active: false })
    const { visitor } = await given.signIn(scene)

    const without = answerOf(await visitor.request(given.authorizeUrl(scene, { prompt: 'none' })))
    await given.totp.activate(scene.org_domain)
    const asked = answerOf(await visitor.request(given.authorizeUrl(scene, { prompt: 'none' })))

    expect(without.get('code')).not.toBeNull()
    expect([asked.get('code'), asked.get('error')]).toEqual([null, 'interaction_required'])
  })

  test('does not set up a second factor: the user signs in anew before', async () => {
    const scene = await given.scene()
    await given.totp.activate(scene.org_domain)
    const { visitor } = await given.signIn(scene)
    const demand = { acr_values: 'urn:portico:acr:mfa' }

    const refused = answerOf(await visitor.request(given.authorizeUrl(scene, { ...demand, prompt: 'none' })))
    const { page } = await given.atPassword(scene, demand, visitor)
    const enrolling = await visitor.press(page, 'password', { password: goodPassword })

    expect(refused.get('error')).toBe('login_required')
    expect(page.html).toContain('value="password"')
    expect(enrolling.html).toContain('value="enroll"')
  })
})

describe('a sign-in that waits after one factor', () => {
  test('is over once the user has enrolled', async () => {
    const { scene, visitor, waiting } = await atRenewal(await given.scene())

    await given.totp.enroll({ org_domain: scene.org_domain, user_id: scene.user.id })

    expect((await visitor.visit(waiting.url)).html).not.toContain('value="not_now"')
    expect(answerOf(await visitor.send(waiting, 'not_now')).get('code')).toBeNull()
  })

  test('does not end once the organization asks for the second factor', async () => {
    const enrolled = await given.enrolledScene()
    await client.totp.updateConnection({ org_domain: enrolled.org_domain, active: false })
    const { scene, visitor, waiting } = await atRenewal(enrolled)
    await client.totp.updateConnection({ org_domain: scene.org_domain, active: true })

    const landed = await visitor.press(waiting, 'not_now')

    expect(answerOf(landed).get('code')).toBeNull()
  })
})

describe('a first enrolment', () => {
  test('is mailed to its user', async () => {
    const scene = await given.scene()
    await given.totp.activate(scene.org_domain)

    await given.totp.enroll({ org_domain: scene.org_domain, user_id: scene.user.id })

    await service.runJobs()
    const { data } = await client.outbox.list({ to: scene.user.email })
    // The messages of one run of jobs have no order.
    expect(data.map(({ subject }) => subject)).toContainEqual(
      expect.stringContaining('Two-step verification was set up at'),
    )
  })
})

describe('a forgotten password', () => {
  test('is followed by the second factor, also where links do not sign in', async () => {
    const scene = await given.enrolledScene()
    await client.magicLink.updateConnection({ org_domain: scene.org_domain, active: false })
    const { visitor, link } = await links.linkSent(scene, { action: 'forgot_password' })
    const form = await links.open(link, visitor)
    const set = await visitor.visit(form.location ?? '')
    const asked = await visitor.press(set, 'set_password', {
      password: 'an entirely different phrase 42',
      password_code: new URL(set.url).searchParams.get('password_code') ?? '',
    })

    const landed = await visitor.press(asked, 'totp', { code: given.totp.codeOf(scene.app) })

    expect([landed.status, answerOf(landed).has('code')]).toEqual([303, true])
  })
})

/** A sign-in that waits for another password, with nothing but the password passed. */
async function atRenewal(scene: FlowScene) {
  const { org_domain } = scene
  if (!('app' in scene)) await given.totp.activate(org_domain)
  await client.password.updateConnection({ org_domain, plain_text_min_length: 40 })
  const { visitor, page } = await given.atPassword(scene)
  const waiting = await visitor.press(page, 'password', { password: goodPassword })
  expect(waiting.html).toContain('value="not_now"')
  return { scene, visitor, waiting }
}

async function scenesBySms() {
  const scene = await given.scene()
  const phoneNumber = '+33612345679'
  const user = { org_domain: scene.org_domain, user_id: scene.user.id }
  await client.users.update({ ...user, phone_number: phoneNumber })
  await given.totp.activate(scene.org_domain, { method: 'sms' })
  const enrollment = await client.totp.enroll(user)
  await client.totp.validateEnrollment({ ...user, code: enrollment.first_verification_code ?? '' })
  return { ...scene, phoneNumber }
}

/** The code in the latest message to a number. */
async function newestMessage(phoneNumber: string): Promise<string> {
  await service.runJobs()
  const { data } = await client.outbox.list({ to: phoneNumber })
  return /\b(\d{6})\b/.exec(data[0]?.text ?? '')?.[1] ?? ''
}

import { describe, expect, test } from 'vitest'
import { addressesOf } from '../api/password-given.js'
import { answerOf, callback, flowGivenOf, goodPassword } from '../given/flow-given.js'
import { anyEmail } from '../given/given.js'
import { startService } from '../given/harness.js'
import { pkcePair, type Seen } from '../given/visitor.js'
import { exchange } from './code-given.js'

const service = await startService()
const client = await service.client()
const given = flowGivenOf(service, client)

const aCode = expect.stringMatching(/^[\w-]{43}$/)

describe('a sign-in on the pages', () => {
  test('by password ends at the application with a code for tokens, with state and iss', async () => {
    const scene = await given.scene()
    const { verifier, challenge } = pkcePair()

    const { landed, answer } = await given.signIn(scene, { code_challenge: challenge })

    expect([landed.status, landed.location]).toEqual([303, expect.stringContaining(`${callback}?code=`)])
    expect(Object.fromEntries(answer)).toEqual({
      code: aCode,
      state: 'state-1',
      iss: `${service.baseUrl}/t/${scene.org_domain}`,
    })
    const tokens = await exchange(service, {
      code: answer.get('code') ?? '',
      code_verifier: verifier,
      redirect_uri: callback,
      client_id: scene.application.client_id,
    })
    expect(tokens.status).toBe(200)
  })

  test('keeps the query of the redirect_uri, and works without state and nonce', async () => {
    const scene = await given.scene()
    const redirect_uri = 'https://store.example/callback?tenant=a'
    await client.applications.update({
      org_domain: scene.org_domain,
      client_id: scene.application.client_id,
      allowed_redirect_urls: [redirect_uri],
    })

    const { landed } = await given.signIn(scene, { redirect_uri, state: undefined, nonce: undefined })

    expect(landed.location).toMatch(/^https:\/\/store\.example\/callback\?tenant=a&code=[\w-]{43}&iss=/)
  })

  test('by password and the app', async () => {
    const scene = await given.enrolledScene()
    const { visitor, page } = await given.atPassword(scene)
    const asked = await visitor.press(page, 'password', { password: goodPassword })

    const missing = await visitor.send(asked, 'totp', { code: ' ' })
    const wrong = await visitor.send(asked, 'totp', { code: given.totp.wrongCode(scene.app) })
    const code = given.totp.codeOf(scene.app)
    const landed = await visitor.press(asked, 'totp', { code: `${code.slice(0, 3)} ${code.slice(3)}` })

    expect([missing.status, wrong.status]).toEqual([422, 422])
    expect(answerOf(landed).get('code')).toEqual(aCode)
  })

  test('by password and a recovery code, once', async () => {
    const scene = await given.enrolledScene()
    const [code = ''] = scene.recoveryCodes
    const useIt = async () => {
      const { visitor, page } = await given.atPassword(scene)
      const asked = await visitor.press(page, 'password', { password: goodPassword })
      const form = await visitor.visit(`${asked.url}?way=recovery`)
      return visitor.send(form, 'totp', { code })
    }

    const [first, again] = [await useIt(), await useIt()]

    expect(answerOf(first).get('code')).toEqual(aCode)
    expect(again.status).toBe(422)
  })

  test('by password and a text message, which is sent once, and again when it is asked for', async () => {
    const scene = await given.scene()
    await client.users.update({
      org_domain: scene.org_domain,
      user_id: scene.user.id,
      phone_number: '+33612345678',
    })
    await given.totp.activate(scene.org_domain, { method: 'sms' })
    const place = { org_domain: scene.org_domain, user_id: scene.user.id }
    const enrollment = await client.totp.enroll(place)
    await client.totp.validateEnrollment({ ...place, code: enrollment.first_verification_code ?? '' })

    const { visitor, page } = await given.atPassword(scene)
    const asked = await visitor.press(page, 'password', { password: goodPassword })
    await visitor.visit(asked.url)
    const first = await textCodes(scene.org_domain)
    const resent = await visitor.press(asked, 'send_sms')
    const both = await textCodes(scene.org_domain)
    const old = await visitor.send(resent, 'totp', { code: first[0] ?? '' })
    const landed = await visitor.press(resent, 'totp', { code: both[0] ?? '' })

    expect([first.length, both.length]).toEqual([1, 2])
    expect(asked.html).not.toContain('+33612345678')
    expect(old.status).toBe(422)
    expect(answerOf(landed).get('code')).toEqual(aCode)
  })

  test('lets the address be changed before the password is sent', async () => {
    const { scene, page, visitor } = await given.begin()
    const typo = await visitor.press(page, 'identify', { email: 'tpyo@people.example' })
    const back = await visitor.press(typo, 'change_address')
    expect(back.html).toContain('value="tpyo@people.example"')
    const right = await visitor.press(back, 'identify', { email: ` ${scene.user.email.toUpperCase()} ` })

    const landed = await visitor.press(right, 'password', { password: goodPassword })

    expect(answerOf(landed).get('code')).toEqual(aCode)
  })

  test('stays in the language that somebody has chosen on a page', async () => {
    const { scene, page, visitor } = await given.begin()
    const french = await visitor.visit(`${page.url}?ui_locales=fr`)

    const next = await visitor.press(french, 'identify', { email: scene.user.email })

    expect(next.html).toContain('<html lang="fr"')
  })

  test('is in the log and the events of the account, its session with the browser’s name', async () => {
    const scene = await given.scene()
    const { challenge } = pkcePair()
    await given.signIn(scene, { code_challenge: challenge })

    const { data: logged } = await client.logEvents.list({ org_domain: scene.org_domain })
    const codes = logged.map(({ event_code }) => event_code)
    const [session] = await service.query<{ user_agent: string; amr: string[] }>(
      'select user_agent, amr from sessions where user_id = $1 and secret_hash is not null',
      [scene.user.id],
    )

    expect(codes.slice(0, 3)).toEqual([
      'END_USER_SIGN_IN_SUCCESS',
      'END_USER_PASSWORD_SUCCESS',
      'END_USER_SIGN_IN_STARTED',
    ])
    expect(session).toEqual({ user_agent: 'node', amr: ['pwd'] })
  })
})

describe('the page of the address', () => {
  test.each([
    ['nothing', ''],
    ['no address', 'ada'],
    ['an address with something behind it', 'ada@people.example\0'],
    ['two addresses', 'ada@people.example,eve@evil.example'],
  ])('is shown again for %s', async (_, email) => {
    const { visitor, page } = await given.begin()

    const seen = await visitor.send(page, 'identify', { email })

    expect([seen.status, seen.html.includes('role="alert"')]).toEqual([422, true])
  })

  test('is shown again for an address outside of allowed_email_domains', async () => {
    const scene = await given.passwords.scene({}, { allowed_email_domains: ['people.example'] })
    const { visitor, page } = await given.begin(scene)

    const outside = await visitor.send(page, 'identify', { email: 'ada@people.example.evil.example' })
    const inside = await visitor.send(page, 'identify', { email: 'ada@people.example' })

    expect([outside.status, inside.status]).toEqual([422, 303])
  })

  test('leads on in the same way whoever has the address', async () => {
    const scene = await given.scene()
    const addresses = await addressesOf(service, client, scene)

    const pages = await Promise.all(
      Object.values(addresses).map(async (email) => {
        const { visitor, page } = await given.begin(scene)
        return withoutOwn(await visitor.press(page, 'identify', { email }), email)
      }),
    )

    expect(new Set(pages).size).toBe(1)
  })

  test('says so where nobody can sign in', async () => {
    const scene = await given.scene()
    await client.password.updateConnection({ org_domain: scene.org_domain, active: false })
    await client.magicLink.updateConnection({ org_domain: scene.org_domain, active: false })
    await client.passkeys.updateConnection({ org_domain: scene.org_domain, active: false })

    const { page } = await given.begin(scene)

    expect([page.status, page.html.includes('<form')]).toEqual([200, false])
  })
})

describe('the page of the password', () => {
  test('says the same whether the password is wrong, the address unknown, or its user inactive or without one', async () => {
    const scene = await given.scene()
    const addresses = await addressesOf(service, client, scene)

    const answers = await Promise.all(
      Object.values(addresses).map(async (email) => {
        const { visitor, page } = await given.begin(scene)
        const asked = await visitor.press(page, 'identify', { email })
        const seen = await visitor.send(asked, 'password', { password: 'a wrong one' })
        return [seen.status, withoutOwn(seen, email), seen.headers.get('retry-after')]
      }),
    )

    expect(answers).toEqual(answers.map(() => [422, answers[0]?.[1], null]))
  })

  test.each([
    ['none', ''],
    ['one that is longer than any', 'x'.repeat(4097)],
  ])('is shown again for %s, and nothing is counted', async (_, password) => {
    const { visitor, page } = await given.atPassword()

    expect((await visitor.send(page, 'password', { password })).status).toBe(422)
  })
})

/** A page without the parts that differ between flows. */
function withoutOwn({ html }: Seen, email: string): string {
  return html
    .replaceAll('<wbr/>', '')
    .replaceAll(email, '<address>')
    .replace(/name="csrf" value="[\w-]+"/g, '')
    .replace(/sign-in\/[0-9a-f-]{36}/g, '')
}

/** The codes in the text messages of an organization, newest first. */
async function textCodes(org_domain: string): Promise<string[]> {
  await service.runJobs()
  const { data } = await client.outbox.list({})
  return data
    .filter(({ __domain__, channel }) => __domain__ === org_domain && channel === 'sms')
    .map(({ text }) => /\b\d{6}\b/.exec(text)?.[0] ?? '')
}

test('every page of a flow may send its forms to the application, and to nobody else', async () => {
  const scene = await given.scene()
  const { page } = await given.begin(scene, { login_hint: anyEmail() })

  expect(page.headers.get('content-security-policy')).toContain("form-action 'self' https://store.example;")
  expect(page.headers.get('cache-control')).toBe('no-store')
})

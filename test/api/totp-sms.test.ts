import type { Client } from '@portico/sdk'
import { beforeAll, describe, expect, test } from 'vitest'
import { longTest } from '../sampled.js'
import { startService, type Service } from '../given/harness.js'
import { anyNumber, stepSeconds, totpGivenOf, type TotpGiven, type TotpScene } from '../given/totp-given.js'

let service: Service
let client: Client
let given: TotpGiven

beforeAll(async () => {
  service = await startService({ variables: { SMS_COUNTRIES: 'FR, US' } })
  client = await service.client()
  given = totpGivenOf(service, client)
})

const rejected = { status: 401, code: 'totp_code_rejected' }
const unverified = { status: 403, code: 'phone_number_unverified' }

/** The text messages to a number of the sandbox, newest first. */
async function textsTo(to: string): Promise<string[]> {
  await service.runJobs()
  const { data } = await client.outbox.list({ to })
  return data.map(({ text }) => text)
}

function codeIn(text: string | undefined): string {
  return /\d{6}/.exec(text ?? '')?.[0] ?? ''
}

/** Creates a challenge, and returns the code in its message. */
async function askedBy(scene: TotpScene): Promise<string> {
  await given.challenge(scene)
  const [text] = await textsTo(scene.user.phone_number ?? '')
  return codeIn(text)
}

describe('the enrolment of a telephone', () => {
  test('sends the code that the answer has, once, and no later answer', async () => {
    const phone_number = anyNumber()
    const { org_domain, user_id } = await given.scene({ method: 'sms', phone_number })

    const begun = await client.totp.enroll({ org_domain, user_id })

    expect(begun).toMatchObject({ method: 'sms', uri: null })
    expect(begun.first_verification_code).toMatch(/^\d{6}$/)
    const texts = await textsTo(phone_number)
    expect(texts).toEqual([expect.stringContaining(begun.first_verification_code ?? '-')])
    const code = codeIn(texts[0])
    const validated = await client.totp.validateEnrollment({ org_domain, user_id, code })
    expect(validated).toMatchObject({ method: 'sms', enrollment_totp_nb: 1, first_verification_code: null })
    await service.runJobs()
    expect(await textsTo(phone_number)).toHaveLength(1)
  })

  test('verifies the number, and tells it by one event', async () => {
    const scene = await given.enrolledBySms({ phone_number: anyNumber() })
    const { org_domain, user_id } = scene

    expect(await client.users.get({ org_domain, user_id })).toMatchObject({ phone_number_verified: true })
    expect(await updatesOf(user_id)).toBe(1)
    const { first_verification_code } = await client.totp.enroll({ org_domain, user_id, force_enroll: true })
    await client.totp.validateEnrollment({ org_domain, user_id, code: first_verification_code ?? '' })
    expect(await updatesOf(user_id)).toBe(1)
  })

  test.each([
    ['another', () => anyNumber()],
    ['none', () => null],
  ])('is void with a number that is not the user’s any more, who has %s', async (_what, present) => {
    const { org_domain, user_id } = await given.scene({ method: 'sms', phone_number: anyNumber() })
    const { first_verification_code } = await client.totp.enroll({ org_domain, user_id })
    await client.users.update({ org_domain, user_id, phone_number: present() })

    await expect(
      client.totp.validateEnrollment({ org_domain, user_id, code: first_verification_code ?? '' }),
    ).rejects.toMatchObject({ status: 404, code: 'totp_enrollment_not_found' })

    expect(await client.users.get({ org_domain, user_id })).toMatchObject({ phone_number_verified: false })
    await expect(given.challenge({ org_domain, user_id })).rejects.toMatchObject({
      code: 'totp_not_enrolled',
    })
  })

  test('that is begun again sends one code, and the first is worth nothing', async () => {
    const phone_number = anyNumber()
    const { org_domain, user_id } = await given.scene({ method: 'sms', phone_number })
    const first = await client.totp.enroll({ org_domain, user_id })
    const second = await client.totp.enroll({ org_domain, user_id })

    expect((await textsTo(phone_number)).map(codeIn)).toEqual([second.first_verification_code])
    if (first.first_verification_code === second.first_verification_code) return
    await expect(
      client.totp.validateEnrollment({ org_domain, user_id, code: first.first_verification_code ?? '' }),
    ).rejects.toMatchObject({ code: 'totp_code_rejected' })
  })

  test('waits as long as the connection says', async () => {
    const phone_number = anyNumber()
    const { org_domain, user_id } = await given.scene({ method: 'sms', phone_number, expiry_in_seconds: 60 })
    const { first_verification_code } = await client.totp.enroll({ org_domain, user_id })
    await service.clock.advance(60)

    await expect(
      client.totp.validateEnrollment({ org_domain, user_id, code: first_verification_code ?? '' }),
    ).rejects.toMatchObject({ status: 404, code: 'totp_enrollment_not_found' })
    expect(await textsTo(phone_number)).toEqual([])
  })

  test('409 without a number; 403 for one of a country that is not listed', async () => {
    const without = await given.scene({ method: 'sms' })
    const abroad = await given.scene({ method: 'sms', phone_number: '+18765551234' })
    const enroll = ({ org_domain, user_id }: TotpScene) => client.totp.enroll({ org_domain, user_id })

    await expect(enroll(without)).rejects.toMatchObject({ status: 409, code: 'phone_number_missing' })
    await expect(enroll(abroad)).rejects.toMatchObject({ status: 403, code: 'phone_number_not_allowed' })
  })
})

describe('a code by text message', () => {
  test('is in the message and in no answer, and passes the challenge once', async () => {
    const scene = await given.enrolledBySms({ phone_number: anyNumber() })
    const asked = await given.challenge(scene)
    const [text] = await textsTo(scene.user.phone_number ?? '')
    const code = codeIn(text)

    expect(code).toHaveLength(6)
    expect(JSON.stringify({ ...asked, request_id: '', user_id: '' })).not.toContain(code)
    expect(await given.answer(scene, code)).toMatchObject({ success: true, code: null })
    await expect(given.answer(scene, code)).rejects.toMatchObject({ code: 'totp_challenge_not_open' })
  })

  test('is the only one that is good: asking again voids the one before', async () => {
    const scene = await given.enrolledBySms({ phone_number: anyNumber() })
    const { request_id } = await given.challenge(scene)
    const [first] = await textsTo(scene.user.phone_number ?? '')
    await service.clock.advance(1)
    const second = await askedBy(scene)

    await expect(given.answer(scene, codeIn(first), { request_id })).rejects.toMatchObject({
      code: 'totp_challenge_not_open',
    })
    expect(await given.answer(scene, second)).toMatchObject({ success: true })
  })

  test('is good for the time of the connection', async () => {
    const scene = await given.enrolledBySms({ phone_number: anyNumber(), expiry_in_seconds: 120 })
    const { sent_at, expired_at } = await given.challenge(scene)
    expect(Date.parse(expired_at) - Date.parse(sent_at)).toBe(120_000)
    const [text] = await textsTo(scene.user.phone_number ?? '')
    await service.clock.advance(120)

    await expect(given.answer(scene, codeIn(text))).rejects.toMatchObject({ code: 'totp_challenge_not_open' })
  })

  test('is sent to no number that is not verified, nor to one that came since', async () => {
    const scene = await given.enrolledBySms({ phone_number: anyNumber() })
    const { org_domain, user_id } = scene
    const another = anyNumber()
    await given.challenge(scene)
    await client.users.update({ org_domain, user_id, phone_number: another })

    expect(await textsTo(another)).toEqual([])
    await expect(given.challenge(scene)).rejects.toMatchObject(unverified)
  })

  test.each([
    ['another', () => anyNumber()],
    ['none', () => null],
  ])('is wrong when the number was changed since to %s; a recovery code passes', async (_what, present) => {
    const scene = await given.enrolledBySms({ phone_number: anyNumber() })
    const { org_domain, user_id, recoveryCodes } = scene
    const code = await askedBy(scene)
    await client.users.update({ org_domain, user_id, phone_number: present() })

    for (let count = 0; count < 4; count++)
      await expect(given.answer(scene, code)).rejects.toMatchObject(rejected)

    expect(await given.answer(scene, recoveryCodes[0] ?? '')).toMatchObject({ recovery_code_used: true })
  })

  test('to a number that was changed since counts as wrong: the fifth locks the user', async () => {
    const scene = await given.enrolledBySms({ phone_number: anyNumber() })
    const { org_domain, user_id, recoveryCodes } = scene
    const code = await askedBy(scene)
    await client.users.update({ org_domain, user_id, phone_number: anyNumber() })
    for (let count = 0; count < 5; count++) await given.answer(scene, code).catch(() => undefined)

    await expect(given.answer(scene, recoveryCodes[0] ?? '')).rejects.toMatchObject({ code: 'totp_locked' })
  })

  test('names the organization, the time and, in the sandbox, that it is a test, in its language', async () => {
    const phone_number = anyNumber()
    const { org_domain, user_id } = await given.scene({ method: 'sms', phone_number, locale: 'fr-FR' })
    await client.organizations.update({ org_domain, name: 'Acme\r\n\u202eshop' })
    const { first_verification_code } = await client.totp.enroll({ org_domain, user_id })

    expect(await textsTo(phone_number)).toEqual([
      `Test: ${first_verification_code} est votre code pour Acme shop. Il expire dans 10 minutes. Ne le donnez à personne.`,
    ])
  })

  test('used many times at once passes once', async () => {
    const scene = await given.enrolledBySms({ phone_number: anyNumber() })
    const code = await askedBy(scene)

    const answers = await Promise.allSettled(Array.from({ length: 50 }, () => given.answer(scene, code)))

    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  test('stands in no job, event or log event', async () => {
    const scene = await given.enrolledBySms({ phone_number: anyNumber() })
    await given.challenge(scene)
    const jobs = await service.query<{ text: string }>(
      "select payload::text as text from jobs where name = 'send_totp_code'",
    )
    expect(jobs.length).toBeGreaterThan(0)
    const [sent] = await textsTo(scene.user.phone_number ?? '')
    const code = codeIn(sent)
    await given.answer(scene, code)

    const told = await service.query<{ text: string }>(
      `select data::text || params::text as text from events where subject_id = $1
       union all select event_code || coalesce(reason, '') from log_events where resource_owner_id = $1`,
      [scene.user_id],
    )
    expect(told.length).toBeGreaterThan(3)
    for (const { text } of [...jobs, ...told]) expect(text).not.toContain(code)
  })
})

describe('a challenge that nothing is sent for', () => {
  test('is passed by a recovery code, also with a number that is new, gone, or where no message may go', async () => {
    const scene = await given.enrolledBySms({ phone_number: anyNumber() })
    const { org_domain, user_id, recoveryCodes } = scene

    for (const [index, phone_number] of [anyNumber(), null, '+18765551234'].entries()) {
      await client.users.update({ org_domain, user_id, phone_number })
      await given.challenge(scene, { send_code: false })

      const passed = await given.answer(scene, recoveryCodes[index] ?? '')

      expect(passed).toMatchObject({ success: true, recovery_code_used: true })
    }
  })

  longTest(
    'sends nothing, counts no message, and leaves a code that was sent before as good as it was',
    async () => {
      const limited = await startService({ variables: { SMS_PER_HOUR: '2' } })
      const caller = await limited.client()
      const there = totpGivenOf(limited, caller)
      const scene = await there.enrolledBySms({ phone_number: anyNumber() })
      const sent = await there.challenge(scene)
      for (let count = 0; count < 5; count++) await there.challenge(scene, { send_code: false })

      await limited.runJobs()
      const { data } = await caller.outbox.list({ to: scene.user.phone_number ?? '' })

      expect(data).toHaveLength(1)
      const { request_id } = sent
      expect(await there.answer(scene, codeIn(data[0]?.text), { request_id })).toMatchObject({
        success: true,
      })
      await expect(there.challenge(scene)).rejects.toMatchObject({ status: 429, code: 'rate_limited' })
    },
  )

  test('is passed by no six digits, and counts them as wrong', async () => {
    const scene = await given.enrolledBySms({ phone_number: anyNumber() })
    const code = await askedBy(scene)
    const { request_id } = await given.challenge(scene, { send_code: false })

    for (const digits of [code, '000000', code, '000000', code])
      await expect(given.answer(scene, digits, { request_id })).rejects.toMatchObject(rejected)

    const [recoveryCode = ''] = scene.recoveryCodes
    await expect(given.answer(scene, recoveryCode)).rejects.toMatchObject({ code: 'totp_locked' })
  })

  test('waits ten minutes, whatever the time of the connection', async () => {
    const scene = await given.enrolledBySms({ phone_number: anyNumber(), expiry_in_seconds: 30 })

    const { sent_at, expired_at } = await given.challenge(scene, { send_code: false })

    expect(Date.parse(expired_at) - Date.parse(sent_at)).toBe(600_000)
  })

  test('is one of the app as any other for who has the app', async () => {
    const scene = await given.enrolled()
    await service.clock.advance(stepSeconds)
    await given.challenge(scene, { send_code: false })

    expect(await given.answer(scene, given.codeOf(scene.app))).toMatchObject({ success: true })
  })
})

describe('in production', () => {
  test('a code goes to the provider, to the number, without a word of a test', async () => {
    const sending = await startService({
      variables: { SMS_URL: 'https://AC1:token@sms.example?from=%2B15005550006', SMS_COUNTRIES: 'FR' },
    })
    const production = await sending.client({ environment: 'production' })
    const phone_number = anyNumber()
    const there = totpGivenOf(sending, production)
    const { org_domain, user_id } = await there.scene({ method: 'sms', phone_number })
    const { name } = await sending.given.organization()
    await production.organizations.update({ org_domain, name })
    const { first_verification_code: code } = await production.totp.enroll({ org_domain, user_id })
    await sending.runJobs()

    const text = `${code} is your code for ${name}. It expires in 10 minutes. Do not share it.`
    expect(await sending.sentTo(phone_number)).toEqual([{ to: phone_number, subject: null, text }])
  })

  test('a code that the provider refuses and then takes is in the log, each attempt once, with the reason', async () => {
    const sending = await startService({
      variables: { SMS_URL: 'https://AC1:token@sms.example?from=%2B15005550006', SMS_COUNTRIES: 'FR' },
    })
    const production = await sending.client({ environment: 'production' })
    const there = totpGivenOf(sending, production)
    const { org_domain, user_id } = await there.scene({ method: 'sms', phone_number: anyNumber() })
    const { sms } = sending.deps
    const { send } = sms
    const refused = 'the provider of text messages answered 429'
    sms.send = () => Promise.reject(new Error(refused))
    await production.totp.enroll({ org_domain, user_id })
    await sending.runJobs()
    sms.send = send
    await sending.clock.advance(60)
    await sending.runJobs()

    const logged = async (code: 'SMS_SENT' | 'SMS_FAILED') => {
      const { data } = await production.logEvents.list({ org_domain, code })
      return data.map(({ reason }) => reason)
    }
    expect([await logged('SMS_FAILED'), await logged('SMS_SENT')]).toEqual([[refused], [null]])
  })

  test('422: the method sms where the service sends no text messages; in the sandbox it may be tried', async () => {
    const reachable = await startService({
      variables: {
        BASE_URL: 'https://auth.example',
        SMTP_URL: 'smtp://localhost',
        TRUSTED_PROXIES: 'loopback',
      },
    })
    const answers = await Promise.all(
      (['production', 'sandbox'] as const).map((environment) => setSms(reachable, environment)),
    )

    expect(answers).toEqual([
      [422, [{ path: 'method', code: 'not_available', message: expect.any(String) }]],
      [200, undefined],
    ])
  })
})

/** Sets the method like a client behind a proxy that terminates TLS. */
async function setSms(at: Service, environment: 'sandbox' | 'production'): Promise<unknown[]> {
  const credentials = await at.apiKey({ environment })
  const grant = { ...credentials, domain: at.account.domain, grant_type: 'client_credentials' }
  const { body: issued } = await askBehindProxy(at, 'POST', '/api/v2/oauth/token', grant)
  const token = String(issued['access_token'])
  const { body } = await askBehindProxy(at, 'POST', '/api/v2/organizations', { name: 'Acme' }, token)
  const path = `/api/v2/org/${String(body['domain'])}/totp-connection`
  const answer = await askBehindProxy(at, 'PUT', path, { method: 'sms' }, token)
  return [answer.status, (answer.body['error'] as { fields?: unknown } | undefined)?.fields]
}

async function askBehindProxy(
  at: Service,
  method: string,
  path: string,
  members: object,
  token?: string,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const answer = await fetch(`http://127.0.0.1:${at.port}${path}`, {
    method,
    headers: {
      'content-type': 'application/json',
      'x-forwarded-proto': 'https',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(members),
  })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

async function updatesOf(userId: string): Promise<number> {
  const rows = await service.query(
    "select from events where subject_id = $1 and code = 'user.user.update.success'",
    [userId],
  )
  return rows.length
}

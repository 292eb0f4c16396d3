import { describe, expect, test } from 'vitest'
import { longTest } from '../sampled.js'
import { startService } from '../given/harness.js'
import { totpGivenOf } from '../given/totp-given.js'
import { signIn } from '../given/world.js'
import { goodPassword, passwordGivenOf } from './password-given.js'

const service = await startService()
const client = await service.client()
const given = totpGivenOf(service, client)
const passwords = passwordGivenOf(service, client)

const rejected = { status: 401, code: 'totp_code_rejected' }
const nothingBegun = { status: 404, code: 'totp_enrollment_not_found' }

describe('the enrolment of an app', () => {
  test('begins with a key URI and five recovery codes, which no later answer repeats', async () => {
    const { user, ...place } = await given.scene()
    const name = `Acme ${place.org_domain}`
    await client.organizations.update({ org_domain: place.org_domain, name })

    const begun = await client.totp.enroll(place)

    expect(begun).toMatchObject({
      __type__: 'TotpEnrollment',
      user_id: user.id,
      email: user.email,
      method: 'totp_mobile_app',
      validated_enrollment_at: null,
      enrollment_totp_nb: 0,
      first_verification_code: null,
    })
    const uri = new URL(begun.uri ?? '')
    expect([uri.protocol, uri.host, decodeURIComponent(uri.pathname)]).toEqual([
      'otpauth:',
      'totp',
      `/${name}:${user.email}`,
    ])
    expect(Object.fromEntries(uri.searchParams)).toEqual({
      issuer: name,
      // 160 bits (RFC 4226 section 4).
      secret: expect.stringMatching(/^[A-Z2-7]{32}$/),
      algorithm: 'SHA1',
      digits: '6',
      period: '30',
    })
    const codes = begun.recovery_codes?.split('\n') ?? []
    expect(new Set(codes).size).toBe(5)
    for (const code of codes) expect(code).toMatch(/^[a-z2-7]{10}$/)

    const { app } = await given.begun(place)
    const validated = await client.totp.validateEnrollment({ ...place, code: given.codeOf(app) })
    expect(validated).toMatchObject({
      validated_enrollment_at: expect.any(String),
      enrollment_totp_nb: 1,
      first_verification_code: null,
      recovery_codes: null,
      uri: null,
    })
  })

  test('an issuer’s name never ends the label before its time', async () => {
    const { org_domain, user_id } = await given.scene()
    await client.organizations.update({ org_domain, name: 'Acme: the\u202e shop' })

    const { uri } = await client.totp.enroll({ org_domain, user_id })

    const [issuer = '', ...account] = decodeURIComponent(new URL(uri ?? '').pathname.slice(1)).split(':')
    expect([issuer, account.length]).toEqual(['Acme  the shop', 1])
  })

  test('asks nobody for a code before its validation', async () => {
    const place = await given.scene()
    await given.begun(place)

    await expect(given.challenge(place)).rejects.toMatchObject({ status: 403, code: 'totp_not_enrolled' })
  })

  test('that is begun again leaves nothing of the first', async () => {
    const place = await given.scene()
    const { app: first } = await given.begun(place)
    const { app: second } = await given.begun(place)

    const validation = { org_domain: place.org_domain, user_id: place.user_id }
    await expect(
      client.totp.validateEnrollment({ ...validation, code: given.codeOf(first) }),
    ).rejects.toMatchObject(rejected)
    await client.totp.validateEnrollment({ ...validation, code: given.codeOf(second) })
  })

  test('ends with the fifth wrong code, also for the right one', async () => {
    const { org_domain, user_id } = await given.scene()
    const { app } = await given.begun({ org_domain, user_id })
    const validate = (code: string) => client.totp.validateEnrollment({ org_domain, user_id, code })

    for (let count = 0; count < 5; count++)
      await expect(validate(given.wrongCode(app))).rejects.toMatchObject(rejected)

    await expect(validate(given.codeOf(app))).rejects.toMatchObject(nothingBegun)
  })

  test('of 30 codes that come together, looks at five', async () => {
    const { org_domain, user_id } = await given.scene()
    const { app } = await given.begun({ org_domain, user_id })
    const code = given.wrongCode(app)

    const answers = await Promise.all(
      Array.from({ length: 30 }, () =>
        client.totp.validateEnrollment({ org_domain, user_id, code }).catch((error: unknown) => error),
      ),
    )

    expect(answers.filter((answer) => (answer as { status: number }).status === 401)).toHaveLength(5)
    expect(answers.filter((answer) => (answer as { status: number }).status === 404)).toHaveLength(25)
  })

  test('waits an hour for its first code', async () => {
    const place = await given.scene()
    const { app } = await given.begun(place)
    await service.clock.advance(60 * 60)

    const late = client.totp.validateEnrollment({
      org_domain: place.org_domain,
      user_id: place.user_id,
      code: given.codeOf(app),
    })

    await expect(late).rejects.toMatchObject(nothingBegun)
  })

  test('takes its first code once: it does not sign in as well', async () => {
    const place = await given.scene()
    const { app } = await given.begun(place)
    const code = given.codeOf(app)
    await client.totp.validateEnrollment({ org_domain: place.org_domain, user_id: place.user_id, code })
    await given.challenge(place)

    await expect(given.answer(place, code)).rejects.toMatchObject(rejected)
  })

  test('notes when the user has confirmed that they stored the recovery codes', async () => {
    const { org_domain, user_id } = await given.scene()
    const { app } = await given.begun({ org_domain, user_id })

    const validated = await client.totp.validateEnrollment({
      org_domain,
      user_id,
      code: given.codeOf(app),
      recovery_codes_acknowledged: true,
    })

    expect(validated.last_recovery_acknowledgement_at).toBe(validated.validated_enrollment_at)
  })
})

describe('another enrolment of a user who has one', () => {
  test('409 without force_enroll, 403 without the scope write:users', async () => {
    const { org_domain, user_id } = await given.enrolled()
    const narrow = await service.client({ scopes: ['write:totp', 'read:users'] })

    await expect(client.totp.enroll({ org_domain, user_id })).rejects.toMatchObject({
      status: 409,
      code: 'totp_enrollment_taken',
    })
    await expect(narrow.totp.enroll({ org_domain, user_id, force_enroll: true })).rejects.toMatchObject({
      status: 403,
      code: 'insufficient_scope',
    })
  })

  test('the scope write:totp is enough for the first one, forced or not', async () => {
    const { org_domain, user_id } = await given.scene()
    const narrow = await service.client({ scopes: ['write:totp'] })

    await narrow.totp.enroll({ org_domain, user_id, force_enroll: true })
  })

  test('leaves the one that holds alone until it is validated, and is told to the user by mail', async () => {
    const scene = await given.enrolled()
    // Sends the mail of the enrolment first.
    await service.runJobs()
    await given.begun(scene, { force_enroll: true })
    await service.clock.advance(60)
    await given.challenge(scene)

    expect(await given.answer(scene, given.codeOf(scene.app))).toMatchObject({ success: true })

    await service.runJobs()
    const { data } = await client.outbox.list({ to: scene.user.email })
    // Newest first; the other mail is about the first enrolment.
    expect(data.map(({ subject }) => subject)).toEqual([
      expect.stringContaining('New two-step verification'),
      expect.stringContaining('was set up'),
    ])
  })

  longTest('429: of 50 that are begun at once three are, and as many mails are sent', async () => {
    const limited = await startService({ variables: { MAILS_PER_ADDRESS: '', SANDBOX_MAIL: 'send' } })
    const caller = await limited.client()
    const { org_domain, user_id, user } = await totpGivenOf(limited, caller).enrolled()
    const token = await limited.token()
    const force = () =>
      fetch(`${limited.baseUrl}/api/v2/org/${org_domain}/totp-enrollment/${user_id}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ force_enroll: true }),
      })

    const answers = await Promise.all(Array.from({ length: 50 }, force))

    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3)
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused).toHaveLength(47)
    for (const { headers } of refused) expect(Number(headers.get('Retry-After'))).toBeGreaterThan(14 * 60)
    expect(await refused[0]?.json()).toMatchObject({ error: { code: 'rate_limited' } })
    await limited.runJobs()
    // One more mail was about the first enrolment.
    expect((await caller.outbox.list({ to: user.email })).data).toHaveLength(4)
  })

  test('is told to nobody once the user is gone', async () => {
    const scene = await given.enrolled()
    const { org_domain, user_id, user } = scene
    await given.begun(scene, { force_enroll: true })
    await client.users.delete({ org_domain, user_id })

    await service.runJobs()

    expect((await client.outbox.list({ to: user.email })).data).toEqual([])
  })

  test('takes the place of the old one with its validation: app, recovery codes and open challenges', async () => {
    const scene = await given.enrolled()
    const { request_id } = await given.challenge(scene)
    const { app, recoveryCodes } = await given.enroll(scene, { force_enroll: true })

    await expect(given.answer(scene, recoveryCodes[0] ?? '', { request_id })).rejects.toMatchObject({
      code: 'totp_challenge_not_open',
    })
    await given.challenge(scene)
    await service.clock.advance(60)
    await expect(given.answer(scene, given.codeOf(scene.app))).rejects.toMatchObject(rejected)
    await expect(given.answer(scene, scene.recoveryCodes[0] ?? '')).rejects.toMatchObject(rejected)
    expect(await given.answer(scene, given.codeOf(app))).toMatchObject({ success: true })
  })

  test('counts up, and ends the sessions of the user with its validation', async () => {
    const { org_domain, user_id, user } = await given.scene()
    await service.given.application({ org_domain, organization_domain_scope: org_domain })
    await given.enroll({ org_domain, user_id })
    await client.totp.updateConnection({ org_domain, active: false })
    const access_token = await signIn(client, { org_domain, user_email: user.email })
    await client.totp.updateConnection({ org_domain, active: true })
    const { app } = await given.begun({ org_domain, user_id }, { force_enroll: true })
    expect(await openSessions(user_id)).toBe(1)

    const validated = await client.totp.validateEnrollment({ org_domain, user_id, code: given.codeOf(app) })

    expect(validated.enrollment_totp_nb).toBe(2)
    expect([access_token.length > 0, await openSessions(user_id)]).toEqual([true, 0])
  })
})

describe('a code to renew the password, of a sign-in before an enrolment', () => {
  const plain_text = `${goodPassword} and nineteen sails`

  test('sets none once the enrolment is validated; one of a link does', async () => {
    const scene = await passwords.sceneWithPassword()
    const { org_domain, user } = scene
    await given.activate(org_domain)
    await client.password.updateConnection({ org_domain, plain_text_min_length: 40 })
    const { renew_password } = await passwords.signIn(scene)
    const linked = await passwords.code(scene)
    await given.enroll({ org_domain, user_id: user.id })
    const set = (password_code: string) =>
      client.password.set({ org_domain, user_email: user.email, password_code, plain_text })

    await expect(set(renew_password?.password_code ?? '')).rejects.toMatchObject({
      status: 422,
      code: 'password_code_refused',
    })
    expect(await set(linked).catch((error: unknown) => error)).toMatchObject({ user_id: user.id })
  })

  test('of another user is as good as it was', async () => {
    const scene = await passwords.sceneWithPassword()
    const { org_domain, user } = scene
    await given.activate(org_domain)
    await client.password.updateConnection({ org_domain, plain_text_min_length: 40 })
    const { renew_password } = await passwords.signIn(scene)
    const { id: user_id } = await service.given.user({ org_domain })
    await given.enroll({ org_domain, user_id })

    const password_code = renew_password?.password_code ?? ''
    const set = client.password.set({ org_domain, user_email: user.email, password_code, plain_text })
    expect(await set.catch((error: unknown) => error)).toMatchObject({ user_id: user.id })
  })
})

describe('a first enrolment', () => {
  test('ends no session', async () => {
    const { org_domain, user_id, user } = await given.scene()
    await service.given.application({ org_domain, organization_domain_scope: org_domain })
    await signIn(client, { org_domain, user_email: user.email })

    await given.enroll({ org_domain, user_id })

    expect(await openSessions(user_id)).toBe(1)
  })
})

test('403: nobody is enrolled while the connection is switched off', async () => {
  const { org_domain, user_id } = await given.scene()
  await client.totp.updateConnection({ org_domain, active: false })

  await expect(client.totp.enroll({ org_domain, user_id })).rejects.toMatchObject({
    status: 403,
    code: 'totp_inactive',
  })
})

test('log events tell of a refused first code and of the enrolment', async () => {
  const { org_domain, user_id, user } = await given.scene()
  const { app } = await given.begun({ org_domain, user_id })
  await client.totp
    .validateEnrollment({ org_domain, user_id, code: given.wrongCode(app) })
    .catch(() => undefined)
  await client.totp.validateEnrollment({ org_domain, user_id, code: given.codeOf(app) })

  const { data } = await client.logEvents.list({ org_domain })

  const common = { email: user.email, resource_owner_id: user_id, tenant_domain: org_domain }
  expect(data).toMatchObject([
    { ...common, event_code: 'TOTP_ENROLLED', reason: null },
    { ...common, event_code: 'END_USER_TOTP_FAILED', reason: 'enrollment_code_rejected' },
  ])
})

async function openSessions(userId: string): Promise<number> {
  const [row] = await service.query<{ count: number }>(
    'select count(*)::integer as count from sessions where user_id = $1 and ended_at is null',
    [userId],
  )
  return row?.count ?? 0
}

import { describe, expect, test } from 'vitest'
import { startService } from '../given/harness.js'
import { stepSeconds, totpGivenOf } from '../given/totp-given.js'
import { signIn } from '../given/world.js'
import { goodPassword, passwordGivenOf } from './password-given.js'

const service = await startService()
const client = await service.client()
const given = totpGivenOf(service, client)
const passwords = passwordGivenOf(service, client)

const none = { status: 404, code: 'totp_enrollment_not_found' }
const isNotAsked = { status: 403, code: 'totp_not_enrolled' }

/** A user with a password and an app, whose current code is unused. */
async function givenBothFactors() {
  const of = await passwords.sceneWithPassword()
  const place = { org_domain: of.org_domain, user_id: of.user.id }
  await given.activate(of.org_domain)
  const enrolled = await given.enroll(place)
  await service.clock.advance(stepSeconds)
  return { ...of, ...place, ...enrolled, place }
}

function passFirst({ org_domain, user }: { org_domain: string; user: { email: string } }) {
  return client.password.createChallenge({ org_domain, user_email: user.email, plain_text: goodPassword })
}

describe('the removal of an enrolment', () => {
  test('answers what is removed, and no code is asked at the next sign-in', async () => {
    const scene = await givenBothFactors()
    expect(await passFirst(scene)).toMatchObject({ error: 'totp_required' })

    const answer = await client.totp.removeEnrollment(scene.place)

    expect(answer).toMatchObject({
      deleted: true,
      type: '__Deleted__',
      resource: {
        user_id: scene.user_id,
        method: 'totp_mobile_app',
        validated_enrollment_at: expect.any(String),
        recovery_codes: null,
        uri: null,
      },
    })
    expect(await passFirst(scene)).toMatchObject({ 'valid?': true, code: expect.any(String) })
    await expect(given.challenge(scene)).rejects.toMatchObject(isNotAsked)
  })

  test('takes recovery codes, open challenges and a replacement that was begun along', async () => {
    const scene = await given.enrolled()
    const { request_id } = await given.challenge(scene)
    const { app: begun } = await given.begun(scene, { force_enroll: true })
    const { org_domain, user_id } = scene

    await client.totp.removeEnrollment({ org_domain, user_id })

    const validation = client.totp.validateEnrollment({ org_domain, user_id, code: given.codeOf(begun) })
    await expect(validation).rejects.toMatchObject(none)
    const { app, enrollment } = await given.begun(scene)
    await client.totp.validateEnrollment({ org_domain, user_id, code: given.codeOf(app) })
    expect(enrollment.enrollment_totp_nb).toBe(0)
    await service.clock.advance(stepSeconds)
    await expect(given.answer(scene, given.codeOf(app), { request_id })).rejects.toMatchObject({
      code: 'totp_challenge_not_open',
    })
    await given.challenge(scene)
    await expect(given.answer(scene, scene.recoveryCodes[0] ?? '')).rejects.toMatchObject({
      code: 'totp_code_rejected',
    })
  })

  test('ends the sessions of the user, and those of nobody else', async () => {
    const { org_domain, user } = await passwords.scene()
    const { email, id: neighbour } = await service.given.user({ org_domain })
    for (const user_email of [user.email, email]) await signIn(client, { org_domain, user_email })
    await given.activate(org_domain)
    await given.enroll({ org_domain, user_id: user.id })

    await client.totp.removeEnrollment({ org_domain, user_id: user.id })

    expect([await openSessions(user.id), await openSessions(neighbour)]).toEqual([0, 1])
  })

  test('ends a sign-in that waits for the code, also for who is enrolled anew', async () => {
    const scene = await givenBothFactors()
    const { request_id: password_request_id } = await passFirst(scene)
    await client.totp.removeEnrollment(scene.place)
    await given.enroll(scene.place)

    const asked = client.totp.createChallenge({ ...scene.place, password_request_id })

    await expect(asked).rejects.toMatchObject({ status: 422, code: 'invalid_parameters' })
  })

  test('voids a code to renew the password that both factors have given', async () => {
    const scene = await givenBothFactors()
    const { org_domain, user } = scene
    await client.password.updateConnection({ org_domain, plain_text_min_length: 40 })
    const { request_id: password_request_id } = await passFirst(scene)
    await client.totp.createChallenge({ ...scene.place, password_request_id })
    const { renew_password } = await given.answer(scene, given.codeOf(scene.app))

    await client.totp.removeEnrollment(scene.place)

    const set = client.password.set({
      org_domain,
      user_email: user.email,
      password_code: renew_password?.password_code ?? '',
      plain_text: `${goodPassword} and nineteen sails`,
    })
    await expect(set).rejects.toMatchObject({ status: 422, code: 'password_code_refused' })
  })

  test('is told to the user by mail, in the language of the organization', async () => {
    const scene = await given.enrolled({ locale: 'fr' })
    await client.totp.removeEnrollment({ org_domain: scene.org_domain, user_id: scene.user_id })

    await service.runJobs()

    const { data } = await client.outbox.list({ to: scene.user.email })
    expect(data).toContainEqual(
      expect.objectContaining({
        subject: expect.stringMatching(/^La validation en deux étapes a été supprimée chez /),
        text: expect.stringContaining('Si ce n’était pas vous, contactez immédiatement votre administrateur'),
      }),
    )
  })

  test('is in the log and in the events, without a secret', async () => {
    const { org_domain, user_id, user } = await given.enrolled()
    await client.totp.removeEnrollment({ org_domain, user_id })

    const [logged] = (await client.logEvents.list({ org_domain })).data
    expect(logged).toMatchObject({
      event_code: 'TOTP_REMOVED',
      resource_owner_id: user_id,
      email: user.email,
    })
    const [event] = await service.query<{ data: object }>(
      `select data from events where code = 'totp.enrollment.delete.success' and subject_id = $1`,
      [user_id],
    )
    expect(event?.data).toMatchObject({ user_id, enrollment_totp_nb: 1 })
    for (const name of ['uri', 'recovery_codes', 'first_verification_code'])
      expect(event?.data).not.toHaveProperty(name)
  })

  test('happens once: of ten that come together one is answered, and nine are 404', async () => {
    const { org_domain, user_id } = await given.enrolled()

    const answers = await Promise.allSettled(
      Array.from({ length: 10 }, () => client.totp.removeEnrollment({ org_domain, user_id })),
    )

    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const answer of answers) if (answer.status === 'rejected') expect(answer.reason).toMatchObject(none)
  })

  test('404: of an enrolment that only waits for its first code, which goes on', async () => {
    const place = await given.scene()
    const { app } = await given.begun(place)
    const { org_domain, user_id } = place

    await expect(client.totp.removeEnrollment({ org_domain, user_id })).rejects.toMatchObject(none)

    await client.totp.validateEnrollment({ org_domain, user_id, code: given.codeOf(app) })
  })

  test('403 without the scope write:users: who removes a factor could enrol their own', async () => {
    const { org_domain, user_id } = await given.enrolled()
    const narrow = await service.client({ scopes: ['write:totp', 'read:users'] })

    await expect(narrow.totp.removeEnrollment({ org_domain, user_id })).rejects.toMatchObject({
      status: 403,
      code: 'insufficient_scope',
    })
  })

  test('is possible while the connection is switched off, and of an inactive user', async () => {
    const { org_domain, user_id } = await given.enrolled()
    await client.users.update({ org_domain, user_id, active: false })
    await client.totp.updateConnection({ org_domain, active: false })

    expect(await client.totp.removeEnrollment({ org_domain, user_id })).toMatchObject({ deleted: true })
  })
})

async function openSessions(userId: string): Promise<number> {
  const [row] = await service.query<{ count: number }>(
    'select count(*)::integer as count from sessions where user_id = $1 and ended_at is null',
    [userId],
  )
  return row?.count ?? 0
}

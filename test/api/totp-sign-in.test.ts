import { decodeJwt } from 'jose'
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { startService } from '../given/harness.js'
import { stepSeconds, totpGivenOf, type EnrolledScene } from '../given/totp-given.js'
import { goodPassword, passwordGivenOf, type PasswordScene } from './password-given.js'

const service = await startService()
const client = await service.client()
const given = totpGivenOf(service, client)
const passwords = passwordGivenOf(service, client)

/** A user with a password and an app, whose current code is unused. */
async function givenBothFactors(of?: PasswordScene): Promise<EnrolledScene & PasswordScene> {
  const passwordScene = of ?? (await passwords.sceneWithPassword())
  const { org_domain, user } = passwordScene
  const place = { org_domain, user_id: user.id, user }
  await given.activate(org_domain)
  const enrolled = { ...passwordScene, ...place, ...(await given.enroll(place)) }
  await service.clock.advance(stepSeconds)
  return enrolled
}

/** The same for another user of the organization. */
async function givenNeighbour(scene: PasswordScene) {
  const { org_domain } = scene
  const neighbour = { ...scene, user: await service.given.user({ org_domain }) }
  await passwords.set(neighbour)
  return givenBothFactors(neighbour)
}

/** Completes the first factor; the second one is then required. */
async function passFirst({ org_domain, user }: EnrolledScene): Promise<string> {
  const passed = await client.password.createChallenge({
    org_domain,
    user_email: user.email,
    plain_text: goodPassword,
  })
  expect(passed).toMatchObject({ 'valid?': false, error: 'totp_required' })
  expect(passed).not.toHaveProperty('code')
  return passed.request_id
}

function ask({ org_domain, user_id }: EnrolledScene, password_request_id: string) {
  return client.totp.createChallenge({ org_domain, user_id, password_request_id })
}

async function amrOf(code: string | null): Promise<unknown> {
  const tokens = await client.oauth.token({ grant_type: 'authorization_code', code: code ?? '' })
  return 'id_token' in tokens ? decodeJwt(tokens.id_token)['amr'] : undefined
}

describe('a sign-in that waits for a code', () => {
  test('ends in an authorization code, once the second factor is passed as well', async () => {
    const scene = await givenBothFactors()
    const { code: early } = await ask(scene, await passFirst(scene))
    expect(early).toBeNull()

    const { code } = await given.answer(scene, given.codeOf(scene.app))

    expect(await amrOf(code)).toEqual(['pwd', 'otp', 'mfa'])
  })

  test('ends in one by a recovery code, too', async () => {
    const scene = await givenBothFactors()
    await ask(scene, await passFirst(scene))

    const { code } = await given.answer(scene, scene.recoveryCodes[0] ?? '')

    expect(await amrOf(code)).toEqual(['pwd', 'otp', 'mfa'])
  })

  test('ends with a renewal of the password that is due, which its first factor alone did not give', async () => {
    const scene = await givenBothFactors()
    const { org_domain, user } = scene
    await client.password.updateConnection({ org_domain, plain_text_min_length: 40 })
    await ask(scene, await passFirst(scene))

    const { renew_password } = await given.answer(scene, given.codeOf(scene.app))

    const renewed = await client.password.set({
      org_domain,
      user_email: user.email,
      password_code: renew_password?.password_code ?? '',
      plain_text: `${goodPassword} and nineteen sails`,
    })
    expect(renewed).toMatchObject({ user_id: user.id, code: null })
    await service.clock.advance(stepSeconds)
    await given.challenge(scene)
    expect(await given.answer(scene, given.codeOf(scene.app))).toMatchObject({ renew_password: null })
  })

  test('ends in none where the challenge does not belong to it', async () => {
    const scene = await givenBothFactors()
    await passFirst(scene)
    await given.challenge(scene)

    expect(await given.answer(scene, given.codeOf(scene.app))).toMatchObject({ success: true, code: null })
  })

  test('ends once, however many challenges were made of it', async () => {
    const scene = await givenBothFactors()
    const before = await sessionsOf(scene.user_id)
    const id = await passFirst(scene)
    const { request_id: first } = await ask(scene, id)
    await ask(scene, id)
    await given.answer(scene, given.codeOf(scene.app))
    await service.clock.advance(stepSeconds)

    await expect(given.answer(scene, given.codeOf(scene.app), { request_id: first })).rejects.toMatchObject({
      status: 403,
      code: 'totp_challenge_not_open',
    })
    expect(await sessionsOf(scene.user_id)).toBe(before + 1)
  })

  test('waits ten minutes, and a challenge of it no longer', async () => {
    const scene = await givenBothFactors()
    const id = await passFirst(scene)
    await service.clock.advance(9 * 60)
    const { sent_at, expired_at } = await ask(scene, id)
    expect(Date.parse(expired_at) - Date.parse(sent_at)).toBeLessThanOrEqual(60_000)
    await service.clock.advance(60)

    await expect(given.answer(scene, given.codeOf(scene.app))).rejects.toMatchObject({
      code: 'totp_challenge_not_open',
    })
  })

  test('answered 200 times at once ends in one code', async () => {
    const scene = await givenBothFactors()
    const before = await sessionsOf(scene.user_id)
    await ask(scene, await passFirst(scene))
    const code = given.codeOf(scene.app)

    const answers = await Promise.allSettled(Array.from({ length: 200 }, () => given.answer(scene, code)))

    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await sessionsOf(scene.user_id)).toBe(before + 1)
  })

  test('422: one of another user, one that is over or used, and one that never was, are answered alike', async () => {
    const scene = await givenBothFactors()
    const [neighbour, stranger] = [await givenNeighbour(scene), await givenBothFactors()]
    const used = await passFirst(scene)
    await ask(scene, used)
    await given.answer(scene, given.codeOf(scene.app))
    const foreign = [await passFirst(neighbour), await passFirst(stranger)]
    const expired = await passFirst(scene)
    const faults = [await faultsOf(scene, used)]
    for (const id of foreign) faults.push(await faultsOf(scene, id))
    await service.clock.advance(10 * 60)
    faults.push(await faultsOf(scene, expired), await faultsOf(scene, randomUUID()))

    const [first] = faults
    expect(first).toMatchObject({ status: 422, fields: [{ path: 'password_request_id', code: 'not_open' }] })
    for (const fault of faults) expect(fault).toEqual(first)
  })
})

async function faultsOf(scene: EnrolledScene, id: string): Promise<unknown> {
  const error: unknown = await ask(scene, id).catch((refusal: unknown) => refusal)
  const { status, fields } = error as { status: number; fields: unknown }
  return { status, fields }
}

async function sessionsOf(userId: string): Promise<number> {
  return (await service.query('select from sessions where user_id = $1 and ended_at is null', [userId]))
    .length
}

import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { startService } from '../given/harness.js'
import { longTest, sampled } from '../sampled.js'
import { stepSeconds, totpGivenOf, type EnrolledScene } from '../given/totp-given.js'

const service = await startService()
const client = await service.client()
const given = totpGivenOf(service, client)

const atOnce = [...Array(200).keys()]

const rejected = { status: 401, code: 'totp_code_rejected' }
const notOpen = { status: 403, code: 'totp_challenge_not_open' }
const locked = { status: 403, code: 'totp_locked' }

/** A user whose app shows a code that was not used yet. */
async function givenFreshCode(): Promise<EnrolledScene & { code: string }> {
  const scene = await given.enrolled()
  await service.clock.advance(stepSeconds)
  return { ...scene, code: given.codeOf(scene.app) }
}

/** The number of answers by status. */
async function tally(answers: readonly Promise<unknown>[]): Promise<Record<string, number>> {
  const statuses = await Promise.all(
    answers.map((answer) => answer.then(() => 200).catch((error: { status: number }) => error.status)),
  )
  return statuses.reduce<Record<string, number>>(
    (counts, status) => ({ ...counts, [status]: (counts[status] ?? 0) + 1 }),
    {},
  )
}

describe('a challenge', () => {
  test('is passed by the present code of the app, with another request_id and no code of its own', async () => {
    const scene = await givenFreshCode()
    const asked = await given.challenge(scene)
    expect(asked).toMatchObject({
      __type__: 'TotpChallenge',
      user_id: scene.user_id,
      code: null,
      success: false,
      challenged_at: null,
      recovery_code_used: false,
    })

    const passed = await given.answer(scene, scene.code)

    expect(passed).toMatchObject({
      code: null,
      success: true,
      challenged_at: expect.any(String),
      recovery_code_used: false,
      sent_at: asked.sent_at,
      expired_at: asked.expired_at,
    })
    expect(passed.request_id).not.toBe(asked.request_id)
  })

  test('is passed once', async () => {
    const scene = await givenFreshCode()
    await given.challenge(scene)
    await given.answer(scene, scene.code)
    await service.clock.advance(stepSeconds)

    await expect(given.answer(scene, given.codeOf(scene.app))).rejects.toMatchObject(notOpen)
  })

  test('waits ten minutes', async () => {
    const scene = await given.enrolled()
    await given.challenge(scene)
    await service.clock.advance(10 * 60)

    await expect(given.answer(scene, given.codeOf(scene.app))).rejects.toMatchObject(notOpen)
  })

  test('is the newest open one, or the one of the request_id', async () => {
    const scene = await givenFreshCode()
    const first = await given.challenge(scene)
    const second = await given.challenge(scene)

    expect(await given.answer(scene, scene.code)).toMatchObject({ sent_at: second.sent_at })
    await service.clock.advance(stepSeconds)
    const { request_id } = first
    expect(await given.answer(scene, given.codeOf(scene.app), { request_id })).toMatchObject({
      sent_at: first.sent_at,
    })
  })

  test('of another user is not there, whatever its request_id', async () => {
    const scene = await givenFreshCode()
    const { org_domain } = scene
    const { id: user_id } = await service.given.user({ org_domain })
    await given.enroll({ org_domain, user_id })
    const { request_id } = await given.challenge({ org_domain, user_id })

    for (const id of [request_id, randomUUID()])
      await expect(given.answer(scene, scene.code, { request_id: id })).rejects.toMatchObject(notOpen)
  })

  test('403 and no code is looked at while the connection is switched off', async () => {
    const scene = await givenFreshCode()
    await given.challenge(scene)
    await client.totp.updateConnection({ org_domain: scene.org_domain, active: false })

    const inactive = { status: 403, code: 'totp_inactive' }
    await expect(given.answer(scene, scene.code)).rejects.toMatchObject(inactive)
    await expect(given.challenge(scene)).rejects.toMatchObject(inactive)
  })

  test('409 for a user who is not active, who passes none either', async () => {
    const scene = await givenFreshCode()
    await given.challenge(scene)
    const { org_domain, user_id } = scene
    await client.users.update({ org_domain, user_id, active: false })

    const inactive = { status: 409, code: 'user_inactive' }
    await expect(given.answer(scene, scene.code)).rejects.toMatchObject(inactive)
    await expect(given.challenge(scene)).rejects.toMatchObject(inactive)
  })

  test('422: a password_request_id that is no sign-in of the user that waits', async () => {
    const { org_domain, user_id } = await given.enrolled()

    await expect(
      client.totp.createChallenge({ org_domain, user_id, password_request_id: randomUUID() }),
    ).rejects.toMatchObject({ status: 422, fields: [{ path: 'password_request_id', code: 'not_open' }] })
  })
})

describe('a code of the app', () => {
  test('is good for one use, also in another challenge', async () => {
    const scene = await givenFreshCode()
    await given.challenge(scene)
    await given.challenge(scene)
    await given.answer(scene, scene.code)

    await expect(given.answer(scene, scene.code)).rejects.toMatchObject(rejected)
  })

  test('is worth nothing once a later one was used', async () => {
    const scene = await givenFreshCode()
    await given.challenge(scene)
    await given.challenge(scene)
    await service.clock.advance(stepSeconds)
    await given.answer(scene, given.codeOf(scene.app))

    await expect(given.answer(scene, scene.code)).rejects.toMatchObject(rejected)
  })

  test('of the step before and of the step after is taken, and no other', async () => {
    for (const [step, isTaken] of [
      [-2, false],
      [-1, true],
      [1, true],
      [2, false],
    ] as const) {
      const scene = await given.enrolled()
      await service.clock.advance(10 * stepSeconds)
      await given.challenge(scene)
      const answer = given.answer(scene, given.codeOf(scene.app, step * stepSeconds))
      const outcome = await answer.then(() => true).catch(() => false)
      expect([step, outcome]).toEqual([step, isTaken])
    }
  })

  test('is good for as long as the connection says', async () => {
    const scene = await given.enrolled({ expiry_in_seconds: 300 })
    await service.clock.advance(20 * stepSeconds)
    await given.challenge(scene)

    await expect(given.answer(scene, given.codeOf(scene.app, -11 * stepSeconds))).rejects.toMatchObject(
      rejected,
    )
    await given.answer(scene, given.codeOf(scene.app, -10 * stepSeconds))
  })

  const malformed = [
    '１２３４５６',
    '1234567',
    'e'.repeat(50),
    '١٢٣٤٥٦',
    '12345',
    ' 123456',
    '123 456',
    '12345a',
  ]
  test.each(sampled(malformed, 3))('%s is none, and no fault of ours', async (code) => {
    const scene = await given.enrolled()
    await given.challenge(scene)

    await expect(given.answer(scene, code)).rejects.toMatchObject(rejected)
  })

  longTest('used 200 times at once is taken once', async () => {
    const scene = await givenFreshCode()
    const challenges = await Promise.all(Array.from({ length: 8 }, () => given.challenge(scene)))

    const counts = await tally(
      atOnce.map((index) => {
        const request_id = challenges[index % challenges.length]?.request_id ?? ''
        return given.answer(scene, scene.code, { request_id })
      }),
    )

    expect(counts[200]).toBe(1)
    expect((counts[401] ?? 0) + (counts[403] ?? 0)).toBe(atOnce.length - 1)
  })
})

describe('a recovery code', () => {
  test('stands for a code once, however it is typed, and the user is told by mail', async () => {
    const scene = await given.enrolled()
    // Sends the mail of the enrolment first.
    await service.runJobs()
    const [first = '', second = ''] = scene.recoveryCodes
    await given.challenge(scene)
    const typed = ` ${first.slice(0, 5).toUpperCase()}-${first.slice(5)} `

    expect(await given.answer(scene, typed)).toMatchObject({ success: true, recovery_code_used: true })

    await given.challenge(scene)
    await expect(given.answer(scene, first)).rejects.toMatchObject(rejected)
    expect(await given.answer(scene, second)).toMatchObject({ recovery_code_used: true })
    await service.runJobs()
    const { data } = await client.outbox.list({ to: scene.user.email })
    expect(data.map(({ subject }) => subject)).toEqual([
      expect.stringContaining('recovery code'),
      expect.stringContaining('recovery code'),
      expect.stringContaining('was set up'),
    ])
  })

  test('is told of at the next enrolment: when one was used last', async () => {
    const scene = await given.enrolled()
    await given.challenge(scene)
    const { challenged_at } = await given.answer(scene, scene.recoveryCodes[0] ?? '')

    const { enrollment } = await given.begun(scene, { force_enroll: true })

    expect(enrollment.last_recovery_code_at).toBe(challenged_at)
  })

  test('of another user is none', async () => {
    const scene = await given.enrolled()
    const { org_domain } = scene
    const { id: user_id } = await service.given.user({ org_domain })
    const other = await given.enroll({ org_domain, user_id })
    await given.challenge(scene)

    await expect(given.answer(scene, other.recoveryCodes[0] ?? '')).rejects.toMatchObject(rejected)
  })

  test('used 200 times at once is taken once', async () => {
    const scene = await given.enrolled()
    const challenges = await Promise.all(Array.from({ length: 8 }, () => given.challenge(scene)))
    const [code = ''] = scene.recoveryCodes

    const counts = await tally(
      atOnce.map((index) => {
        const request_id = challenges[index % challenges.length]?.request_id ?? ''
        return given.answer(scene, code, { request_id })
      }),
    )

    expect(counts[200]).toBe(1)
    expect((counts[401] ?? 0) + (counts[403] ?? 0)).toBe(atOnce.length - 1)
  })

  test('all five used: the user can be enrolled anew, with five others', async () => {
    const scene = await given.enrolled()
    for (const code of scene.recoveryCodes) {
      await given.challenge(scene)
      await given.answer(scene, code)
    }

    const { recoveryCodes } = await given.begun(scene, { force_enroll: true })

    expect(new Set([...scene.recoveryCodes, ...recoveryCodes]).size).toBe(10)
  })
})

describe('five wrong codes', () => {
  async function lock(scene: EnrolledScene): Promise<void> {
    await given.challenge(scene)
    for (let count = 0; count < 5; count++)
      await expect(given.answer(scene, given.wrongCode(scene.app))).rejects.toMatchObject(rejected)
  }

  test('lock the user for fifteen minutes, and right and wrong codes are answered alike', async () => {
    const scene = await givenFreshCode()
    await lock(scene)

    for (const code of [given.codeOf(scene.app), given.wrongCode(scene.app), scene.recoveryCodes[0] ?? ''])
      await expect(given.answer(scene, code)).rejects.toMatchObject({ ...locked, retryAfterSeconds: 900 })
    await service.clock.advance(14 * 60)
    await given.challenge(scene)
    await expect(given.answer(scene, given.codeOf(scene.app))).rejects.toMatchObject(locked)
    await service.clock.advance(60)
    expect(await given.answer(scene, given.codeOf(scene.app))).toMatchObject({ success: true })
  })

  test('lock nobody else', async () => {
    const [scene, other] = [await given.enrolled(), await givenFreshCode()]
    await lock(scene)
    await given.challenge(other)

    expect(await given.answer(other, other.code)).toMatchObject({ success: true })
  })

  test('lock nobody with a right one among them', async () => {
    const scene = await given.enrolled()
    for (let round = 0; round < 3; round++) {
      await service.clock.advance(stepSeconds)
      await given.challenge(scene)
      for (let count = 0; count < 4; count++)
        await expect(given.answer(scene, given.wrongCode(scene.app))).rejects.toMatchObject(rejected)
      await given.answer(scene, given.codeOf(scene.app))
    }
  })

  test('are five of thirty that come together', async () => {
    const scene = await given.enrolled()
    await given.challenge(scene)
    const code = given.wrongCode(scene.app)

    const counts = await tally(Array.from({ length: 30 }, () => given.answer(scene, code)))

    expect(counts).toEqual({ 401: 5, 403: 25 })
  })

  test('are forgotten with a new enrolment', async () => {
    const scene = await given.enrolled()
    await lock(scene)
    const { app } = await given.enroll(scene, { force_enroll: true })
    await service.clock.advance(stepSeconds)
    await given.challenge(scene)

    expect(await given.answer(scene, given.codeOf(app))).toMatchObject({ success: true })
  })
})

test('a wrong code without an open challenge is counted as none', async () => {
  const scene = await givenFreshCode()
  for (let count = 0; count < 6; count++)
    await expect(given.answer(scene, given.wrongCode(scene.app))).rejects.toMatchObject(notOpen)
  await given.challenge(scene)

  expect(await given.answer(scene, scene.code)).toMatchObject({ success: true })
})

test('log events tell why a code was refused', async () => {
  const scene = await givenFreshCode()
  const attempt = (code: string) => given.answer(scene, code).catch(() => undefined)
  await attempt(scene.code)
  await given.challenge(scene)
  await attempt(given.wrongCode(scene.app))
  await attempt(scene.code)

  const { data } = await client.logEvents.list({ org_domain: scene.org_domain })

  expect(data.map(({ event_code, reason }) => [event_code, reason])).toEqual([
    ['END_USER_TOTP_SUCCESS', null],
    ['END_USER_TOTP_FAILED', 'code_rejected'],
    ['END_USER_TOTP_STARTED', null],
    ['END_USER_TOTP_FAILED', 'challenge_not_open'],
    ['TOTP_ENROLLED', null],
  ])
})

test('challenges are kept for a day after their end', async () => {
  const scene = await given.enrolled()
  await given.challenge(scene)
  const kept = () => service.query('select from totp_challenges where user_id = $1', [scene.user_id])

  await service.clock.advance(23 * 60 * 60)
  await service.runJobs()
  expect(await kept()).toHaveLength(1)
  await service.clock.advance(2 * 60 * 60)
  await service.runJobs()
  expect(await kept()).toEqual([])
})

import { describe, expect, test } from 'vitest'
import { passwordGivenOf, type PasswordGiven } from '../api/password-given.js'
import { startService } from '../given/harness.js'
import { untilWaiting, whileEventWaits } from '../given/waiting.js'

const service = await startService()
const client = await service.client()
const given = passwordGivenOf(service, client)

describe('a sign-in whose password was right when it was looked at', () => {
  test('is refused when another password is set meanwhile', async () => {
    const scene = await given.sceneWithPassword()

    const answer = await challengeDuring(scene, 'password.password.set.success', () =>
      given.set(scene, 'seven quiet harbours 12'),
    )

    expect(answer).toMatchObject({ 'valid?': false, error: 'invalid_credentials' })
  })

  test('is refused when the user is deactivated meanwhile', async () => {
    const scene = await given.sceneWithPassword()
    const { org_domain, user } = scene

    const answer = await challengeDuring(scene, 'user.user.update.success', () =>
      client.users.update({ org_domain, user_id: user.id, active: false }),
    )

    expect(answer).toMatchObject({ 'valid?': false, error: 'invalid_credentials' })
  })

  test('passes when something else of the user is changed meanwhile', async () => {
    const scene = await given.sceneWithPassword()
    const { org_domain, user } = scene

    const answer = await challengeDuring(scene, 'user.user.update.success', () =>
      client.users.update({ org_domain, user_id: user.id, profile: { nickname: 'Ada' } }),
    )

    expect(answer).toMatchObject({ 'valid?': true })
  })
})

/** Signs in during an uncommitted change. */
async function challengeDuring(
  scene: Parameters<PasswordGiven['challenge']>[0],
  eventCode: string,
  change: () => Promise<unknown>,
) {
  const attempts: ReturnType<PasswordGiven['challenge']>[] = []
  await whileEventWaits(service, eventCode, change, async () => {
    const attempt = given.challenge(scene)
    attempts.push(attempt)
    const ended = new AbortController()
    void attempt.finally(() => ended.abort())
    await untilWaiting(service, 2, ended.signal)
  })
  return attempts[0]
}

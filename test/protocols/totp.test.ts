import { describe, expect, test } from 'vitest'
import { hasTool } from '../debian-tools.js'
import { startService } from '../given/harness.js'
import { stepSeconds, totpGivenOf } from '../given/totp-given.js'
import { oathtoolCode } from '../given/authenticator.js'

const service = await startService()
const client = await service.client()
const given = totpGivenOf(service, client)

describe.skipIf(!hasTool('oathtool'))('oathtool, which knows nothing of us', () => {
  test('computes the codes of an enrolment and of a challenge', async () => {
    const scene = await given.scene()
    const { org_domain, user_id } = scene
    const { app } = await given.begun(scene)

    const code = await oathtoolCode(app.secret, service.clock.now())
    await client.totp.validateEnrollment({ org_domain, user_id, code })
    await service.clock.advance(stepSeconds)
    await given.challenge(scene)

    expect(await given.answer(scene, await oathtoolCode(app.secret, service.clock.now()))).toMatchObject({
      success: true,
    })
  })

  test('computes the code that the authenticator of these tests shows', async () => {
    const { app } = await given.begun(await given.scene())

    expect(given.codeOf(app)).toBe(await oathtoolCode(app.secret, service.clock.now()))
  })
})

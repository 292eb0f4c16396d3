import type { Client } from '@portico/sdk'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { hasTool } from '../debian-tools.js'
import { startService, type Service } from '../given/harness.js'
import { stepSeconds, totpGivenOf, type TotpGiven } from '../given/totp-given.js'

const run = promisify(execFile)

let service: Service
let client: Client
let given: TotpGiven

beforeAll(async () => {
  service = await startService()
  client = await service.client()
  given = totpGivenOf(service, client)
})

/** The code that oathtool computes for the secret of a key URI, at the service's time. */
async function oathtoolCode(secret: string): Promise<string> {
  const at = `@${Math.floor(service.clock.now().getTime() / 1000)}`
  const { stdout } = await run('oathtool', ['--totp', '--base32', '--now', at, secret])
  return stdout.trim()
}

describe.skipIf(!hasTool('oathtool'))('oathtool, which knows nothing of us', () => {
  test('computes the codes of an enrolment and of a challenge', async () => {
    const scene = await given.scene()
    const { org_domain, user_id } = scene
    const { app } = await given.begun(scene)

    const code = await oathtoolCode(app.secret)
    await client.totp.validateEnrollment({ org_domain, user_id, code })
    await service.clock.advance(stepSeconds)
    await given.challenge(scene)

    expect(await given.answer(scene, await oathtoolCode(app.secret))).toMatchObject({ success: true })
  })

  test('computes the code that the authenticator of these tests shows', async () => {
    const { app } = await given.begun(await given.scene())

    expect(given.codeOf(app)).toBe(await oathtoolCode(app.secret))
  })
})

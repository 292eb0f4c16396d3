import { describe, expect, test } from 'vitest'
import { anything } from '../given/given.js'
import { startService } from '../given/harness.js'

const service = await startService()
const client = await service.client()

async function givenOrganization(): Promise<string> {
  return (await service.given.organization()).domain
}

describe('the TOTP connection', () => {
  test('is there from the organization’s creation on, in both environments, and switched off', async () => {
    const org_domain = await givenOrganization()
    const production = await service.client({ environment: 'production' })

    for (const [environment, by] of [
      ['sandbox', client],
      ['production', production],
    ] as const)
      expect(await by.totp.getConnection({ org_domain })).toMatchObject({
        __type__: 'TotpConnection',
        __domain__: org_domain,
        __environment__: environment,
        active: false,
        method: 'totp_mobile_app',
        expiry_in_seconds: 30,
      })
  })

  test('is one of its environment alone', async () => {
    const org_domain = await givenOrganization()
    const production = await service.client({ environment: 'production' })

    await client.totp.updateConnection({ org_domain, active: true })

    expect(await production.totp.getConnection({ org_domain })).toMatchObject({ active: false })
  })

  test('is one of its organization alone', async () => {
    const [org_domain, other] = [await givenOrganization(), await givenOrganization()]

    await client.totp.updateConnection({ org_domain, expiry_in_seconds: 90 })

    expect(await client.totp.getConnection({ org_domain: other })).not.toMatchObject({
      expiry_in_seconds: 90,
    })
  })

  test('PUT changes what is sent and nothing else', async () => {
    const org_domain = await givenOrganization()
    await client.totp.updateConnection({ org_domain, expiry_in_seconds: 90 })

    const changed = await client.totp.updateConnection({ org_domain, active: true })

    expect(changed).toMatchObject({ active: true, method: 'totp_mobile_app', expiry_in_seconds: 90 })
    expect(await client.totp.getConnection({ org_domain })).toEqual(changed)
  })

  test('PUT with another method brings the expiry of that method, unless another is sent; with the same it stays', async () => {
    const org_domain = await givenOrganization()

    expect(await client.totp.updateConnection({ org_domain, method: 'sms' })).toMatchObject({
      expiry_in_seconds: 600,
    })
    await client.totp.updateConnection({ org_domain, expiry_in_seconds: 120 })
    expect(await client.totp.updateConnection({ org_domain, method: 'sms' })).toMatchObject({
      expiry_in_seconds: 120,
    })
    const back = { org_domain, method: 'totp_mobile_app', expiry_in_seconds: 60 } as const
    expect(await client.totp.updateConnection(back)).toMatchObject({ expiry_in_seconds: 60 })
  })

  test('POST changes what is sent as PUT does: nobody’s second factor is switched off by leaving a word out', async () => {
    const org_domain = await givenOrganization()

    expect(await client.totp.postConnection({ org_domain, active: true, method: 'sms' })).toMatchObject({
      active: true,
      method: 'sms',
      expiry_in_seconds: 600,
    })
    expect(await client.totp.postConnection({ org_domain, expiry_in_seconds: 120 })).toMatchObject({
      active: true,
      method: 'sms',
      expiry_in_seconds: 120,
    })
  })

  test('the same POST under one Idempotency-Key is answered alike and changes it once', async () => {
    const org_domain = await givenOrganization()
    const options = { idempotencyKey: anything() }
    const first = await client.totp.postConnection({ org_domain, active: true }, options)
    await client.totp.updateConnection({ org_domain, active: false })

    expect(await client.totp.postConnection({ org_domain, active: true }, options)).toEqual(first)
    expect(await client.totp.getConnection({ org_domain })).toMatchObject({ active: false })
  })

  test.each([29, 901, 0, -30, 30.5])('422: an expiry of %s seconds', async (expiry_in_seconds) => {
    const org_domain = await givenOrganization()
    const refused = { status: 422, fields: [{ path: 'expiry_in_seconds' }] }

    await expect(client.totp.updateConnection({ org_domain, expiry_in_seconds })).rejects.toMatchObject(
      refused,
    )
    await expect(client.totp.postConnection({ org_domain, expiry_in_seconds })).rejects.toMatchObject(refused)
  })
})

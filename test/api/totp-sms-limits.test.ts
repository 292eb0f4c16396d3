import type { Client } from '@portico/sdk'
import { routes } from '@portico/contract/walk'
import { beforeAll, describe, expect, test } from 'vitest'
import { longTest } from '../sampled.js'
import { startService, type Service } from '../given/harness.js'
import { send } from '../given/request-of.js'
import { anyNumber, totpGivenOf, type TotpGiven, type TotpScene } from '../given/totp-given.js'

let service: Service
let client: Client
let given: TotpGiven

beforeAll(async () => {
  service = await startService({ variables: { SMS_COUNTRIES: 'FR, US' } })
  client = await service.client()
  given = totpGivenOf(service, client)
})

describe('a message that costs somebody', () => {
  test.each(['+33899123456', '+19002345678', '+33810123456', '+33806123456'])(
    '403: goes to no premium or special number of a listed country: %s',
    async (phone_number) => {
      const { org_domain, user_id } = await given.scene({ method: 'sms', phone_number })

      await expect(client.totp.enroll({ org_domain, user_id })).rejects.toMatchObject({
        status: 403,
        code: 'phone_number_not_allowed',
      })
      await service.runJobs()
      expect((await client.outbox.list({ to: phone_number })).data).toEqual([])
    },
  )

  longTest('429: is one of three to a number, which users of many organizations have', async () => {
    const limited = await startService({ variables: { SMS_PER_HOUR: '' } })
    const there = totpGivenOf(limited, await limited.client())
    const phone_number = anyNumber()
    const enroll = async () => {
      const { org_domain, user_id } = await there.scene({ method: 'sms', phone_number })
      return (await limited.client()).totp.enroll({ org_domain, user_id })
    }
    for (let count = 0; count < 3; count++) await enroll()

    await expect(enroll()).rejects.toMatchObject({ status: 429, code: 'rate_limited' })
  })

  longTest('429: is one of those that an organization has in an hour', async () => {
    const limited = await startService({ variables: { SMS_PER_ORGANIZATION_PER_HOUR: '2' } })
    const caller = await limited.client()
    const { org_domain } = await totpGivenOf(limited, caller).scene({ method: 'sms' })
    const enroll = async () => {
      const { id: user_id } = await limited.given.user({ org_domain, phone_number: anyNumber() }, caller)
      return caller.totp.enroll({ org_domain, user_id })
    }
    for (let count = 0; count < 2; count++) await enroll()

    await expect(enroll()).rejects.toMatchObject({ status: 429, code: 'rate_limited' })
    await limited.clock.advance(60 * 60)
    // The token has expired, too, and the client gets another one.
    expect(await enroll()).toMatchObject({ method: 'sms' })
  })
})

describe('a success that has sent a message', () => {
  const limitedRoutes = routes().filter(({ access }) => access.limited === 'sms')

  /** The recipient of a text message, by route. */
  const scenes: Readonly<Record<string, () => Promise<TotpScene>>> = {
    'totp.enroll': () => given.scene({ method: 'sms', phone_number: anyNumber() }),
    'totp.createChallenge': () => given.enrolledBySms({ phone_number: anyNumber() }),
  }

  test.each(limitedRoutes.map((route) => [route.name, route] as const))(
    '%s says in its headers how many more there may be',
    async (name, route) => {
      const { org_domain, user_id } = (await scenes[name]?.()) ?? { org_domain: '', user_id: '' }

      const { status, headers } = await send(route, {
        baseUrl: service.baseUrl,
        token: await service.token(),
        references: { org_domain, user_id },
        body: {},
      })

      expect(status).toBe(201)
      expect(headers.get('RateLimit-Policy')).toMatch(/, "sms";q=1000000;w=3600$/)
      expect(headers.get('RateLimit')).toMatch(/, "sms";r=9999\d\d;t=\d+$/)
    },
  )

  test('is of every route that the contract calls limited by sms', () => {
    expect(Object.keys(scenes)).toEqual(limitedRoutes.map(({ name }) => name))
  })
})

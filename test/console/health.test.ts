import { StatisticsQuery, type Health, type HealthCode } from '@portico/contract/health'
import { NewKey } from '@portico/contract/api-key-routes'
import { createAccountKey } from '@portico/server/account-keys'
import { countLogEvents } from '@portico/server/count-log-events'
import { createHealthReader } from '@portico/server/health'
import { getStatistics } from '@portico/server/statistics'
import type { Caller } from '@portico/server/tenant'
import { openMagicLink, type Client } from '@portico/sdk'
import { describe, expect, test, vi } from 'vitest'
import { anyEmail, givenOf } from '../given/given.js'
import { startService } from '../given/harness.js'
import { startReceiver } from '../given/receiver.js'
import { scimGivenOf } from '../given/scim-given.js'
import { idpMetadata, ssoGivenOf } from '../given/sso-given.js'
import { longTest } from '../sampled.js'
import { staffOf } from './staff-given.js'

// With a mail server, mails of production are sent and not kept.
const service = await startService({ variables: { SMTP_URL: 'smtp://mail.example' } })
const { deps } = service
const daySeconds = 86_400

/** Staff and a client of an account of their own, so that its figures are those of the test. */
async function givenStaff(environment: 'sandbox' | 'production' = 'sandbox') {
  const account = await service.createAccount()
  const client = await service.client({ account, environment })
  const others = [
    staffOf(account, { environment: environment === 'sandbox' ? 'production' : 'sandbox' }),
    staffOf(await service.createAccount(), { environment }),
  ]
  return { client, caller: staffOf(account, { environment }), others }
}

function health(caller: Caller): Promise<Health> {
  return createHealthReader(deps)(caller)
}

/** The codes that count something, with their number. */
async function countsOf(caller: Caller): Promise<Partial<Record<HealthCode, number>>> {
  const { tiles } = await health(caller)
  for (const { count, since } of tiles) if (count === 0) expect(since).toBeNull()
  return Object.fromEntries(tiles.flatMap(({ code, count }) => (count > 0 ? [[code, count]] : [])))
}

async function expectOnlyFor({ caller, others }: Awaited<ReturnType<typeof givenStaff>>, counts: object) {
  expect(await countsOf(caller)).toEqual(counts)
  for (const other of others) expect(await countsOf(other)).toEqual({})
}

describe('what may need attention', () => {
  test('is nothing in a new account, said of each code', async () => {
    const { caller } = await givenStaff()
    const { tiles, ...record } = await health(caller)

    expect(record).toMatchObject({ __domain__: caller.accountDomain, __environment__: 'sandbox' })
    expect(tiles.map(({ code }) => code)).toContain('webhooks_failing')
    expect(tiles.filter(({ count }) => count !== 0)).toEqual([])
  })

  test('counts webhooks that fail, and what they have lost in the last day', async () => {
    const staff = await givenStaff()
    const { url } = await startReceiver((res) => res.destroy())
    const { id: webhook_id } = await staff.client.webhooks.create({
      name: 'Receiver',
      target_url: url,
      event_codes: ['user.user.create.success'],
      retry_on_timeout: false,
    })
    const { domain: org_domain } = await givenOf(staff.client).organization()
    await staff.client.users.create({ org_domain, email: anyEmail() })
    await service.runJobs()
    expect(await staff.client.webhooks.listDeliveries({ webhook_id })).toMatchObject({
      data: [{ state: 'lost' }],
    })

    await expectOnlyFor(staff, { webhooks_failing: 1, deliveries_lost: 1 })
    await service.clock.advance(daySeconds)
    await expectOnlyFor(staff, { webhooks_failing: 1 })
  })

  longTest(
    'counts SSO connections whose certificate ends, and whose last three sign-ins failed',
    async () => {
      const staff = await givenStaff()
      const { idp_id, acs_url } = await ssoGivenOf(staff.client).connection()
      const metadata = idpMetadata({ from: service.clock.now(), certificateDays: [40] })
      await staff.client.ssoConnections.update({ idp_id, metadata })
      await staff.client.ssoConnections.activate({ idp_id })
      const post = () =>
        fetch(acs_url, { method: 'POST', body: new URLSearchParams({ SAMLResponse: '<xml>' }) })
      for (let count = 0; count < 2; count += 1) await post()
      await expectOnlyFor(staff, {})

      await post()
      await expectOnlyFor(staff, { sso_connections_failing: 1 })
      await service.clock.advance(11 * daySeconds)
      await expectOnlyFor(staff, { certificates_ending: 1, sso_connections_failing: 1 })
    },
  )

  test('counts directories of which a request was refused in the last day', async () => {
    const staff = await givenStaff()
    const { scim } = await scimGivenOf(staff.client).directory()
    expect((await scim('GET', '/Users')).status).toBe(200)
    await expectOnlyFor(staff, {})

    expect((await scim('POST', '/Users', { body: {} })).status).toBe(400)
    await expectOnlyFor(staff, { directories_refusing: 1 })
    await service.clock.advance(daySeconds)
    await expectOnlyFor(staff, {})
  })

  test('counts jobs that are late', async () => {
    const staff = await givenStaff('production')
    await sendMagicLink(staff.client)
    await expectOnlyFor(staff, {})
    await service.clock.advance(5 * 60)
    await expectOnlyFor(staff, { jobs_overdue: 1 })
    await service.runJobs()
    await expectOnlyFor(staff, {})
  })

  longTest('counts messages that could not be sent', async () => {
    const staff = await givenStaff('production')
    await sendMagicLink(staff.client)
    const refusing = vi.spyOn(deps.mail, 'send').mockRejectedValue(new Error('450 try again'))
    // As its job is tried again while the link is valid.
    for (const seconds of [0, 6, 70, 270, 470]) {
      await service.clock.advance(seconds)
      await service.runJobs()
    }
    refusing.mockRestore()
    await expectOnlyFor(staff, { messages_failed: 1 })
  })

  test('counts API keys that end soon, and those that nobody uses', async () => {
    const staff = await givenStaff()
    const end = (days: number) =>
      new Date(service.clock.now().getTime() + days * daySeconds * 1000).toISOString()
    const create = (expires_at: string | null) =>
      createAccountKey(deps, staff.caller, NewKey.parse({ name: 'Backend', scopes: null, expires_at }))
    await create(end(10))
    await create(end(20))
    await create(null)
    await expectOnlyFor(staff, { api_keys_ending: 1 })

    await service.clock.advance(11 * daySeconds)
    // The first one has ended.
    await expectOnlyFor(staff, { api_keys_ending: 1 })
    await service.clock.advance(80 * daySeconds)
    // The client has a key, too.
    await expectOnlyFor(staff, { api_keys_unused: 2 })
  })

  test('is read again after 30 seconds, and for another account at once', async () => {
    const [one, other] = [await givenStaff(), await givenStaff()]
    const read = createHealthReader(deps)
    const first = await read(one.caller)
    await service.clock.advance(20)
    expect(await read(one.caller)).toBe(first)
    expect(await read(other.caller)).toMatchObject({ __domain__: other.caller.accountDomain })
    await service.clock.advance(10)
    expect((await read(one.caller)).as_of).not.toBe(first.as_of)
  })
})

async function sendMagicLink(client: Client): Promise<void> {
  const { domain: org_domain } = await givenOf(client).organization()
  await givenOf(client).application({ org_domain, organization_domain_scope: org_domain })
  const { email } = await client.users.create({ org_domain, email: anyEmail() })
  await client.magicLink.createChallenge({ org_domain, user_email: email, send_email: true })
}

/** A sign-in with a link that passes, and then as many with a password that is wrong. */
async function signIn(client: Client, failures: number): Promise<void> {
  const { domain: org_domain } = await givenOf(client).organization()
  await givenOf(client).application({ org_domain, organization_domain_scope: org_domain })
  const { email: user_email } = await client.users.create({ org_domain, email: anyEmail() })
  const { magic_link } = await client.magicLink.createChallenge({ org_domain, user_email, send_email: false })
  await openMagicLink(magic_link ?? '')
  await client.password.createConnection({ org_domain })
  for (let count = 0; count < failures; count += 1)
    await client.password.createChallenge({ org_domain, user_email, plain_text: 'wrong' })
}

function statisticsOf(caller: Caller, query: object = {}) {
  return getStatistics(deps, caller, StatisticsQuery.parse(query))
}

describe('sign-ins by day', () => {
  test('are those that passed and failed, as they were last counted', async () => {
    const { client, caller, others } = await givenStaff()
    await signIn(client, 2)
    await countLogEvents(deps)
    await countLogEvents(deps)

    const { days, reasons } = await statisticsOf(caller)
    const today = service.clock.now().toISOString().slice(0, 10)
    expect(days).toHaveLength(30)
    expect(days.at(-1)).toEqual({ day: today, passed: 1, failed: 2 })
    expect(days.slice(0, -1).filter(({ passed, failed }) => passed + failed > 0)).toEqual([])
    expect(reasons).toEqual([{ code: 'END_USER_PASSWORD_FAILED', n: 2 }])
    for (const other of others) expect((await statisticsOf(other)).reasons).toEqual([])

    await signIn(client, 0)
    expect((await statisticsOf(caller)).days).toEqual(days)
    await countLogEvents(deps)
    expect((await statisticsOf(caller)).days.at(-1)).toMatchObject({ passed: 2, failed: 2 })
  })

  longTest(
    'of the hours before are counted after a pause of the workers, and then stay as they are',
    async () => {
      const { client, caller } = await givenStaff()
      await countLogEvents(deps)
      await signIn(client, 1)
      await service.clock.advance(5 * 3600)
      await countLogEvents(deps)
      await service.clock.advance(daySeconds)
      await countLogEvents(deps)

      const { days, reasons } = await statisticsOf(caller, { days: 3 })
      expect(days).toHaveLength(3)
      expect(days.reduce((total, { passed }) => total + passed, 0)).toBe(1)
      expect(reasons).toEqual([{ code: 'END_USER_PASSWORD_FAILED', n: 1 }])
      expect((await statisticsOf(caller, { days: 1 })).reasons).toEqual([])
    },
  )

  longTest('say when the job has counted, every ten minutes', async () => {
    const { caller } = await givenStaff()
    await service.clock.advance(10 * 60)
    const at = service.clock.now().getTime()
    await service.runJobs()

    const { as_of } = await statisticsOf(caller)
    expect(Date.parse(as_of ?? '')).toBeGreaterThanOrEqual(at)
  })

  longTest('are kept for 91 days', async () => {
    const { client, caller } = await givenStaff()
    await signIn(client, 0)
    await countLogEvents(deps)
    await service.clock.advance(92 * daySeconds)
    await service.runJobs()

    const kept = 'select from log_event_counts where account_id = $1'
    expect(await service.query(kept, [caller.accountId])).toEqual([])
  })
})

import { describe, expect, test } from 'vitest'
import { freePort } from '../given/free-port.js'
import { startService } from '../given/harness.js'
import { startReceiver } from '../given/receiver.js'
import { longTest, sampled } from '../sampled.js'
import { webhooksOf } from './webhook-given.js'

const service = await startService()
const client = await service.client()
const given = webhooksOf(service, client)

const minute = 60
const hour = 60 * minute

describe('the schedule', () => {
  longTest(
    'tries again after 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 h, give or take a tenth, and gives up then',
    async () => {
      const receiver = await startReceiver(503)
      const webhook = await given.subscribed(receiver)
      await given.happen()
      await service.runJobs()

      for (const wait of [
        5,
        5 * minute,
        30 * minute,
        2 * hour,
        5 * hour,
        10 * hour,
        14 * hour,
        20 * hour,
        24 * hour,
      ]) {
        const sent = receiver.received.length
        await service.clock.advance(wait * 0.9 - 2)
        await service.runJobs()
        expect(receiver.received).toHaveLength(sent)
        await service.clock.advance(wait * 0.2 + 2)
        await service.runJobs()
        expect(receiver.received).toHaveLength(sent + 1)
      }

      expect(receiver.received).toHaveLength(10)
      const delivery = await given.onlyDeliveryTo(webhook)
      expect(delivery).toMatchObject({ state: 'failed', next_attempt_at: null })
      expect(delivery.attempts.map(({ number, outcome, status }) => [number, outcome, status])).toEqual(
        Array.from({ length: 10 }, (_, index) => [index + 1, 'refused', 503]),
      )
      // Each attempt has the same event id and a new signature.
      expect(new Set(receiver.received.map((one) => one.headers['webhook-id'])).size).toBe(1)
      expect(new Set(receiver.received.map((one) => one.headers['service-signature'])).size).toBe(10)
    },
  )

  const wishes: [string, number, (at: Date) => string, number][] = [
    ['429 and 90 seconds', 429, () => '90', 90],
    ['503 and a date', 503, (at) => new Date(at.getTime() + 600_000).toUTCString(), 600],
    ['429 and nonsense', 429, () => 'soon', 5],
    ['429 and a week', 429, () => String(7 * 24 * hour), 24 * hour],
    ['500, which it does not go with,', 500, () => '90', 5],
  ]
  test.each(sampled(wishes, 3))(
    'waits as Retry-After asks: %s',
    async (_title, status, retryAfter, seconds) => {
      const receiver = await startReceiver((res) => {
        res.writeHead(status, { 'retry-after': retryAfter(service.clock.now()) }).end()
      })
      const webhook = await given.subscribed(receiver)
      await given.happen()

      await service.runJobs()

      const { attempts, next_attempt_at: next } = await given.onlyDeliveryTo(webhook)
      const waited = (Date.parse(next ?? '') - Date.parse(attempts[0]?.started_at ?? '')) / 1000
      expect(waited).toBeGreaterThan(seconds * 0.9 - 1.5)
      expect(waited).toBeLessThan(seconds * 1.1 + 1.5)
    },
  )

  test.each(sampled([302, 410, 500, 301, 307, 400, 404], 2))(
    '%i is an answer that refuses, and is not followed',
    async (status) => {
      const elsewhere = await startReceiver()
      const receiver = await startReceiver((res) =>
        res.writeHead(status, { location: elsewhere.url }).end('no'),
      )
      const webhook = await given.subscribed(receiver)
      await given.happen()

      await service.runJobs()

      expect(elsewhere.received).toEqual([])
      expect(await given.onlyDeliveryTo(webhook)).toMatchObject({
        state: 'pending',
        attempts: [{ outcome: 'refused', status, answer: 'no' }],
      })
    },
  )

  test('gives an event up that gets no answer, unless the webhook says otherwise', async () => {
    const receiver = await startReceiver((res) => res.destroy())
    const patient = await given.subscribed(receiver, { retry_on_timeout: true })
    const webhook = await given.subscribed(receiver)
    const unreachable = await client.webhooks.create({
      name: 'Nobody',
      target_url: `http://127.0.0.1:${await freePort()}/`,
      event_codes: ['user.all'],
    })
    await given.happen()

    await service.runJobs()

    const attempts = [{ outcome: 'disconnected', status: null, answer: null }]
    expect(await given.onlyDeliveryTo(webhook)).toMatchObject({
      state: 'lost',
      next_attempt_at: null,
      attempts,
    })
    expect(await given.onlyDeliveryTo(patient)).toMatchObject({ state: 'pending', attempts })
    expect(await given.onlyDeliveryTo(unreachable)).toMatchObject({
      state: 'lost',
      attempts: [{ outcome: 'unreachable' }],
    })
  })

  test('keeps the first 1,000 characters of an answer, whatever they are', async () => {
    const receiver = await startReceiver((res) => res.writeHead(500).end(`\0${'é'.repeat(998)}😀😀`))
    const webhook = await given.subscribed(receiver)
    await given.happen()

    await service.runJobs()

    const { attempts } = await given.onlyDeliveryTo(webhook)
    // Postgres cannot store NUL or half of a surrogate pair.
    expect(attempts[0]?.answer).toMatch(/^\uFFFDé{998}\uFFFD$/)
  })
})

describe('a receiver that is gone', () => {
  test('has its webhook made inactive after five days of nothing but failures, and the account is told', async () => {
    const receiver = await startReceiver(500)
    const listener = await startReceiver()
    const webhook = await given.subscribed(receiver)
    await given.subscribed(listener, { event_codes: ['webhook.webhook.disable.success'] })
    await given.happen()
    await service.runJobs()
    const { failing_since: since } = await client.webhooks.get({ webhook_id: webhook.id })

    await service.clock.advance(5 * 24 * hour - minute)
    await given.happen()
    await service.runJobs()
    const before = await client.webhooks.get({ webhook_id: webhook.id })
    await service.clock.advance(2 * minute)
    await given.happen()
    await service.runJobs()

    expect(before).toMatchObject({ active: true, failing_since: since })
    expect(await client.webhooks.get({ webhook_id: webhook.id })).toMatchObject({ active: false })
    const told = listener.received.filter(({ body }) => body.includes(webhook.id))
    expect(told.map((one) => one.event)).toMatchObject([
      { code: 'webhook.webhook.disable.success', actor: { type: 'system' }, data: { id: webhook.id } },
    ])
    const { data: log } = await client.logEvents.list({
      org_domain: service.account.domain,
      code: 'WEBHOOK_DISABLED',
    })
    expect(log.filter(({ reason }) => reason?.includes(webhook.id))).toHaveLength(1)
  })

  test('begins anew with one success', async () => {
    const receiver = await startReceiver(500)
    const webhook = await given.subscribed(receiver)
    await given.happen()
    await service.runJobs()
    await service.clock.advance(3 * 24 * hour)
    receiver.answer(204)
    await service.runJobs()
    receiver.answer(500)
    await service.clock.advance(3 * 24 * hour)
    await given.happen()

    await service.runJobs()

    const { active, failing_since: since } = await client.webhooks.get({ webhook_id: webhook.id })
    expect(active).toBe(true)
    expect(service.clock.now().getTime() - Date.parse(since ?? '')).toBeLessThan(minute * 1000)
  })

  longTest('gets everything of a day when it is back', async () => {
    const receiver = await startReceiver(503)
    const webhook = await given.subscribed(receiver)
    const hours = [...Array(24).keys()]
    for (const _ of hours) {
      await given.happen()
      await service.runJobs()
      await service.clock.advance(hour)
    }

    receiver.answer(204)
    const failed = receiver.received.length
    for (const _ of hours) {
      await service.clock.advance(hour)
      await service.runJobs()
    }

    const delivered = receiver.received.slice(failed).map((one) => one.event.id)
    expect(new Set(delivered).size).toBe(hours.length)
    const deliveries = await given.deliveriesTo(webhook)
    expect(deliveries.map((delivery) => delivery.state)).toEqual(hours.map(() => 'delivered'))
  })
})

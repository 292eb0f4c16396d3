import { describe, expect, test } from 'vitest'
import { startService } from '../given/harness.js'
import { startReceiver } from '../given/receiver.js'
import { webhooksOf } from './webhook-given.js'

const service = await startService()
const client = await service.client()
const given = webhooksOf(service, client)

describe('a test event', () => {
  test('goes to its webhook alone, also when that is inactive and subscribes to something else', async () => {
    const [receiver, other] = [await startReceiver(), await startReceiver()]
    const webhook = await given.subscribed(receiver, { active: false })
    await given.subscribed(other, { event_codes: ['organization.all'] })

    const delivery = await client.webhooks.test({ webhook_id: webhook.id })
    await service.runJobs()

    expect(delivery).toMatchObject({
      webhook_id: webhook.id,
      event_code: 'webhook.webhook.test.success',
      state: 'pending',
      attempts: [],
    })
    expect(receiver.received.map((one) => one.event)).toMatchObject([
      { id: delivery.id, code: 'webhook.webhook.test.success', data: { id: webhook.id } },
    ])
    expect(other.received).toEqual([])
    expect(await given.onlyDeliveryTo(webhook)).toMatchObject({ id: delivery.id, state: 'delivered' })
  })

  test('does not bring along what waits for an inactive webhook', async () => {
    const receiver = await startReceiver()
    const webhook = await given.subscribed(receiver)
    await given.happen(3)
    await client.webhooks.update({ webhook_id: webhook.id, active: false })

    await client.webhooks.test({ webhook_id: webhook.id })
    await service.runJobs()

    expect(receiver.received.map((one) => one.event.code)).toEqual(['webhook.webhook.test.success'])
  })
})

describe('redelivery', () => {
  test('sends one event again, also one that was delivered, and begins its schedule anew', async () => {
    const receiver = await startReceiver()
    const webhook = await given.subscribed(receiver)
    await given.happen()
    await service.runJobs()
    const { id } = await given.onlyDeliveryTo(webhook)
    receiver.answer(500)

    const queued = await client.webhooks.redeliver({ webhook_id: webhook.id, delivery_id: id })
    await service.runJobs()

    expect(queued).toMatchObject({ id, state: 'pending' })
    const delivery = await given.onlyDeliveryTo(webhook)
    expect(delivery).toMatchObject({
      state: 'pending',
      attempts: [
        { number: 1, outcome: 'delivered' },
        { number: 2, outcome: 'refused' },
      ],
    })
    const wait = Date.parse(delivery.next_attempt_at ?? '') - service.clock.now().getTime()
    expect(wait).toBeLessThan(6_000)
    const [first, second] = receiver.received
    expect(second?.event.id).toBe(first?.event.id)
  })

  test('of all sends what failed or is lost, and leaves alone what was delivered or waits', async () => {
    const receiver = await startReceiver((res) => res.destroy())
    const webhook = await given.subscribed(receiver)
    await given.happen(2)
    await service.runJobs()
    receiver.answer(204)
    await given.happen(1)
    await service.runJobs()
    receiver.received.length = 0

    const answer = await client.webhooks.redeliverAll({ webhook_id: webhook.id })
    await service.runJobs()

    expect(answer).toMatchObject({ __type__: 'WebhookRedelivery', webhook_id: webhook.id, deliveries: 2 })
    expect(receiver.received).toHaveLength(2)
    const states = (await given.deliveriesTo(webhook)).map((delivery) => delivery.state)
    expect(states).toEqual(['delivered', 'delivered', 'delivered'])
  })

  test('since a time sends everything of then and later, whatever became of it', async () => {
    const receiver = await startReceiver()
    const webhook = await given.subscribed(receiver)
    await given.happen(2)
    await service.clock.advance(60)
    const since = service.clock.now().toISOString()
    await given.happen(3)
    await service.runJobs()
    receiver.received.length = 0

    const { deliveries } = await client.webhooks.redeliverAll({ webhook_id: webhook.id, since })
    await service.runJobs()

    expect(deliveries).toBe(3)
    expect(receiver.received).toHaveLength(3)
  })

  test.each(['yesterday', '2026-02-30T00:00:00Z', '1700000000'])('422: %s is no time', async (since) => {
    const webhook = await given.subscribed(await startReceiver())
    await expect(client.webhooks.redeliverAll({ webhook_id: webhook.id, since })).rejects.toMatchObject({
      status: 422,
      fields: [{ path: 'since' }],
    })
  })

  test('404: the delivery of another webhook, and that of another account, are not there', async () => {
    const receiver = await startReceiver()
    const webhook = await given.subscribed(receiver)
    const other = await given.subscribed(receiver, { event_codes: ['application.all'] })
    await given.happen()
    const [delivery] = await given.deliveriesTo(webhook)
    const stranger = await service.client({ account: await service.createAccount() })
    const strange = await given.subscribed(receiver, {}, stranger)
    const delivery_id = delivery?.id ?? ''

    const absent = { status: 404, code: 'delivery_not_found' }
    await expect(client.webhooks.redeliver({ webhook_id: other.id, delivery_id })).rejects.toMatchObject(
      absent,
    )
    await expect(stranger.webhooks.redeliver({ webhook_id: strange.id, delivery_id })).rejects.toMatchObject(
      absent,
    )
    await expect(stranger.webhooks.redeliver({ webhook_id: webhook.id, delivery_id })).rejects.toMatchObject({
      status: 404,
      code: 'webhook_not_found',
    })
    await expect(stranger.webhooks.redeliverAll({ webhook_id: webhook.id })).rejects.toMatchObject({
      status: 404,
      code: 'webhook_not_found',
    })
  })
})

describe('the deliveries of a webhook', () => {
  test('are listed newest first, and by state and code', async () => {
    const receiver = await startReceiver()
    const webhook = await given.subscribed(receiver, { event_codes: ['user.all', 'organization.all'] })
    await given.happen(2)
    await service.runJobs()
    receiver.answer(500)
    await given.happen()
    await service.runJobs()
    const webhook_id = webhook.id

    const all = await given.deliveriesTo(webhook)
    const pending = await client.webhooks.listDeliveries({ webhook_id, state: 'pending' })
    const users = await client.webhooks.listDeliveries({ webhook_id, event_code: 'user.user.create.success' })
    const nothing = await client.webhooks.listDeliveries({ webhook_id, state: 'unknown' as never })

    expect(all.map((delivery) => delivery.event_code)).toEqual([
      'user.user.create.success',
      'organization.organization.create.success',
      'user.user.create.success',
      'user.user.create.success',
      'organization.organization.create.success',
    ])
    expect([pending.total, users.total, nothing.total]).toEqual([2, 3, 0])
    expect(pending.data.every((delivery) => delivery.state === 'pending')).toBe(true)
  })
})

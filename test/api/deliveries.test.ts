import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { startService } from '../given/harness.js'
import { startReceiver, type Receiver } from '../given/receiver.js'
import { webhooksOf } from './webhook-given.js'

const service = await startService()
const client = await service.client()
const given = webhooksOf(service, client)

describe('an event', () => {
  test('is posted as JSON to who subscribes to its code, its family or to all, and to nobody else', async () => {
    const [code, family, all, other, foreign, production] = await Promise.all(
      Array.from({ length: 6 }, () => startReceiver()),
    )
    if (!code || !family || !all || !other || !foreign || !production) throw new Error('too few receivers')
    const webhook = await given.subscribed(code)
    await given.subscribed(family, { event_codes: ['user.all'] })
    await given.subscribed(all, { event_codes: ['all'] })
    await given.subscribed(other, { event_codes: ['user.user.update.success', 'application.all'] })
    const elsewhere = await service.createAccount()
    await given.subscribed(foreign, { event_codes: ['all'] }, await service.client({ account: elsewhere }))
    await given.subscribed(
      production,
      { event_codes: ['all'] },
      await service.client({ environment: 'production' }),
    )
    foreign.received.length = production.received.length = 0

    const { domain } = await service.given.organization()
    await service.given.user({ org_domain: domain })
    await service.runJobs()

    const [received] = code.received
    const { data: stream } = await client.events.list({ code: 'user.user.create.success' })
    const told = stream.find((event) => event.id === received?.event.id)
    expect(received?.event).toEqual({ ...told, cursor: null, webhook_id: webhook.id })
    expect(received?.headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': told?.id,
      'service-signature': expect.stringMatching(/^t=\d+,v1=sha256\./) as string,
    })
    const codesAt = (receiver: Receiver) => receiver.received.map((one) => one.event.code)
    expect(codesAt(code)).toEqual(['user.user.create.success'])
    expect(codesAt(family)).toEqual(['user.user.create.success'])
    expect(codesAt(all)).toContain('organization.organization.create.success')
    expect(codesAt(all)).toContain('user.user.create.success')
    expect(codesAt(other)).toEqual([])
    const ofAccount = (receiver: Receiver) =>
      receiver.received.filter((one) => one.event.__domain__ === domain || one.event.id === told?.id)
    expect(ofAccount(foreign)).toEqual([])
    expect(ofAccount(production)).toEqual([])
  })

  test('of a change that was refused is not sent', async () => {
    const receiver = await startReceiver()
    await given.subscribed(receiver)
    const { domain } = await service.given.organization()
    const { email } = await service.given.user({ org_domain: domain })

    await expect(service.given.user({ org_domain: domain, email })).rejects.toMatchObject({ status: 409 })
    await service.runJobs()

    expect(receiver.received).toHaveLength(1)
  })

  test('of a user without the metadata that is required is neither recorded nor sent', async () => {
    const receiver = await startReceiver()
    await given.subscribed(receiver)
    const { domain } = await service.given.organization()
    await service.given.metaKey({ org_domain: domain, required: true })

    const refused = { status: 422, code: 'metadata_required' }
    await expect(service.given.user({ org_domain: domain })).rejects.toMatchObject(refused)
    await service.runJobs()

    const events = await service.query(
      `select from events where domain = $1 and code = 'user.user.create.success'`,
      [domain],
    )
    expect(events).toEqual([])
    expect(receiver.received).toEqual([])
  })

  test('is not sent to an inactive webhook, then or later', async () => {
    const receiver = await startReceiver()
    const webhook = await given.subscribed(receiver, { active: false })
    await given.happen()

    await client.webhooks.update({ webhook_id: webhook.id, active: true })
    await service.runJobs()

    expect(receiver.received).toEqual([])
  })

  test('that waits when its webhook becomes inactive waits on until it is active', async () => {
    const receiver = await startReceiver()
    const webhook = await given.subscribed(receiver)
    await given.happen()
    await client.webhooks.update({ webhook_id: webhook.id, active: false })
    // A test event is also sent to an inactive webhook, and is claimed together with its pending deliveries.
    await client.webhooks.test({ webhook_id: webhook.id })

    await service.runJobs()
    const whileInactive = receiver.received.map(({ event }) => event.code)
    await client.webhooks.update({ webhook_id: webhook.id, active: true })
    await service.runJobs()

    expect(whileInactive).toEqual(['webhook.webhook.test.success'])
    expect(receiver.received).toHaveLength(2)
  })

  test('that two processes send arrives once', async () => {
    const receiver = await startReceiver()
    const webhook = await given.subscribed(receiver)
    const other = await startService({ databaseUrl: service.databaseUrl })
    await given.happen(30)

    await Promise.all([service.runJobs(), other.runJobs()])

    const ids = receiver.received.map((one) => one.event.id)
    expect(ids).toHaveLength(30)
    expect(new Set(ids).size).toBe(30)
    const deliveries = await given.deliveriesTo(webhook)
    expect(deliveries.every((delivery) => delivery.state === 'delivered')).toBe(true)
  })

  test('for one receiver does not wait for another that does not answer', async () => {
    const slow = await startReceiver()
    const quick = await startReceiver()
    const held: (() => void)[] = []
    slow.answer((res) => held.push(() => res.writeHead(204).end()))
    const { id } = await given.subscribed(slow)
    await given.subscribed(quick)
    await given.happen(12)

    const running = service.runJobs()
    await Promise.all([quick.arrived(12), slow.arrived(4)])
    const claimed = await service.query(
      'select from webhook_deliveries where webhook_id = $1 and lease is not null',
      [id],
    )
    slow.answer(204)
    for (const release of held) release()
    await running

    // At most four deliveries to the slow receiver were in flight at a time.
    expect(claimed).toHaveLength(4)
    expect(held).toHaveLength(4)
    expect(slow.received).toHaveLength(12)
  })

  test('that a process was sending when it ended is sent by another when the lease has run out', async () => {
    const held: ServerResponse[] = []
    const receiver = await startReceiver((res) => held.push(res))
    const dying = await startService({ databaseUrl: service.databaseUrl })
    const webhook = await given.subscribed(receiver)
    await given.happen()
    const abandoned = dying.runJobs()
    await receiver.arrived(1)

    const twice = receiver.arrived(2).then(() => 'sent twice')
    const beforeLeaseEnd = await Promise.race([service.runJobs().then(() => 'sent once'), twice])
    expect(beforeLeaseEnd).toBe('sent once')
    await service.clock.advance(31)
    const running = service.runJobs()
    await twice
    // The result of the first process now comes too late to count.
    held[0]?.destroy()
    await abandoned
    const meanwhile = await given.onlyDeliveryTo(webhook)
    held[1]?.writeHead(204).end()
    await running

    expect(receiver.received[1]?.event.id).toBe(receiver.received[0]?.event.id)
    expect(meanwhile).toMatchObject({ state: 'pending', attempts: [] })
    expect(await given.onlyDeliveryTo(webhook)).toMatchObject({
      state: 'delivered',
      attempts: [{ number: 2, outcome: 'delivered' }],
    })
  })
})

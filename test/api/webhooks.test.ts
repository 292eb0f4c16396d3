import type { Client, Webhook } from '@portico/sdk'
import { beforeAll, describe, expect, test } from 'vitest'
import { longTest } from '../sampled.js'
import { startReceiver } from '../given/receiver.js'
import { startService, type Service } from '../given/harness.js'

let service: Service
let client: Client
/** A client of a service whose operator permits no private networks. */
let closed: Client
beforeAll(async () => {
  service = await startService()
  client = await service.client()
  closed = await (await startService({ variables: { OUTBOUND_ALLOW: '' } })).client()
})

const refused = { status: 422, code: 'invalid_parameters' }
const target = 'https://receiver.example/events'

function create(members: Partial<Parameters<Client['webhooks']['create']>[0]> = {}): Promise<Webhook> {
  return client.webhooks.create({ name: 'Shop', target_url: target, event_codes: ['user.all'], ...members })
}

describe('a webhook', () => {
  test('is active, gives lost events up, and has a key of its own, unless said otherwise', async () => {
    const webhook = await create()

    expect(webhook).toMatchObject({
      __type__: 'Webhook',
      __domain__: service.account.domain,
      __environment__: 'sandbox',
      name: 'Shop',
      target_url: target,
      event_codes: ['user.all'],
      active: true,
      retry_on_timeout: false,
      previous_signature_key_expires_at: null,
      failing_since: null,
    })
    const other = await create()
    expect(webhook.signature_key).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(other.signature_key).not.toBe(webhook.signature_key)
    expect(await client.webhooks.get({ webhook_id: webhook.id })).toEqual(webhook)
  })

  test('subscribes to each code once', async () => {
    const { event_codes } = await create({ event_codes: ['all', 'user.all', 'all'] })
    expect(event_codes).toEqual(['all', 'user.all'])
  })

  test.each([
    [['user.user.created.success'], 'event_codes.0'],
    [['users.all'], 'event_codes.0'],
    [['all', ''], 'event_codes.1'],
    [[], 'event_codes'],
  ])('422: codes %j are none that exist', async (event_codes, path) => {
    await expect(create({ event_codes: event_codes as never })).rejects.toMatchObject({
      ...refused,
      fields: [expect.objectContaining({ path })],
    })
  })

  test.each([
    'http://receiver.example/events',
    'https://user:password@receiver.example/events',
    'https://receiver.example:22/events',
    'https://localhost/events',
    'https://intranet/events',
    'https://10.0.0.8/events',
    'https://[::ffff:10.0.0.8]/events',
    'https://169.254.169.254/latest/meta-data',
    'ftp://receiver.example/events',
    'events',
  ])('422: %s is no target, and the text does not tell why', async (target_url) => {
    const input = { name: 'Shop', event_codes: ['all' as const] }
    const { id } = await closed.webhooks.create({ ...input, target_url: target })
    const message = expect.stringContaining('public host') as string
    const notAllowed = { ...refused, fields: [{ path: 'target_url', code: 'not_allowed', message }] }

    await expect(closed.webhooks.create({ ...input, target_url })).rejects.toMatchObject(notAllowed)
    await expect(closed.webhooks.update({ webhook_id: id, target_url })).rejects.toMatchObject(notAllowed)
  })

  test('is changed member by member, and only in the version that was read', async () => {
    const { id } = await create()

    const renamed = await client.webhooks.update({ webhook_id: id, name: 'Store' }, { ifMatch: '"1"' })
    const late = client.webhooks.update({ webhook_id: id, name: 'Late' }, { ifMatch: '"1"' })

    await expect(late).rejects.toMatchObject({ status: 412, code: 'precondition_failed' })
    expect(renamed).toMatchObject({ name: 'Store', target_url: target, event_codes: ['user.all'] })
  })

  test('is gone when it is deleted', async () => {
    const webhook = await create()
    const { id: delivery_id } = await client.webhooks.test({ webhook_id: webhook.id })

    const deletion = await client.webhooks.delete({ webhook_id: webhook.id })

    expect(deletion).toEqual({ deleted: true, resource: webhook, type: '__Deleted__' })
    const gone = { status: 404, code: 'webhook_not_found' }
    await expect(client.webhooks.get({ webhook_id: webhook.id })).rejects.toMatchObject(gone)
    await expect(client.webhooks.listDeliveries({ webhook_id: webhook.id })).rejects.toMatchObject(gone)
    await expect(client.webhooks.test({ webhook_id: webhook.id })).rejects.toMatchObject(gone)
    await expect(client.webhooks.redeliver({ webhook_id: webhook.id, delivery_id })).rejects.toMatchObject(
      gone,
    )
    await expect(client.webhooks.redeliverAll({ webhook_id: webhook.id })).rejects.toMatchObject(gone)
    await expect(client.webhooks.update({ webhook_id: webhook.id, name: 'x' })).rejects.toMatchObject(gone)
    const { data: others } = await client.webhooks.list({ per_page: 100 })
    expect(others.map(({ id }) => id)).not.toContain(webhook.id)
  })

  longTest('is sent nothing once it is deleted, and is erased with its deliveries', async () => {
    const receiver = await startReceiver()
    const webhook = await create({ target_url: receiver.url, event_codes: ['all'] })
    await client.webhooks.test({ webhook_id: webhook.id })

    await client.webhooks.delete({ webhook_id: webhook.id })
    await service.given.organization()
    await service.runJobs()
    await service.clock.advance(60 * 60 + 1)
    await service.runJobs()

    expect(receiver.received).toEqual([])
    const rows = await service.query(
      'select id from webhooks where id = $1 union all select id from webhook_deliveries where webhook_id = $1',
      [webhook.id],
    )
    expect(rows).toEqual([])
  })

  test('tells of itself in events without its key', async () => {
    const webhook = await create()
    await client.webhooks.rotateSignatureKey({ webhook_id: webhook.id })

    const { data } = await client.events.list({ code: 'webhook.all' })

    const told = data.filter((event) => JSON.stringify(event.data).includes(webhook.id))
    expect(told.map((event) => event.code)).toEqual([
      'webhook.webhook.create.success',
      'webhook.webhook.rotate.success',
    ])
    expect(JSON.stringify(data)).not.toContain('whsec_')
  })

  test('has its key sealed in the database and nowhere in the log', async () => {
    const { signature_key: key } = await create()

    const rows = await service.query<{ row: string }>('select webhooks::text as row from webhooks')

    expect(rows.length).toBeGreaterThan(0)
    expect(rows.map(({ row }) => row).join()).not.toContain(Buffer.from(key).toString('hex'))
    expect(service.logLines.join()).not.toContain(key)
  })
})

describe('the signature key', () => {
  test('signs beside its successor for a day', async () => {
    const receiver = await startReceiver()
    const before = await create({ target_url: receiver.url, event_codes: ['organization.all'] })
    const at = service.clock.now().getTime()

    const after = await client.webhooks.rotateSignatureKey({ webhook_id: before.id })

    expect(after.signature_key).not.toBe(before.signature_key)
    const expiry = Date.parse(after.previous_signature_key_expires_at ?? '') - at
    expect(Math.round(expiry / 1000)).toBe(24 * 60 * 60)
    await service.given.organization()
    await service.runJobs()
    await service.clock.advance(24 * 60 * 60 + 1)
    await service.given.organization()
    await service.runJobs()
    const headers = receiver.received.map((one) => String(one.headers['service-signature']))
    expect(headers).toEqual([
      expect.stringMatching(/^t=\d+,v1=sha256\.[\w-]{43},v0=sha256\.[\w-]{43}$/),
      expect.stringMatching(/^t=\d+,v1=sha256\.[\w-]{43}$/),
    ])
  })
})

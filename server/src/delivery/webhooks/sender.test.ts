import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { startQueue, type Queue } from '../jobs/run.given.js'
import type { Outbound } from '../../platform/outbound/post.js'
import { startSender, type SenderOptions } from './sender.js'
import { sealNewSignatureKey } from './signature-keys.js'

let queue: Queue
const accountId = uuidv7()
const environment = 'sandbox'

beforeAll(async () => {
  queue = await startQueue()
  await queue.db
    .insertInto('accounts')
    .values({ id: accountId, domain: 'acme', plan: 'free', inserted_at: queue.now() })
    .execute()
}, 60_000)

beforeEach(async () => {
  await queue.reset()
  await queue.db.deleteFrom('webhooks').execute()
  await queue.db.deleteFrom('events').execute()
})

/** A webhook with one pending event. */
async function givenWaiting(webhook: { active?: boolean; isFailing?: boolean; sealed?: Buffer } = {}) {
  const at = queue.now()
  const id = uuidv7()
  const eventId = uuidv7()
  const owner = { account_id: accountId, environment }
  await queue.db
    .insertInto('webhooks')
    .values({
      ...owner,
      id,
      name: 'Receiver',
      target_url: 'https://receiver.example/',
      event_codes: ['all'],
      active: webhook.active ?? true,
      retry_on_timeout: false,
      signature_key_sealed: webhook.sealed ?? sealNewSignatureKey(queue.deps, { accountId, environment, id }),
      failing_since: webhook.isFailing === true ? at : null,
      inserted_at: at,
      updated_at: at,
    })
    .execute()
  const event = {
    domain: 'acme',
    data: '{}',
    params: '{}',
    actor_type: 'system',
    actor_id: 'test',
    request_id: 'x',
  }
  const code = 'user.user.create.success'
  await queue.db
    .insertInto('events')
    .values({ ...owner, ...event, id: eventId, code, issued_at: at })
    .execute()
  await queue.db
    .insertInto('webhook_deliveries')
    .values({
      ...owner,
      id: eventId,
      webhook_id: id,
      event_code: code,
      state: 'pending',
      run_at: at,
      inserted_at: at,
    })
    .execute()
  return id
}

/** Sends due deliveries to receivers that answer once this many requests have arrived. */
async function send(options: SenderOptions, together = 1): Promise<void> {
  const waiting: (() => void)[] = []
  const outbound: Outbound = {
    get: () => Promise.reject(new Error('deliveries are posted')),
    readTxt: () => Promise.reject(new Error('deliveries are posted')),
    async post() {
      await new Promise<void>((resolve) => {
        waiting.push(resolve)
        if (waiting.length >= together) for (const release of waiting) release()
      })
      return { outcome: 'answered', status: 204, headers: {}, body: '', isWhole: true }
    },
    close: () => undefined,
  }
  const sender = startSender({ ...queue.deps, outbound }, { pollMs: 60_000, ...options })
  try {
    await sender.runDue()
  } finally {
    await sender.stop()
  }
}

async function stateOf(webhookId: string) {
  const { rows } = await sql<{ state: string; attempts: string[] }>`
    select state, array(
      select outcome from webhook_attempts where webhook_attempts.webhook_id = webhook_deliveries.webhook_id
    ) as attempts
    from webhook_deliveries where webhook_id = ${webhookId}`.execute(queue.db)
  return rows[0]
}

test('webhooks that can be sent nothing take no place of those that can', async () => {
  for (let count = 0; count < 20; count += 1) await givenWaiting({ active: false })
  const webhook = await givenWaiting()

  await send({ limit: 1 })

  expect(await stateOf(webhook)).toEqual({ state: 'delivered', attempts: ['delivered'] })
})

test('a webhook that fails takes one place', async () => {
  const failing = await Promise.all(Array.from({ length: 4 }, () => givenWaiting({ isFailing: true })))

  await send({ limit: 4, perWebhook: 4 }, 4)

  expect(await Promise.all(failing.map(stateOf))).toEqual(
    failing.map(() => ({ state: 'delivered', attempts: ['delivered'] })),
  )
})

test('an event that cannot be signed is tried on the schedule, and keeps nobody else', async () => {
  const broken = await givenWaiting({ sealed: Buffer.alloc(64) })
  const webhook = await givenWaiting()

  await send({})

  expect(await stateOf(broken)).toEqual({ state: 'pending', attempts: ['not_sent'] })
  expect(await stateOf(webhook)).toEqual({ state: 'delivered', attempts: ['delivered'] })
})

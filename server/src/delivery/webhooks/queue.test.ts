import { sql, type Kysely } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { beforeAll, describe, expect, test } from 'vitest'
import type { DB } from '../../platform/db/schema.js'
import { startQueue } from '../jobs/run.given.js'
import { claimDeliveries, endAttempts, type ClaimedDelivery, type EndedAttempt } from './queue.js'

let db: Kysely<DB>
const accountId = uuidv7()
const owner = { account_id: accountId, environment: 'sandbox' }
const madeAt = new Date('2026-03-14T09:00:00.000Z')

beforeAll(async () => {
  ;({ db } = await startQueue())
  await sql`insert into accounts (id, domain, plan, inserted_at) values (${accountId}, 'acme', 'free', ${madeAt})`.execute(
    db,
  )
}, 60_000)

/** Deliveries to one new webhook that are being sent. */
async function claimed(count: number, failingSince: Date | null = null): Promise<ClaimedDelivery[]> {
  const webhookId = uuidv7()
  await db
    .insertInto('webhooks')
    .values({
      ...owner,
      id: webhookId,
      name: 'Receiver',
      target_url: 'https://receiver.example/',
      event_codes: ['all'],
      active: true,
      retry_on_timeout: false,
      signature_key_sealed: Buffer.alloc(1),
      failing_since: failingSince,
      inserted_at: madeAt,
      updated_at: madeAt,
    })
    .execute()
  const ids = Array.from({ length: count }, () => uuidv7())
  await sql`
    with happened as (
      insert into events (
        account_id, environment, id, domain, code, data, params, actor_type, actor_id, request_id, issued_at
      )
      select ${accountId}, 'sandbox', id, 'acme', 'user.user.create.success', '{}', '{}', 'system', 'test', 'test', ${madeAt}
      from unnest(${ids}::uuid[]) id
    )
    insert into webhook_deliveries (account_id, environment, id, webhook_id, event_code, state, run_at, inserted_at)
    select ${accountId}, 'sandbox', id, ${webhookId}, 'user.user.create.success', 'pending', ${madeAt}, ${madeAt}
    from unnest(${ids}::uuid[]) id`.execute(db)
  return claimDeliveries(db, {
    at: madeAt,
    leaseUntil: after(30),
    rooms: [{ webhookId, healthy: count, failing: count }],
  })
}

function after(seconds: number): Date {
  return new Date(madeAt.getTime() + seconds * 1000)
}

function ended(delivery: ClaimedDelivery, isReceived: boolean, at: Date): EndedAttempt {
  const answer = { answer: '', durationMs: 1, startedAt: madeAt }
  const ending = isReceived
    ? ({ ...answer, outcome: 'delivered', status: 204, state: 'delivered', nextAt: null } as const)
    : ({ ...answer, outcome: 'refused', status: 500, state: 'pending', nextAt: after(60) } as const)
  return { delivery, ending, at }
}

async function failingSinceOf([delivery]: readonly ClaimedDelivery[]): Promise<Date | null> {
  const { failing_since: since } = await db
    .selectFrom('webhooks')
    .where('id', '=', delivery?.webhook_id ?? '')
    .select('failing_since')
    .executeTakeFirstOrThrow()
  return since
}

describe('attempts that are stored together', () => {
  const long = after(-3600)
  test.each([
    ['a refusal', null, [false], after(0)],
    ['a success after a refusal', null, [false, true], null],
    ['a refusal after a success', null, [true, false], after(1)],
    ['a success of one that fails', long, [true], null],
    ['refusals of one that fails', long, [false, false], long],
    ['a refusal after a success of one that fails', long, [true, false], after(1)],
  ])('leave a webhook failing or not: %s', async (_what, before, outcomes, expected) => {
    const deliveries = await claimed(outcomes.length, before)

    await endAttempts(
      db,
      deliveries.map((delivery, place) => ended(delivery, outcomes[place] ?? false, after(place))),
    )

    expect(await failingSinceOf(deliveries)).toEqual(expected)
  })

  test('are each recorded, but for one whose lease has ended', async () => {
    const deliveries = await claimed(3)
    const [, late] = deliveries
    await db
      .updateTable('webhook_deliveries')
      .set({ lease: uuidv7() })
      .where('id', '=', late?.id ?? '')
      .execute()

    await endAttempts(
      db,
      deliveries.map((delivery) => ended(delivery, delivery !== deliveries[0], after(1))),
    )

    const rows = await sql<{ id: string; state: string; attempts: number; leased: boolean }>`
      select id, state, lease is not null as leased, (
        select count(*)::integer from webhook_attempts
        where delivery_id = deliveries.id and webhook_id = deliveries.webhook_id and number = 1
      ) as attempts
      from webhook_deliveries deliveries where webhook_id = ${late?.webhook_id}`.execute(db)
    const byId = new Map(rows.rows.map(({ id, ...row }) => [id, row]))
    expect(deliveries.map(({ id }) => byId.get(id))).toEqual([
      { state: 'pending', leased: false, attempts: 1 },
      { state: 'pending', leased: true, attempts: 0 },
      { state: 'delivered', leased: false, attempts: 1 },
    ])
  })
})

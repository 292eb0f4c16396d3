import { migrateDatabase } from '@portico/server/migrate'
import type { Client, Event } from '@portico/sdk'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { longTest } from '../sampled.js'
import { anyEmail, givenOf } from '../given/given.js'
import { startService } from '../given/harness.js'
import {
  lockAsBefore,
  numberAsBefore,
  numberBatchAsBefore,
  readAsBefore,
  takeBackMigration,
  type PlaceBefore,
} from './release-before.js'

// The previous release, which stores positions in the rows of events, may have run before this one or run beside it.

const service = await startService()

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: service.databaseUrl })
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

async function newAccount() {
  const account = await service.createAccount()
  const client = await service.client({ account })
  return { account, client, given: givenOf(client) }
}

async function readAll(client: Client, after?: string): Promise<Event[]> {
  const events: Event[] = []
  for (let cursor = after; ;) {
    const page = await client.events.list({ limit: 7, ...(cursor !== undefined && { after: cursor }) })
    events.push(...page.data)
    if (!page.has_more) return events
    cursor = page.cursor
  }
}

const idsOf = (events: readonly { id: string }[]) => events.map(({ id }) => id)
const toCursor = (position: string) => Buffer.from(position).toString('base64url')

longTest(
  'cursors that the release before has handed out stay good, also of an event that is gone, and nothing is missing behind them',
  async () => {
    const { account, client, given } = await newAccount()
    const other = await newAccount()
    for (let count = 0; count < 3; count += 1) await given.organization()
    const before = await connect()
    await takeBackMigration(before)
    const known = await readAsBefore(before, account.id, '0')
    const last = known.at(-1)
    await before.query('delete from events where id = $1', [last?.id])
    const { rows: waiting } = await before.query<{ id: string }>(
      `insert into events (account_id, environment, id, domain, code, data, params, actor_type, actor_id,
       request_id, issued_at)
     select account_id, environment, gen_random_uuid(), domain, code, data, params, actor_type, actor_id,
       request_id, issued_at
     from events where id = $1 returning id`,
      [known[0]?.id],
    )

    await migrateDatabase(service.databaseUrl)
    await given.organization()

    const kept = known.slice(0, -1)
    const all = await readAll(client)
    expect(all.slice(0, kept.length).map(({ id, cursor }) => [id, cursor])).toEqual(
      kept.map(({ id, position }) => [id, toCursor(position)]),
    )
    const behind = all.slice(kept.length)
    expect(behind).toHaveLength(2)
    expect(idsOf(behind)).toContain(waiting[0]?.id)
    for (const { position, id } of known) {
      const read = await readAll(client, toCursor(position))
      expect(idsOf(read)).toEqual(
        idsOf(all.slice(kept.findIndex((each) => each.id === id) + 1 || kept.length)),
      )
    }
    expect(await readAll(other.client)).toEqual([])
  },
)

longTest(
  'a process of the release before beside this one: each event has one place, and readers of both get all of them in one order',
  async () => {
    const { account, client, given } = await newAccount()
    const { domain } = await given.organization()
    const writers = await Promise.all([newAccount(), newAccount()])
    const before = await connect()
    const beside = await connect()
    let isWriting = true
    const writing = Promise.all([
      ...Array.from({ length: 8 }, async () => {
        for (let count = 0; count < 8; count += 1) await given.user({ org_domain: domain, email: anyEmail() })
      }),
      ...writers.map(({ given: others }) => others.organization()),
    ]).finally(() => {
      isWriting = false
    })

    const seen: Event[] = []
    const seenBefore: PlaceBefore[] = []
    const readBefore = async () => {
      for (let page = 1; page > 0;) {
        const places = await readAsBefore(before, account.id, seenBefore.at(-1)?.position ?? '0')
        page = places.length
        seenBefore.push(...places)
      }
    }
    const reading = async () => {
      while (isWriting) seen.push(...(await readAll(client, seen.at(-1)?.cursor ?? undefined)))
    }
    const readingBefore = async () => {
      while (isWriting) await readBefore()
    }
    const numbering = async () => {
      while (isWriting) await numberAsBefore(beside)
    }
    await Promise.all([writing, reading(), readingBefore(), numbering()])
    seen.push(...(await readAll(client, seen.at(-1)?.cursor ?? undefined)))
    await readBefore()

    expect(new Set(idsOf(seen)).size).toBe(65)
    expect(seen.map(({ id, cursor }) => [id, cursor])).toEqual(
      seenBefore.map(({ id, position }) => [id, toCursor(position)]),
    )
    expect(
      await service.query(`select event_id from event_positions group by event_id having count(*) > 1`),
    ).toEqual([])
  },
)

test('what is committed while the release before numbers has the place that this one gives it, and no other', async () => {
  const { account, client, given } = await newAccount()
  await given.organization()
  const before = await connect()
  await before.query('begin')
  const last = await lockAsBefore(before)
  const late = await newAccount()
  await late.given.organization()
  await numberBatchAsBefore(before, last)
  await before.query('commit')

  const [event] = await readAll(late.client)
  expect(await readAsBefore(before, late.account.id, '0')).toEqual([{ id: event?.id, position: '1' }])
  expect(event?.cursor).toBe(toCursor('1'))
  expect(idsOf(await readAsBefore(before, account.id, '0'))).toEqual(idsOf(await readAll(client)))
})

import { sql, type Kysely } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { foldRecordCounts } from '../platform/db/fold-record-counts.js'
import type { DB } from '../platform/db/schema.js'
import type { Deps } from '../delivery/deps.js'
import { deleteExpired } from '../operations/purge/delete-expired.js'
import { toEndedFamily } from '../tokens/families.js'
import { dayMs, startQueue, type Queue } from '../delivery/jobs/run.given.js'

let queue: Queue
let db: Kysely<DB>
let deps: Deps

beforeAll(async () => {
  queue = await startQueue()
  ;({ db, deps } = queue)
}, 60_000)

beforeEach(() => queue.reset())

describe('folding counts', () => {
  const account = uuidv7()
  const organizations = Array.from({ length: 5 }, () => uuidv7())

  function insertDeltas(into: Kysely<DB>, deltas: readonly [string, number][]) {
    const rows = deltas.map(([organization_id, delta]) => ({
      ...{ kind: 'users', account_id: account, environment: 'sandbox', organization_id, delta },
    }))
    return into.insertInto('record_counts').values(rows).execute()
  }

  function totals() {
    return db
      .selectFrom('record_counts')
      .select(['organization_id', sql<string>`sum(delta)`.as('total'), sql<string>`count(*)`.as('rows')])
      .groupBy('organization_id')
      .execute()
  }

  test('changes no total while rows come in, transactions fail, and two processes fold', async () => {
    const expected = new Map(organizations.map((id) => [id, 0]))
    let isWriting = true
    const write = async (writer: number) => {
      for (let number = 0; number < 150; number += 1) {
        const to = organizations[(writer + number) % organizations.length] ?? ''
        const from = organizations[(writer * number) % organizations.length] ?? ''
        const moved = (number % 7) + 1
        const isUndone = number % 5 === 0
        const work = db.transaction().execute(async (trx) => {
          await insertDeltas(trx, [[to, moved]])
          await insertDeltas(trx, [[from, -moved]])
          if (isUndone) throw new Error('undone')
        })
        await work.catch((error: unknown) => expect(error).toHaveProperty('message', 'undone'))
        if (isUndone) continue
        expected.set(to, (expected.get(to) ?? 0) + moved)
        expected.set(from, (expected.get(from) ?? 0) - moved)
      }
    }
    let folded = 0
    const fold = async () => {
      while (isWriting) folded += await foldRecordCounts(db)
    }
    // Transfers keep the total constant at every moment.
    let checks = 0
    const check = async () => {
      while (isWriting) {
        const { sum } = await db
          .selectFrom('record_counts')
          .select(sql<string>`coalesce(sum(delta), 0)`.as('sum'))
          .executeTakeFirstOrThrow()
        expect(sum).toBe('0')
        checks += 1
      }
    }

    const others = [fold(), fold(), check()]
    await Promise.all([1, 2, 3, 4].map(write))
    isWriting = false
    await Promise.all(others)
    await foldRecordCounts(db)

    expect(folded).toBeGreaterThan(0)
    expect(checks).toBeGreaterThan(0)
    const found = await totals()
    for (const [id, total] of expected) {
      expect(Number(found.find((row) => row.organization_id === id)?.total ?? 0)).toBe(total)
    }
    expect(found.every((row) => row.rows === '1')).toBe(true)
  })

  test('takes scopes of any size down to one row, or none where nothing is left', async () => {
    const [many = '', none = ''] = organizations
    await sql`
      insert into record_counts (kind, account_id, environment, organization_id, delta)
      select 'users', ${account}, 'sandbox', ${many}, 1 from generate_series(1, 4500)`.execute(db)
    await insertDeltas(db, [
      [none, 1],
      [none, -1],
    ])

    await foldRecordCounts(db)

    expect(await totals()).toEqual([{ organization_id: many, total: '4500', rows: '1' }])
    expect(await foldRecordCounts(db)).toBe(0)
  })
})

describe('deleting what has expired', () => {
  test('takes old rows in any number and leaves the others', async () => {
    const account_id = uuidv7()
    await db
      .insertInto('accounts')
      .values({ id: account_id, domain: 'acme', plan: 'free', inserted_at: queue.now() })
      .execute()
    const insertMessages = (count: number, at: Date) =>
      sql`
      insert into outbox_messages (account_id, environment, id, domain, channel, recipient, text, inserted_at)
      select ${account_id}, 'sandbox', gen_random_uuid(), 'acme', 'mail', 'ada@acme.example', '', ${at}
      from generate_series(1, ${count}::integer)`.execute(db)
    await insertMessages(2500, new Date(queue.now().getTime() - 31 * dayMs))
    await insertMessages(1, new Date(queue.now().getTime() - 29 * dayMs))
    await queue.add('waits_for_long')
    await queue.add('dead')
    await sql`update jobs set run_at = 'infinity' where name = 'dead'`.execute(db)

    await deleteExpired(deps)
    expect(await db.selectFrom('outbox_messages').select('id').execute()).toHaveLength(1)
    expect(await queue.jobs()).toHaveLength(2)

    queue.pass(36 * dayMs)
    await deleteExpired(deps)
    expect(await db.selectFrom('outbox_messages').select('id').execute()).toEqual([])
    expect(await queue.onlyJob()).toMatchObject({ name: 'waits_for_long' })
  })

  test('keeps the end of a family until its access tokens have expired', async () => {
    const owner = { accountId: uuidv7(), environment: 'sandbox', organizationId: uuidv7() }
    const at = queue.now()
    await db
      .insertInto('accounts')
      .values({ id: owner.accountId, domain: 'families', plan: 'free', inserted_at: at })
      .execute()
    await sql`
      insert into organizations (account_id, id, domain, name, color, inserted_at, updated_at)
      values (${owner.accountId}, ${owner.organizationId}, 'families', 'x', 'x', ${at}, ${at})`.execute(db)
    await db
      .insertInto('ended_families')
      .values(toEndedFamily(owner, uuidv7(), at))
      .execute()
    const kept = () => db.selectFrom('ended_families').select('code_id').execute()

    queue.pass(dayMs)
    await deleteExpired(deps)
    expect(await kept()).toHaveLength(1)

    queue.pass(60 * 60 * 1000)
    await deleteExpired(deps)
    expect(await kept()).toEqual([])
  })
})

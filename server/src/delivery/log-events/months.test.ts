import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { deleteExpired } from '../../operations/purge/delete-expired.js'
import { dayMs, startQueue, type Queue } from '../jobs/run.given.js'
import { purgeDeleted } from '../../operations/purge/purge.js'
import { addLogEventMonths, listLogEventMonths, makeLogEventMonths } from './months.js'

let queue: Queue
const account = uuidv7()

beforeAll(async () => {
  queue = await startQueue()
  await queue.db
    .insertInto('accounts')
    .values({ id: account, domain: 'acme', plan: 'free', inserted_at: queue.now() })
    .execute()
}, 60_000)

/** Starts in March 2026, without partitions. */
beforeEach(async () => {
  await queue.reset()
  const { db } = queue
  await db.deleteFrom('log_events').execute()
  for (const month of await listLogEventMonths(db))
    await sql`drop table ${sql.table(`log_events_${month.replace('-', '_')}`)}`.execute(db)
  await sql`drop table log_events_before, log_events_after`.execute(db)
  await sql`
    create table log_events_before partition of log_events for values from (minvalue) to ('epoch')`.execute(
    db,
  )
  await sql`
    create table log_events_after partition of log_events for values from ('epoch') to (maxvalue)`.execute(db)
})

async function insertAt(time: string, organization: string | null = null): Promise<void> {
  await sql`
    insert into log_events (account_id, organization_id, domain, event_code, request_id, inserted_at)
    values (${account}, ${organization}, 'acme', 'x', ${time}, ${time})`.execute(queue.db)
}

/** The partition of each row, by time. */
async function places(): Promise<Record<string, string>> {
  const { rows } = await sql<{ time: string; place: string }>`
    select request_id as time, substr(tableoid::regclass::text, 12) as place from log_events
    order by inserted_at`.execute(queue.db)
  return Object.fromEntries(rows.map(({ time, place }) => [time, place]))
}

test('the current month and three ahead are made, once', async () => {
  expect(await makeLogEventMonths(queue.deps)).toBe(true)
  expect(await makeLogEventMonths(queue.deps)).toBe(true)
  expect(await listLogEventMonths(queue.db)).toEqual(['2026-03', '2026-04', '2026-05', '2026-06'])

  queue.pass(300 * dayMs)
  await makeLogEventMonths(queue.deps)
  const months = await listLogEventMonths(queue.db)
  expect([months.length, months.at(0), months.at(-1)]).toEqual([14, '2026-03', '2027-04'])
})

test('two processes at once make one set of months', async () => {
  expect(await Promise.all([1, 2, 3].map(() => makeLogEventMonths(queue.deps)))).toEqual([true, true, true])
  expect(await listLogEventMonths(queue.db)).toHaveLength(4)
})

test('a row of any time is stored, and those that came too early move into their month', async () => {
  const times = ['0044-03-15', '2026-02-28T23:59:59.999Z', '2026-03-01T00:00:00Z', '2026-06-30', '9999-01-01']
  for (const time of times) await insertAt(time)
  expect(new Set(Object.values(await places()))).toEqual(new Set(['before', 'after']))

  await makeLogEventMonths(queue.deps)

  for (const time of ['2026-04-01', '1999-01-01']) await insertAt(time)
  expect(await places()).toEqual({
    '0044-03-15': 'before',
    '1999-01-01': 'before',
    '2026-02-28T23:59:59.999Z': 'before',
    '2026-03-01T00:00:00Z': '2026_03',
    '2026-04-01': '2026_04',
    '2026-06-30': '2026_06',
    '9999-01-01': 'after',
  })
})

test('earlier months can be added, and their rows move', async () => {
  await makeLogEventMonths(queue.deps)
  await insertAt('2026-01-10')

  await queue.db.transaction().execute((trx) => addLogEventMonths(trx, ['2025-12']))

  expect((await listLogEventMonths(queue.db)).slice(0, 4)).toEqual([
    '2025-12',
    '2026-01',
    '2026-02',
    '2026-03',
  ])
  expect(await places()).toEqual({ '2026-01-10': '2026_01' })
})

test('months whose time is over are dropped, and what is left of the next one is deleted by rows', async () => {
  await makeLogEventMonths(queue.deps)
  const times = ['2026-02-10', '2026-03-14', '2026-04-14', '2026-05-10', '2026-05-20', '2026-06-01']
  for (const time of times) await insertAt(time)
  queue.pass(365 * dayMs + 62 * dayMs)
  await makeLogEventMonths(queue.deps)

  await deleteExpired(queue.deps)

  expect(await places()).toEqual({ '2026-05-20': '2026_05', '2026-06-01': '2026_06' })
  expect((await listLogEventMonths(queue.db))[0]).toBe('2026-05')
  await insertAt('2026-04-01')
  expect((await places())['2026-04-01']).toBe('before')
})

test('the log ends on time also where a long transaction reads it; its months are dropped later', async () => {
  await makeLogEventMonths(queue.deps)
  await insertAt('2026-03-14')
  queue.pass(500 * dayMs)

  await queue.db.transaction().execute(async (trx) => {
    await sql`select from log_events`.execute(trx)
    const deleting = deleteExpired(queue.deps)
    // Concurrent writers wait no longer than the statement that waits for the reader.
    await sleep(100)
    const at = performance.now()
    await insertAt('2027-07-20')
    expect(performance.now() - at).toBeLessThan(3_000)
    await deleting
    expect(await makeLogEventMonths(queue.deps)).toBe(false)
  })
  expect(Object.keys(await places())).toEqual(['2027-07-20'])
  expect(await listLogEventMonths(queue.db)).toContain('2026-03')

  await makeLogEventMonths(queue.deps)
  await deleteExpired(queue.deps)
  expect((await listLogEventMonths(queue.db))[0]).toBe('2026-07')
})

test('the purge of an organization leaves a row that has the same place in another month', async () => {
  await makeLogEventMonths(queue.deps)
  const [gone, stays] = [uuidv7(), uuidv7()]
  for (const id of [gone, stays])
    await sql`
      insert into organizations (account_id, id, domain, name, color, inserted_at, updated_at, deleted_at)
      values (${account}, ${id}, ${id}, 'x', 'x', ${queue.now()}, ${queue.now()}, ${id === gone ? queue.now() : null})
      `.execute(queue.db)
  await insertAt('2026-03-14', gone)
  await insertAt('2026-04-14', stays)
  const { rows } = await sql<{ places: string }>`
    select count(distinct ctid) as places from log_events`.execute(queue.db)
  expect(rows).toEqual([{ places: '1' }])

  queue.pass(dayMs)
  const cause = { requestId: 'x', actor: { type: 'system', id: 'x' }, params: () => ({}) } as const
  await purgeDeleted(queue.deps, cause, { before: queue.now(), onErased: () => undefined })

  expect(await places()).toEqual({ '2026-04-14': '2026_04' })
})

test('rows that expired are deleted, and none that has the same place in another month', async () => {
  await makeLogEventMonths(queue.deps)
  queue.pass(365 * dayMs)
  await insertAt('2026-03-01')
  await insertAt('2026-04-14')

  await deleteExpired(queue.deps)

  expect(await places()).toEqual({ '2026-04-14': '2026_04' })
})

test('a page of the newest reads no older month', async () => {
  await makeLogEventMonths(queue.deps)
  const organization = uuidv7()
  await sql`
    insert into log_events (account_id, environment, organization_id, domain, event_code, request_id, inserted_at)
    select ${account}, 'sandbox', ${organization}, 'acme', 'x', 'x', '2026-03-05'::timestamptz + n * interval '1 minute'
    from generate_series(1, 120000) n`.execute(queue.db)
  await sql`analyze log_events`.execute(queue.db)

  const { rows } = await sql<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>`
    explain (analyze, format json)
    select id from log_events
    where account_id = ${account} and environment = 'sandbox' and organization_id = ${organization}
    order by inserted_at desc, id desc limit 26`.execute(queue.db)

  const nodes = nodesOf(rows[0]?.['QUERY PLAN'][0].Plan)
  expect(nodes.map((node) => node['Node Type'])).toContain('Append')
  const read = nodes.filter((node) => node['Relation Name'] !== undefined && node['Actual Rows'] > 0)
  expect(read.map((node) => node['Relation Name'])).toEqual(['log_events_2026_05'])
})

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Actual Rows': number
  readonly Plans?: readonly PlanNode[]
}

function nodesOf(node: PlanNode | undefined): PlanNode[] {
  return node === undefined ? [] : [node, ...(node.Plans ?? []).flatMap(nodesOf)]
}

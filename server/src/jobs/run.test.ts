import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql, type Kysely } from 'kysely'
import { pino } from 'pino'
import { v7 as uuidv7 } from 'uuid'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { readConfig } from '../config.js'
import { parseMasterKeys } from '../crypto/seal.js'
import { connect } from '../db/connect.js'
import { startEmbedded, type EmbeddedPostgres } from '../db/embedded.js'
import { foldRecordCounts } from '../db/fold-record-counts.js'
import { migrate } from '../db/migrate.js'
import type { DB } from '../db/schema.js'
import type { Deps } from '../deps.js'
import { createRecordingMailer } from '../mail/recording-mailer.js'
import { createMetrics } from '../metrics.js'
import { deleteExpired } from './delete-expired.js'
import { enqueue } from './enqueue.js'
import type { JobHandler } from './handlers.js'
import { insertJob } from './queue.js'
import { startWorker, type Worker, type WorkerOptions } from './run.js'

const secondMs = 1000
const dayMs = 24 * 60 * 60 * secondMs
/** A worker that looks for jobs only when it is told to. */
const onlyWhenAsked = 2 ** 31 - 1

let dataDir: string
let postgres: EmbeddedPostgres
let db: Kysely<DB>
let deps: Deps
let clock: Date
const workers: Worker[] = []

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'portico-jobs-'))
  postgres = await startEmbedded({ dataDir, throwaway: true })
  const log = pino({ level: 'silent' })
  db = connect({ url: postgres.url, poolSize: 20, named: true, log })
  await migrate(db)
  deps = {
    config: readConfig({ DATA_DIR: dataDir }),
    db,
    readDb: db,
    now: () => clock,
    log,
    keys: { master: parseMasterKeys(`v1:${Buffer.alloc(32, 1).toString('base64')}`), privateKeys: new Map() },
    mail: createRecordingMailer(),
    metrics: createMetrics(),
  }
}, 60_000)

afterAll(async () => {
  await db.destroy()
  await postgres.stop()
  await rm(dataDir, { recursive: true, force: true })
})

beforeEach(async () => {
  clock = new Date('2026-03-14T09:00:00.000Z')
  await db.deleteFrom('jobs').execute()
  await db.deleteFrom('record_counts').execute()
})

afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()))
})

function pass(ms: number): void {
  clock = new Date(clock.getTime() + ms)
}

function start(
  handlers: Record<string, Partial<JobHandler<never>>>,
  options: WorkerOptions = {},
  own = deps,
) {
  const complete = Object.entries(handlers).map(([name, handler]): [string, JobHandler<never>] => [
    name,
    { run: () => Promise.resolve(), retryAfterSeconds: [], ...handler },
  ])
  const worker = startWorker(own, {
    pollMs: onlyWhenAsked,
    handlers: Object.fromEntries(complete),
    ...options,
  })
  workers.push(worker)
  return worker
}

async function add(name: string, payload: object = {}): Promise<void> {
  const common = { key: null, accountId: null, runAt: clock, insertedAt: clock }
  await insertJob(db, { name, payload, ...common })
}

function jobs() {
  return db.selectFrom('jobs').selectAll().orderBy('id').execute()
}

async function onlyJob() {
  const [job, ...others] = await jobs()
  if (job === undefined || others.length > 0) throw new Error('there is not exactly one job')
  return job
}

/** A job that runs until it is let go. */
function gate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => (open = resolve))
  return { opened, open: () => open() }
}

function sentBy(worker: 'first' | 'second', seen: [string, number][]): Partial<JobHandler<never>> {
  return {
    run: (_deps, { number }: { number: number }) => {
      seen.push([worker, number])
      return new Promise((resolve) => setImmediate(resolve))
    },
  }
}

describe('a worker', () => {
  test('runs each job once, although two take from one queue', async () => {
    const count = 1000
    await sql`
      insert into jobs (name, payload, run_at, inserted_at)
      select 'send', jsonb_build_object('number', number), ${clock}, ${clock}
      from generate_series(1, ${count}::integer) number`.execute(db)
    const seen: [string, number][] = []

    await Promise.all([
      start({ send: sentBy('first', seen) }).runDue(),
      start({ send: sentBy('second', seen) }).runDue(),
    ])

    expect(seen).toHaveLength(count)
    expect(new Set(seen.map(([, number]) => number)).size).toBe(count)
    expect(new Set(seen.map(([worker]) => worker)).size).toBe(2)
    expect(await jobs()).toEqual([])
  })

  test('runs no more jobs at once than it may', async () => {
    let atOnce = 0
    let most = 0
    for (let number = 0; number < 12; number += 1) await add('send')
    const run = async () => {
      most = Math.max(most, (atOnce += 1))
      await new Promise((resolve) => setImmediate(resolve))
      atOnce -= 1
    }

    expect(await start({ send: { run } }, { concurrency: 3 }).runDue()).toBe(12)

    expect(most).toBe(3)
  })

  test('runs what is due, and what that makes due, and leaves what is not', async () => {
    const ran: string[] = []
    await add('first')
    await insertJob(db, {
      name: 'later',
      payload: {},
      key: null,
      accountId: null,
      runAt: new Date(clock.getTime() + secondMs),
      insertedAt: clock,
    })
    const worker = start({
      first: {
        run: async () => {
          ran.push('first')
          await add('second')
        },
      },
      second: { run: async () => ran.push('second') },
      later: { run: async () => ran.push('later') },
    })

    expect(await worker.runDue()).toBe(2)
    expect(ran).toEqual(['first', 'second'])

    pass(secondMs)
    expect(await worker.runDue()).toBe(1)
    expect(ran).toEqual(['first', 'second', 'later'])
  })

  test('runs the jobs of a process that died once their lease is over', async () => {
    const neverEnds = gate()
    const dying = start(
      { send: { run: () => neverEnds.opened } },
      { leaseMs: 10 * secondMs, concurrency: 1 },
      { ...deps, config: { ...deps.config, drainMs: 0 } },
    )
    await add('send')
    void dying.runDue()
    await vi.waitFor(async () => expect((await onlyJob()).attempt).toBe(1))
    await dying.stop()
    let runs = 0
    const worker = start({ send: { run: async () => (runs += 1), retryAfterSeconds: [5] } })

    pass(10 * secondMs - 1)
    expect(await worker.runDue()).toBe(0)

    pass(1)
    expect(await worker.runDue()).toBe(1)
    expect(runs).toBe(1)
    neverEnds.open()
  })

  test('cannot end a job whose lease another one has taken over', async () => {
    const [slow, fast] = [gate(), gate()]
    await add('send')
    const loser = start({ send: { run: () => slow.opened } })
    const loserRuns = loser.runDue()
    await vi.waitFor(async () => expect((await onlyJob()).attempt).toBe(1))
    pass(30 * secondMs)
    const winner = start({ send: { run: () => fast.opened, retryAfterSeconds: [5] } })
    const winnerRuns = winner.runDue()
    await vi.waitFor(async () => expect((await onlyJob()).attempt).toBe(2))

    slow.open()
    expect(await loserRuns).toBe(1)
    expect((await onlyJob()).lease).not.toBeNull()

    fast.open()
    expect(await winnerRuns).toBe(1)
    expect(await jobs()).toEqual([])
  })

  test('keeps the lease of a job that takes longer, and never runs its own job twice at once', async () => {
    const slow = gate()
    let runs = 0
    await add('send')
    const run = () => {
      runs += 1
      return slow.opened
    }
    const worker = start({ send: { run } }, { leaseMs: 60 })
    const running = worker.runDue()
    await vi.waitFor(() => expect(runs).toBe(1))

    pass(dayMs)
    await vi.waitFor(async () => expect((await onlyJob()).run_at.getTime()).toBe(clock.getTime() + 60))
    pass(dayMs)
    const again = worker.runDue()
    slow.open()

    await Promise.all([running, again])
    expect(runs).toBe(1)
    expect(await jobs()).toEqual([])
  })

  test('tries a failed job again on its schedule, then keeps it with the reason and lets it be', async () => {
    await add('send')
    const run = () => Promise.reject(new TypeError(`no answer ${'.'.repeat(600)}`))
    const worker = start({ send: { run, retryAfterSeconds: [5, 300] } })

    for (const waitMs of [5 * secondMs, 300 * secondMs]) {
      expect(await worker.runDue()).toBe(1)
      const wait = (await onlyJob()).run_at.getTime() - clock.getTime()
      expect(wait).toBeGreaterThanOrEqual(waitMs * 0.9)
      expect(wait).toBeLessThanOrEqual(waitMs * 1.1)
      pass(wait - 1)
      expect(await worker.runDue()).toBe(0)
      pass(1)
    }
    expect(await worker.runDue()).toBe(1)
    pass(1000 * dayMs)
    expect(await worker.runDue()).toBe(0)

    const dead = await onlyJob()
    expect(dead).toMatchObject({ run_at: Infinity, attempt: 3, lease: null })
    expect(dead.last_error).toMatch(/^TypeError: no answer \.+$/)
    expect(dead.last_error).toHaveLength(500)
  })

  test('stores no credentials of an address that an error names', async () => {
    await add('send')
    const message = 'cannot reach smtps://user:s3cret@mail.example or https://auth.example/t?token=s3cret now'
    const worker = start({ send: { run: () => Promise.reject(new Error(message)) } })

    await worker.runDue()

    expect((await onlyJob()).last_error).toBe(
      'Error: cannot reach smtps://mail.example or https://auth.example/t now',
    )
  })

  test('keeps a job that ends its process every time, after as many attempts as it has', async () => {
    await add('send')
    await db.updateTable('jobs').set({ attempt: 2 }).execute()
    let runs = 0
    const worker = start({ send: { run: async () => (runs += 1), retryAfterSeconds: [5] } })

    await worker.runDue()

    expect(runs).toBe(0)
    expect(await onlyJob()).toMatchObject({ run_at: Infinity, last_error: expect.stringContaining('ended') })
  })

  test('leaves a job it does not know to others, without spending an attempt', async () => {
    await add('of_a_newer_version')

    expect(await start({}).runDue()).toBe(1)

    expect(await onlyJob()).toMatchObject({ attempt: 0, lease: null })
    pass(61 * secondMs)
    expect(await start({ of_a_newer_version: {} }).runDue()).toBe(1)
    expect(await jobs()).toEqual([])
  })

  test('finishes what runs when it is stopped, and takes nothing more', async () => {
    const slow = gate()
    let runs = 0
    const run = () => {
      runs += 1
      return slow.opened
    }
    const worker = start({ send: { run } }, { concurrency: 1 })
    await add('send')
    await add('send')
    void worker.runDue()
    await vi.waitFor(() => expect(runs).toBe(1))

    const stopped = worker.stop()
    slow.open()
    await stopped

    expect(runs).toBe(1)
    expect((await onlyJob()).attempt).toBe(0)
  })

  test('runs a recurring job once per interval, whatever it comes to and however many workers there are', async () => {
    let runs = 0
    const every = (everySeconds: number) => ({
      fold: {
        everySeconds,
        run: async () => {
          runs += 1
          if (runs === 2) throw new Error('not this time')
        },
      },
    })
    const both = [start(every(60)), start(every(60))]
    await vi.waitFor(async () => expect(await jobs()).toHaveLength(1))

    for (const interval of [1, 2, 3]) {
      pass(60 * secondMs)
      await Promise.all(both.map((worker) => worker.runDue()))
      expect(runs).toBe(interval)
    }
    expect(await onlyJob()).toMatchObject({ attempt: 0, last_error: null })
  })

  test('counts attempts by outcome', async () => {
    const metrics = createMetrics()
    const worker = start(
      { good: {}, bad: { run: () => Promise.reject(new Error('no')) } },
      {},
      { ...deps, metrics },
    )
    await add('good')
    await add('bad')

    await worker.runDue()

    const text = await metrics.registry.getSingleMetricAsString('portico_jobs_total')
    expect(text).toContain('portico_jobs_total{name="good",outcome="done"} 1')
    expect(text).toContain('portico_jobs_total{name="bad",outcome="dead"} 1')
  })
})

describe('an enqueued job', () => {
  const payload = {
    challengeId: uuidv7(),
    accountId: uuidv7(),
    environment: 'sandbox',
    organizationId: uuidv7(),
  } as const

  test('runs soon after its transaction has committed', async () => {
    const seen: unknown[] = []
    start({ send_magic_link: { run: async (_deps, given) => seen.push(given) } })

    await db.transaction().execute((trx) => enqueue(deps, trx, { name: 'send_magic_link', payload }))

    await vi.waitFor(() => expect(seen).toEqual([payload]))
  })

  test('does not exist when its transaction fails', async () => {
    const attempt = db.transaction().execute(async (trx) => {
      await enqueue(deps, trx, { name: 'send_magic_link', payload })
      throw new Error('undone')
    })

    await expect(attempt).rejects.toThrow('undone')
    expect(await jobs()).toEqual([])
  })

  test('waits for its time', async () => {
    const runAt = new Date(clock.getTime() + 60 * secondMs)
    await db.transaction().execute((trx) => enqueue(deps, trx, { name: 'send_magic_link', payload, runAt }))
    const worker = start({ send_magic_link: {} })

    expect(await worker.runDue()).toBe(0)
    pass(60 * secondMs)
    expect(await worker.runDue()).toBe(1)
  })

  test('stands for others of its name and key, until it is done or out of attempts', async () => {
    const fold = { name: 'fold_record_counts', payload: {}, key: 'now' } as const
    const add = () => db.transaction().execute((trx) => enqueue(deps, trx, fold))
    let isWell = false
    const run = () => (isWell ? Promise.resolve() : Promise.reject(new Error('no')))
    const worker = start({ fold_record_counts: { run } })

    await Promise.all([add(), add(), add()])
    expect(await worker.runDue()).toBe(1)
    expect(await onlyJob()).toMatchObject({ run_at: Infinity })

    isWell = true
    await add()
    expect(await worker.runDue()).toBe(1)
    await add()
    expect(await worker.runDue()).toBe(1)
    expect(await jobs()).toEqual([])
  })
})

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
    // What is moved from one to another leaves the sum over all as it is, at every moment.
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
      .values({ id: account_id, domain: 'acme', plan: 'free', inserted_at: clock })
      .execute()
    const insertMessages = (count: number, at: Date) =>
      sql`
      insert into outbox_messages (account_id, environment, id, domain, channel, recipient, text, inserted_at)
      select ${account_id}, 'sandbox', gen_random_uuid(), 'acme', 'mail', 'ada@acme.example', '', ${at}
      from generate_series(1, ${count}::integer)`.execute(db)
    await insertMessages(2500, new Date(clock.getTime() - 31 * dayMs))
    await insertMessages(1, new Date(clock.getTime() - 29 * dayMs))
    await add('waits_for_long')
    await add('dead')
    await sql`update jobs set run_at = 'infinity' where name = 'dead'`.execute(db)

    await deleteExpired(deps)
    expect(await db.selectFrom('outbox_messages').select('id').execute()).toHaveLength(1)
    expect(await jobs()).toHaveLength(2)

    pass(36 * dayMs)
    await deleteExpired(deps)
    expect(await db.selectFrom('outbox_messages').select('id').execute()).toEqual([])
    expect(await onlyJob()).toMatchObject({ name: 'waits_for_long' })
  })
})

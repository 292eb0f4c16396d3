import { sql, type Kysely } from 'kysely'
import pg from 'pg'
import { v7 as uuidv7 } from 'uuid'
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../deps.js'
import { createMetrics } from '../../platform/observability/metrics.js'
import { enqueue } from './enqueue.js'
import type { JobHandler } from './job-handler.js'
import { claimJobs, insertJob } from './queue.js'
import type { Loop } from './loop.js'
import { startWorker, type WorkerOptions } from './run.js'
import { dayMs, secondMs, startQueue, type Queue } from './run.given.js'

/** A polling interval so long that a worker looks for jobs only on request. */
const onlyWhenAsked = 2 ** 31 - 1

let queue: Queue
let db: Kysely<DB>
let deps: Deps

const workers: Loop[] = []

beforeAll(async () => {
  queue = await startQueue()
  ;({ db, deps } = queue)
}, 60_000)

beforeEach(() => queue.reset())

afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()))
})

function start(
  handlers: Record<string, Partial<JobHandler<never>>>,
  options: WorkerOptions = {},
  own = deps,
) {
  const complete = Object.entries(handlers).map(([name, handler]): [string, JobHandler<never>] => [
    name,
    { run: () => Promise.resolve(), retryAfterSeconds: [], ...handler },
  ])
  const worker = startWorker(own, Object.fromEntries(complete), { pollMs: onlyWhenAsked, ...options })
  workers.push(worker)
  return worker
}

/** A job that runs until it is released. */
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
      select 'send', jsonb_build_object('number', number), ${queue.now()}, ${queue.now()}
      from generate_series(1, ${count}::integer) number`.execute(db)
    const seen: [string, number][] = []

    await Promise.all([
      start({ send: sentBy('first', seen) }).runDue(),
      start({ send: sentBy('second', seen) }).runDue(),
    ])

    expect(seen).toHaveLength(count)
    expect(new Set(seen.map(([, number]) => number)).size).toBe(count)
    expect(new Set(seen.map(([worker]) => worker)).size).toBe(2)
    expect(await queue.jobs()).toEqual([])
  })

  test('runs no more jobs at once than it may', async () => {
    let atOnce = 0
    let most = 0
    for (let number = 0; number < 12; number += 1) await queue.add('send')
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
    await queue.add('first')
    await insertJob(db, {
      name: 'later',
      payload: {},
      key: null,
      accountId: null,
      runAt: new Date(queue.now().getTime() + secondMs),
      insertedAt: queue.now(),
    })
    const worker = start({
      first: {
        run: async () => {
          ran.push('first')
          await queue.add('second')
        },
      },
      second: { run: async () => ran.push('second') },
      later: { run: async () => ran.push('later') },
    })

    expect(await worker.runDue()).toBe(2)
    expect(ran).toEqual(['first', 'second'])

    queue.pass(secondMs)
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
    await queue.add('send')
    void dying.runDue()
    await vi.waitFor(async () => expect((await queue.onlyJob()).attempt).toBe(1))
    await dying.stop()
    let runs = 0
    const worker = start({ send: { run: async () => (runs += 1), retryAfterSeconds: [5] } })

    queue.pass(10 * secondMs - 1)
    expect(await worker.runDue()).toBe(0)

    queue.pass(1)
    expect(await worker.runDue()).toBe(1)
    expect(runs).toBe(1)
    neverEnds.open()
  })

  test('cannot end a job whose lease another one has taken over', async () => {
    const [slow, fast] = [gate(), gate()]
    await queue.add('send')
    const loser = start({ send: { run: () => slow.opened } })
    const loserRuns = loser.runDue()
    await vi.waitFor(async () => expect((await queue.onlyJob()).attempt).toBe(1))
    queue.pass(30 * secondMs)
    const winner = start({ send: { run: () => fast.opened, retryAfterSeconds: [5] } })
    const winnerRuns = winner.runDue()
    await vi.waitFor(async () => expect((await queue.onlyJob()).attempt).toBe(2))

    slow.open()
    expect(await loserRuns).toBe(1)
    expect((await queue.onlyJob()).lease).not.toBeNull()

    fast.open()
    expect(await winnerRuns).toBe(1)
    expect(await queue.jobs()).toEqual([])
  })

  test('keeps the lease of a job that takes longer, and never runs its own job twice at once', async () => {
    const slow = gate()
    let runs = 0
    await queue.add('send')
    const run = () => {
      runs += 1
      return slow.opened
    }
    const worker = start({ send: { run } }, { leaseMs: 60 })
    const running = worker.runDue()
    await vi.waitFor(() => expect(runs).toBe(1))

    queue.pass(dayMs)
    await vi.waitFor(async () =>
      expect((await queue.onlyJob()).run_at.getTime()).toBe(queue.now().getTime() + 60),
    )
    queue.pass(dayMs)
    const again = worker.runDue()
    slow.open()

    await Promise.all([running, again])
    expect(runs).toBe(1)
    expect(await queue.jobs()).toEqual([])
  })

  test('runs few jobs of one lane at once, and those of other lanes and of none beside them', async () => {
    const held = gate()
    const ran: string[] = []
    const [slow, other] = [uuidv7(), uuidv7()]
    const add = (name: string, lane: string | null) =>
      db
        .insertInto('jobs')
        .values({ name, lane, payload: '{}', run_at: queue.now(), inserted_at: queue.now() })
        .execute()
    for (let count = 0; count < 5; count++) await add('slow', slow)
    await add('quick', other)
    await add('mail', null)
    const quick = (name: string) => ({ run: () => Promise.resolve(void ran.push(name)) })
    const waits = {
      run: () => {
        ran.push('slow')
        return held.opened
      },
    }

    const worker = start(
      { slow: waits, quick: quick('quick'), mail: quick('mail') },
      { concurrency: 1, perLane: 2 },
    )
    await vi.waitFor(() => expect(ran.toSorted()).toEqual(['mail', 'quick', 'slow', 'slow']))
    held.open()
    await worker.runDue()

    expect(ran.filter((name) => name === 'slow')).toHaveLength(5)
    expect(await queue.jobs()).toEqual([])
  })

  test('runs no more jobs of all lanes at once than there are places for', async () => {
    const held = gate()
    let running = 0
    const most = vi.fn<(count: number) => void>()
    const lanes = Array.from({ length: 6 }, () => uuidv7())
    for (const lane of lanes)
      await db
        .insertInto('jobs')
        .values({ name: 'slow', lane, payload: '{}', run_at: queue.now(), inserted_at: queue.now() })
        .execute()
    const waits = {
      run: async () => {
        most((running += 1))
        await held.opened
        running -= 1
      },
    }

    const worker = start({ slow: waits }, { inLanes: 4 })
    await vi.waitFor(() => expect(most).toHaveBeenCalledTimes(4))
    held.open()
    await worker.runDue()

    expect(most.mock.calls.map(([count]) => count).every((count) => count <= 4)).toBe(true)
    expect(most).toHaveBeenCalledTimes(6)
  })

  test('runs no more jobs of all lanes of an account at once than it has places, and those of another account beside them', async () => {
    const held = gate()
    const ran: string[] = []
    const [busy, other] = [uuidv7(), uuidv7()]
    const add = (name: string, account_id: string, lane = uuidv7()) =>
      db
        .insertInto('jobs')
        .values({
          name,
          lane,
          account_id,
          payload: '{}',
          run_at: queue.now(),
          inserted_at: queue.now(),
        })
        .execute()
    for (const lane of [uuidv7(), uuidv7(), uuidv7()])
      for (let count = 0; count < 2; count++) await add('slow', busy, lane)
    await add('quick', other)
    const slow = { run: () => (ran.push('slow'), held.opened) }
    const quick = { run: () => Promise.resolve(void ran.push('quick')) }

    const worker = start({ slow, quick }, { perAccount: 2, inLanes: 4 })
    await vi.waitFor(() => expect(ran.toSorted()).toEqual(['quick', 'slow', 'slow']))
    for (let count = 0; count < 2; count++) await add('quick', other)
    void worker.runDue()
    await vi.waitFor(() => expect(ran.filter((name) => name === 'quick')).toHaveLength(3))
    expect(ran.filter((name) => name === 'slow')).toHaveLength(2)
    held.open()
    await worker.runDue()

    expect(ran.filter((name) => name === 'slow')).toHaveLength(6)
    expect(await queue.jobs()).toEqual([])
  })

  test('tells a job whether its attempt is the last', async () => {
    const seen: boolean[] = []
    await queue.add('failing')
    const failing = {
      run: (_deps: unknown, _payload: unknown, { isLast }: { isLast: boolean }) => {
        seen.push(isLast)
        return isLast ? Promise.resolve() : Promise.reject(new Error('not yet'))
      },
      retryAfterSeconds: [5, 5],
    }
    const worker = start({ failing })
    for (let count = 0; count < 3; count++) {
      await worker.runDue()
      queue.pass(6 * secondMs)
    }

    expect(seen).toEqual([false, false, true])
    expect(await queue.jobs()).toEqual([])
  })

  test('runs what a clock has written that was an hour ahead, and keeps waiting what waits', async () => {
    const ran: string[] = []
    const handler = (name: string) => ({ run: () => Promise.resolve(void ran.push(name)) })
    queue.pass(60 * 60 * secondMs)
    await queue.add('now')
    const later = { name: 'later', payload: {}, key: null, accountId: null, insertedAt: queue.now() }
    await insertJob(db, { ...later, runAt: new Date(queue.now().getTime() + 30 * secondMs) })
    queue.pass(-60 * 60 * secondMs)

    const worker = start({ now: handler('now'), later: handler('later') })
    await vi.waitFor(() => expect(ran).toEqual(['now']))
    queue.pass(31 * secondMs)
    await worker.runDue()
    expect(ran).toEqual(['now', 'later'])
  })

  test('runs what a process has left behind that died while its clock was an hour ahead, once a lease could have ended', async () => {
    const ran: string[] = []
    queue.pass(60 * 60 * secondMs)
    await queue.add('left')
    const at = queue.now()
    const leaseUntil = new Date(at.getTime() + 30 * secondMs)
    const room = { limit: 1, laneLimit: 0, perLane: 0, perAccount: 0, busy: [] }
    expect(await claimJobs(db, { at, leaseUntil, room, except: [] })).toHaveLength(1)
    queue.pass(-60 * 60 * secondMs)

    const left = { run: () => Promise.resolve(void ran.push('left')), retryAfterSeconds: [30] }
    const worker = start({ left })
    await vi.waitFor(async () => {
      const { run_at } = await queue.onlyJob()
      expect(run_at.getTime() - queue.now().getTime()).toBe(30 * secondMs)
    })
    await worker.runDue()
    expect(ran).toEqual([])
    queue.pass(31 * secondMs)
    await worker.runDue()
    expect(ran).toEqual(['left'])
  })

  test('runs again what has run or failed by a clock that was an hour ahead, after its wait by the right one', async () => {
    const ran: string[] = []
    const handlers = {
      always: { run: () => Promise.resolve(void ran.push('always')), everySeconds: 60 },
      failing: {
        run: () => (ran.push('failing'), Promise.reject(new Error('not yet'))),
        retryAfterSeconds: [30, 30],
      },
    }
    await queue.add('failing')
    const ahead = start(handlers)
    await vi.waitFor(() => expect(ran).toEqual(['failing']))
    await ahead.stop()
    ran.length = 0
    queue.pass(61 * 60 * secondMs)
    const again = start(handlers)
    await vi.waitFor(() => expect(ran.toSorted()).toEqual(['always', 'failing']))
    await again.stop()
    queue.pass(-60 * 60 * secondMs)

    const right = start(handlers)
    await vi.waitFor(async () => {
      const inAMinute = new Date(queue.now().getTime() + 60 * secondMs)
      const late = db.selectFrom('jobs').where('run_at', '>', inAMinute).select('name')
      expect(await late.execute()).toEqual([])
    })
    await right.runDue()
    expect(ran).toHaveLength(2)
    queue.pass(61 * secondMs)
    await right.runDue()
    expect(ran.toSorted()).toEqual(['always', 'always', 'failing', 'failing'])
  })

  test('tries a failed job again on its schedule, then keeps it with the reason and lets it be', async () => {
    await queue.add('send')
    const run = () => Promise.reject(new TypeError(`no answer ${'.'.repeat(600)}`))
    const worker = start({ send: { run, retryAfterSeconds: [5, 300] } })

    for (const waitMs of [5 * secondMs, 300 * secondMs]) {
      expect(await worker.runDue()).toBe(1)
      const wait = (await queue.onlyJob()).run_at.getTime() - queue.now().getTime()
      expect(wait).toBeGreaterThanOrEqual(waitMs * 0.9)
      expect(wait).toBeLessThanOrEqual(waitMs * 1.1)
      queue.pass(wait - 1)
      expect(await worker.runDue()).toBe(0)
      queue.pass(1)
    }
    expect(await worker.runDue()).toBe(1)
    queue.pass(1000 * dayMs)
    expect(await worker.runDue()).toBe(0)

    const dead = await queue.onlyJob()
    expect(dead).toMatchObject({ run_at: Infinity, attempt: 3, lease: null })
    expect(dead.last_error).toMatch(/^TypeError: no answer \.+$/)
    expect(dead.last_error).toHaveLength(500)
  })

  test('stores no credentials of an address that an error names', async () => {
    await queue.add('send')
    const message = 'cannot reach smtps://user:s3cret@mail.example or https://auth.example/t?token=s3cret now'
    const worker = start({ send: { run: () => Promise.reject(new Error(message)) } })

    await worker.runDue()

    expect((await queue.onlyJob()).last_error).toBe(
      'Error: cannot reach smtps://mail.example or https://auth.example/t now',
    )
  })

  test('stores no row that a database error quotes', async () => {
    await queue.add('send')
    const row = Object.assign(
      new pg.DatabaseError('Key (email)=(ada@example.com) already exists', 0, 'error'),
      {
        code: '23505',
        table: 'users',
        constraint: 'users_email_key',
      },
    )
    const worker = start({ send: { run: () => Promise.reject(row) } })

    await worker.runDue()

    expect((await queue.onlyJob()).last_error).toBe('DatabaseError: 23505 users users_email_key')
  })

  test('keeps a job that ends its process every time, after as many attempts as it has', async () => {
    await queue.add('send')
    await db.updateTable('jobs').set({ attempt: 2 }).execute()
    let runs = 0
    const worker = start({ send: { run: async () => (runs += 1), retryAfterSeconds: [5] } })

    await worker.runDue()

    expect(runs).toBe(0)
    expect(await queue.onlyJob()).toMatchObject({
      run_at: Infinity,
      last_error: expect.stringContaining('ended'),
    })
  })

  test('leaves a job it does not know to others, without spending an attempt', async () => {
    await queue.add('of_a_newer_version')

    const older = start({})
    expect(await older.runDue()).toBe(1)

    expect(await queue.onlyJob()).toMatchObject({ attempt: 0, lease: null })
    // It would take the job again, and leave it again.
    await older.stop()
    queue.pass(61 * secondMs)
    expect(await start({ of_a_newer_version: {} }).runDue()).toBe(1)
    expect(await queue.jobs()).toEqual([])
  })

  test('finishes what runs when it is stopped, and takes nothing more', async () => {
    const slow = gate()
    let runs = 0
    const run = () => {
      runs += 1
      return slow.opened
    }
    const worker = start({ send: { run } }, { concurrency: 1 })
    await queue.add('send')
    await queue.add('send')
    void worker.runDue()
    await vi.waitFor(() => expect(runs).toBe(1))

    const stopped = worker.stop()
    slow.open()
    await stopped

    expect(runs).toBe(1)
    expect((await queue.onlyJob()).attempt).toBe(0)
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
    await vi.waitFor(async () => expect(await queue.jobs()).toHaveLength(1))

    for (const interval of [1, 2, 3]) {
      queue.pass(60 * secondMs)
      await Promise.all(both.map((worker) => worker.runDue()))
      expect(runs).toBe(interval)
    }
    expect(await queue.onlyJob()).toMatchObject({ attempt: 0, last_error: null })
  })

  test('counts attempts by outcome', async () => {
    const metrics = createMetrics()
    const worker = start(
      { good: {}, bad: { run: () => Promise.reject(new Error('no')) } },
      {},
      { ...deps, metrics },
    )
    await queue.add('good')
    await queue.add('bad')

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
    expect(await queue.jobs()).toEqual([])
  })

  test('waits for its time', async () => {
    const runAt = new Date(queue.now().getTime() + 60 * secondMs)
    await db.transaction().execute((trx) => enqueue(deps, trx, { name: 'send_magic_link', payload, runAt }))
    const worker = start({ send_magic_link: {} })

    expect(await worker.runDue()).toBe(0)
    queue.pass(60 * secondMs)
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
    expect(await queue.onlyJob()).toMatchObject({ run_at: Infinity })

    isWell = true
    await add()
    expect(await worker.runDue()).toBe(1)
    await add()
    expect(await worker.runDue()).toBe(1)
    expect(await queue.jobs()).toEqual([])
  })
})

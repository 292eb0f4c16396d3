import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CompiledQuery, sql } from 'kysely'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { closePool, connect, poolStateOf } from './connect.js'
import { startEmbedded, type EmbeddedPostgres } from './embedded.js'
import { openLookups } from './lookups.js'
import { lookup } from './statement.js'

let dataDir: string
let postgres: EmbeddedPostgres

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'portico-lookups-'))
  postgres = await startEmbedded({ dataDir, throwaway: true })
})

afterAll(async () => {
  await postgres.stop()
  await rm(dataDir, { recursive: true, force: true })
})

/** The lookups of a pool, and the connection that answered each. */
function givenLookups({ count = 1 } = {}) {
  const pool = new pg.Pool({ connectionString: postgres.url, max: 6, pipeline: true })
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  let silent = 0
  const lookups = openLookups({
    connect: () => pool.connect(),
    count,
    names: new Map(),
    onRoundTrip: () => undefined,
    onSilence: () => (silent += 1),
  })
  onTestFinished(() => {
    lookups.close()
    return pool.end()
  })
  const run = async (text: string) => {
    let isOnPool = false
    const { rows } = await lookups.run<Record<string, unknown>>(CompiledQuery.raw(text), () => {
      isOnPool = true
      return pool.query(text)
    })
    return { row: rows[0], isOnPool }
  }
  /** Opens the connections with two concurrent lookups for each, and returns the process id of the last. */
  const open = async () => {
    for (let opened = 1; opened <= count; opened++) {
      await Promise.all(Array.from({ length: count + 1 }, () => run(whoAnswers)))
      await vi.waitFor(() => expect(lookups.idle).toBe(opened))
    }
    const { row } = await run(whoAnswers)
    return Number(row?.['pid'])
  }
  return { pool, lookups, run, open, silences: () => silent }
}

const whoAnswers = 'select pg_backend_pid() as pid'

async function execute(text: string): Promise<void> {
  const client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
  await client.query(text)
  await client.end()
}

describe('lookups', () => {
  test('one after the other run on the pool, and open no connection of their own', async () => {
    const { run, lookups } = givenLookups()
    for (let times = 0; times < 3; times++) expect(await run(whoAnswers)).toMatchObject({ isOnPool: true })
    expect(lookups.idle).toBe(0)
  })

  test('at once are answered by few connections, each by its own answer', async () => {
    const { run, open } = givenLookups({ count: 2 })
    await open()
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) => run(`select pg_backend_pid() as pid, ${index} as index`)),
    )
    expect(answers.map(({ row }) => row?.['index'])).toEqual(answers.map((_, index) => index))
    expect(answers.filter(({ isOnPool }) => isOnPool)).toEqual([])
    expect(new Set(answers.map(({ row }) => row?.['pid'])).size).toBe(2)
  })

  test('more than a connection takes at once run on the pool', async () => {
    const { run, open } = givenLookups()
    await open()
    const answers = await Promise.all(Array.from({ length: 103 }, () => run(whoAnswers)))
    expect(answers.filter(({ isOnPool }) => isOnPool)).toHaveLength(3)
  })

  test('behind one that waits are answered once Postgres has ended it; it goes on in the pool', async () => {
    const { run, open, pool } = givenLookups()
    await open()
    await execute('create table awaited (id integer)')
    const locking = await pool.connect()
    await locking.query('begin')
    await locking.query('lock table awaited')
    const waiting = run('select count(*)::integer as count from awaited')
    const behind = await Promise.all([run(whoAnswers), run(whoAnswers)])
    await locking.query('commit')
    locking.release()

    expect(behind.map(({ isOnPool }) => isOnPool)).toEqual([false, false])
    expect(await waiting).toEqual({ row: { count: 0 }, isOnPool: true })
  })

  test.skipIf(process.platform === 'win32')(
    'sent to a connection that is silent are answered by the pool, and later ones are not sent to it',
    async () => {
      const { run, open } = givenLookups()
      const pid = await open()
      process.kill(pid, 'SIGSTOP')
      try {
        const sent = run(whoAnswers)
        const late = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 101)
        onTestFinished(() => late.mockRestore())
        expect(await run(whoAnswers)).toMatchObject({ isOnPool: true })
        expect(await sent).toMatchObject({ isOnPool: true })
      } finally {
        process.kill(pid, 'SIGCONT')
      }
    },
  )

  /** Has the time of an answer run out before it is read; says how many connections are idle after that. */
  async function idleAfter(elapsedMs: number) {
    const { run, open, lookups, silences } = givenLookups({ count: 2 })
    await open()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const sent = run(whoAnswers)
      const late = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + elapsedMs)
      vi.advanceTimersByTime(1_000)
      vi.useRealTimers()
      const { isOnPool } = await sent
      late.mockRestore()
      return { isOnPool, idle: lookups.idle, silences: silences() }
    } finally {
      vi.useRealTimers()
    }
  }

  test('without an answer in time take the idle connections along, which may be silent, too', async () => {
    expect(await idleAfter(1_000)).toEqual({ isOnPool: true, idle: 0, silences: 1 })
  })

  test('whose time ran out while the process stood still leave the other connections', async () => {
    expect(await idleAfter(3_000)).toEqual({ isOnPool: true, idle: 1, silences: 0 })
  })

  test('under way on a connection that is lost are answered by the pool', async () => {
    const { run, open } = givenLookups()
    const pid = await open()
    const sent = Promise.all([run('select pg_sleep(0.2)'), run('select 1 as one')])
    await execute(`select pg_terminate_backend(${pid}, 5000)`)
    expect((await sent).map(({ row }) => row)).toEqual([{ pg_sleep: '' }, { one: 1 }])
    expect(await run('select 2 as two')).toMatchObject({ row: { two: 2 } })
  })

  test('whose table has another column since they were prepared are answered with it', async () => {
    const { run, open } = givenLookups()
    await open()
    await execute('create table altered as select 1 as one')
    expect(await run('select * from altered')).toEqual({ row: { one: 1 }, isOnPool: false })
    await execute('alter table altered add column two integer default 2')
    expect(await run('select * from altered')).toEqual({ row: { one: 1, two: 2 }, isOnPool: true })
  })

  test('that fail, fail with the error that the pool has', async () => {
    const { run, open } = givenLookups()
    await open()
    await expect(run('select 1 / 0')).rejects.toThrow('division by zero')
    expect(await run(whoAnswers)).toMatchObject({ isOnPool: false })
  })
})

const selectOne = lookup((db, { one }: { one: number }) => ({
  compile: () => sql<{ one: number; pid: number }>`select ${one}::integer as one`.compile(db),
}))

describe('a database', () => {
  const log = pino({ level: 'silent' })

  /** Whether a lookup is answered while the rest of the pool is in use; `all` connections exist besides the shared ones. */
  async function isAnsweredBeside(
    all: number,
    options: { poolSize: number; named: boolean; isPooled?: boolean },
  ) {
    const db = connect({ url: postgres.url, log, ...options })
    onTestFinished(() => closePool(db))
    for (let times = 0; times < 3; times++)
      await Promise.all(Array.from({ length: 50 }, (_, one) => selectOne(db, { one })))
    await vi.waitFor(() => expect(poolStateOf(db).inUse).toBe(0))
    const held = await Promise.all(Array.from({ length: all }, () => db.startTransaction().execute()))
    let isAnswered = false
    const answer = selectOne(db, { one: 1 }).then(() => (isAnswered = true))
    // A lookup that does not wait for a connection is answered during other statements, however the machine deals its time.
    for (let times = 0; times < 50 && !isAnswered; times++)
      for (const trx of held) await sql`select 1`.execute(trx)
    const wasAnswered = isAnswered
    await Promise.all(held.map((trx) => trx.rollback().execute()))
    await answer
    return wasAnswered
  }

  test('shares two connections of its pool, so that lookups are answered while all others are in use', async () => {
    expect(await isAnsweredBeside(4, { poolSize: 6, named: true })).toBe(true)
  })

  test('shares none of a small pool, and none where statements have no names or nothing is set for a session', async () => {
    expect(await isAnsweredBeside(5, { poolSize: 5, named: true })).toBe(false)
    expect(await isAnsweredBeside(6, { poolSize: 6, named: false })).toBe(false)
    expect(await isAnsweredBeside(6, { poolSize: 6, named: true, isPooled: true })).toBe(false)
  })

  test('runs the lookups of a transaction in it', async () => {
    const db = connect({ url: postgres.url, log, poolSize: 6, named: true })
    onTestFinished(() => closePool(db))
    const selectPid = lookup((_, { one }: { one: number }) => ({
      compile: () =>
        sql<{
          value: string
        }>`select current_setting('lookups.test', true) as value, ${one}::integer`.compile(db),
    }))
    await Promise.all(Array.from({ length: 20 }, (_, one) => selectPid(db, { one })))
    await db.transaction().execute(async (trx) => {
      await sql`set local lookups.test = 'here'`.execute(trx)
      const rows = await Promise.all(Array.from({ length: 20 }, (_, one) => selectPid(trx, { one })))
      expect(rows.flat().filter(({ value }) => value !== 'here')).toEqual([])
    })
  })
})

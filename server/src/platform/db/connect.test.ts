import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql, type Kysely } from 'kysely'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { closePool, connect, poolStateOf, promptDb } from './connect.js'
import { startEmbedded, type EmbeddedPostgres } from './embedded.js'
import { asChanges, openPositions } from './positions.js'
import type { DB } from './schema.js'
import { companion } from './statement.js'

let dataDir: string
let postgres: EmbeddedPostgres

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'portico-connect-'))
  postgres = await startEmbedded({ dataDir, throwaway: true })
})

afterAll(async () => {
  await postgres.stop()
  await rm(dataDir, { recursive: true, force: true })
})

function givenDatabase() {
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line) => lines.push(String(JSON.parse(line).msg)) })
  const db = connect({ url: postgres.url, poolSize: 2, named: true, log })
  return { db, lines }
}

test.each([
  ['a connection that Postgres ends is told in the log', false, ['a database connection was lost']],
  ['one that it ends while all are closed is not', true, []],
])('%s', async (_, isClosing, told) => {
  const { db, lines } = givenDatabase()
  const other = givenDatabase()
  const closed = await db.connection().execute(async (connection) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(connection)
    const closing = isClosing ? db.destroy() : undefined
    const pid = rows[0]?.pid
    await sql`select pg_terminate_backend(${pid}, 5000)`.execute(other.db)
    await expect(sql`select 1`.execute(connection)).rejects.toThrow(
      // Depends on whether Postgres' termination message arrives before the statement is sent.
      /Client has encountered a connection error|terminating connection/,
    )
    return { closing }
  })
  await (closed.closing ?? db.destroy())
  await other.db.destroy()

  // Postgres sends the message, and then the socket ends.
  expect([...new Set(lines)]).toEqual(told)
})

test('an idle connection that Postgres ends is told once', async () => {
  const { db, lines } = givenDatabase()
  const other = givenDatabase()
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)
  await sql`select pg_terminate_backend(${rows[0]?.pid}, 5000)`.execute(other.db)
  await vi.waitFor(() => expect(lines).not.toEqual([]))
  await sql`select 1`.execute(db)
  await Promise.all([db.destroy(), other.db.destroy()])

  expect(lines).toEqual(['a database connection was lost'])
})

test.skipIf(process.platform === 'win32')(
  'where an answer was lost, the connections that were made before are not used again',
  async () => {
    const { db } = givenDatabase()
    const prompt = promptDb(db)
    const whoAnswers = sql<{ pid: number }>`select pg_backend_pid() as pid from pg_sleep(0.05)`
    const both = await Promise.all([whoAnswers.execute(prompt), whoAnswers.execute(prompt)])
    const pids = both.flatMap(({ rows }) => rows.map(({ pid }) => pid))
    for (const pid of pids) process.kill(pid, 'SIGSTOP')
    try {
      await expect(sql`select 1`.execute(prompt)).rejects.toThrow('Query read timeout')
      const { rows } = await whoAnswers.execute(prompt)
      expect(pids).not.toContain(rows[0]?.pid)
    } finally {
      for (const pid of pids) process.kill(pid, 'SIGCONT')
    }
    await db.destroy()
  },
)

test('a connection whose statement goes on is cut when all are closed', async () => {
  const { db, lines } = givenDatabase()

  const { closing } = await db.connection().execute(async (connection) => {
    await sql`select 1`.execute(connection)
    const closed = closePool(db)
    await expect(sql`select pg_sleep(60)`.execute(connection)).rejects.toThrow('Connection terminated')
    return { closing: closed }
  })
  await closing

  expect(lines).toContain('connections to the database are cut while in use')
})

test('a pool that only prompt work has used is closed, too', async () => {
  const { db } = givenDatabase()
  await sql`select 1`.execute(promptDb(db))

  await closePool(db)

  expect(poolStateOf(db)).toMatchObject({ inUse: 0, idle: 0 })
})

describe('behind a pooler in transaction mode', () => {
  const waits = sql<{ wait: string }>`
    with setting as (select current_setting('lock_timeout') as wait) select wait from setting`

  test('a connection sets nothing for its session, and statements wait as briefly for a lock as elsewhere', async () => {
    const log = pino({ level: 'silent' })
    const db = connect({ url: postgres.url, poolSize: 1, named: false, isPooled: true, log })
    const prompt = promptDb(db)
    const set = async () =>
      (await sql<{ name: string }>`select name from pg_settings where source = 'session'`.execute(prompt))
        .rows

    expect((await waits.execute(prompt)).rows).toEqual([{ wait: '2s' }])
    const inside = await prompt.transaction().execute((trx) => waits.execute(trx))
    expect(inside.rows).toEqual([{ wait: '2s' }])
    expect((await waits.execute(db)).rows).toEqual([{ wait: '0' }])
    expect(await set()).toEqual([])
    await db.destroy()
  })

  test('a statement that fails in its own transaction leaves a connection that works', async () => {
    const log = pino({ level: 'silent' })
    const db = connect({ url: postgres.url, poolSize: 1, named: false, isPooled: true, log })
    const prompt = promptDb(db)
    await sql`create table pooled (id integer primary key)`.execute(db)
    await sql`insert into pooled values (1)`.execute(prompt)
    await expect(sql`insert into pooled values (1)`.execute(prompt)).rejects.toMatchObject({ code: '23505' })
    await sql`insert into pooled values (2)`.execute(prompt)
    expect((await sql`select id from pooled order by id`.execute(prompt)).rows).toEqual([
      { id: 1 },
      { id: 2 },
    ])
    await db.destroy()
  })
})

test('a change is followed by the place of its commit in the log, in the same packet', async () => {
  let trips = 0
  const told: string[] = []
  const positions = openPositions(1_000, () => Promise.reject(new Error('none is needed')))
  const log = pino({ level: 'silent' })
  const db = connect({
    ...{ url: postgres.url, poolSize: 1, named: true, log, positions },
    onRoundTrip: () => void trips++,
  })
  await sql`create table followed (id integer)`.execute(db)
  trips = 0
  await asChanges({ accountId: 'a', onChange: (position) => told.push(position) }, async () => {
    await sql`insert into followed values (1)`.execute(db)
    await db.transaction().execute((trx) => sql`insert into followed values (2)`.execute(trx))
    await sql`select 1`.execute(db)
  })
  expect(trips).toBe(4)
  expect(told).toHaveLength(2)
  expect(told.toSorted()).toEqual(told)
  expect(told[1]).toMatch(/^[0-9A-F]{8}\/[0-9A-F]{8}$/)
  await db.destroy()
})

describe('a statement that tells nothing', () => {
  const insertNote = companion((db, { note }: { note: string | null }) => ({
    compile: () => sql`insert into notes (note) values (${note})`.compile(db),
  }))
  const notes = async (db: Kysely<DB>) =>
    (await sql<{ note: string }>`select note from notes order by note`.execute(db)).rows.map(
      ({ note }) => note,
    )

  async function givenNotes() {
    let trips = 0
    const log = pino({ level: 'silent' })
    const db = connect({ url: postgres.url, poolSize: 2, named: true, log, onRoundTrip: () => void trips++ })
    await sql`drop table if exists notes`.execute(db)
    await sql`create table notes (note text not null)`.execute(db)
    trips = 0
    return { db, tripsOf: () => trips }
  }

  test('is sent with the one after it, or with the commit', async () => {
    const { db, tripsOf } = await givenNotes()

    const seen = await db.transaction().execute(async (trx) => {
      await insertNote(trx, { note: 'a' })
      const between = await notes(trx)
      await insertNote(trx, { note: 'b' })
      return between
    })

    expect(seen).toEqual(['a'])
    expect(tripsOf()).toBe(2)
    expect(await notes(db)).toEqual(['a', 'b'])
    await insertNote(db, { note: 'c' })
    expect(await notes(db)).toEqual(['a', 'b', 'c'])
    await db.destroy()
  })

  test('fails with its own error in the one after it, and then nothing is committed', async () => {
    const { db } = await givenNotes()
    const failing = (next: (trx: Kysely<DB>) => Promise<unknown>) =>
      db.transaction().execute(async (trx) => {
        await insertNote(trx, { note: 'a' })
        await insertNote(trx, { note: null })
        await next(trx)
      })

    await expect(failing(() => Promise.resolve())).rejects.toMatchObject({ code: '23502' })
    await expect(failing(notes)).rejects.toMatchObject({ code: '23502' })
    expect(await notes(db)).toEqual([])
    await db.destroy()
  })

  test('is not sent where the transaction is given up', async () => {
    const { db, tripsOf } = await givenNotes()
    const failing = db.transaction().execute(async (trx) => {
      await insertNote(trx, { note: 'a' })
      throw new Error('given up')
    })

    await expect(failing).rejects.toThrow('given up')
    expect(tripsOf()).toBe(0)
    expect(await notes(db)).toEqual([])
    await db.destroy()
  })
})

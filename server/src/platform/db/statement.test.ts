import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
} from 'kysely'
import type { CompiledQuery, DatabaseConnection } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { DB } from './schema.js'
import { insertion, lookup, statement } from './statement.js'

/** A Kysely that records statements instead of sending them. */
function recordingDb() {
  const sent: { sql: string; parameters: readonly unknown[] }[] = []
  const connection: DatabaseConnection = {
    executeQuery: ({ sql: text, parameters }: CompiledQuery) => {
      sent.push({ sql: text, parameters })
      return Promise.resolve({ rows: [] })
    },
    streamQuery: () => {
      throw new Error('nothing streams here')
    },
  }
  const driver = new DummyDriver()
  driver.acquireConnection = () => Promise.resolve(connection)
  const db = new Kysely<DB>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => driver,
      createIntrospector: (own) => new PostgresIntrospector(own),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })
  return { db, sent }
}

describe('a statement', () => {
  test('is built once, and sent with the values of each run', async () => {
    const { db, sent } = recordingDb()
    let built = 0
    const select = statement((own, { id, ids }: { id: string; ids: readonly string[] | null }) => {
      built += 1
      return own
        .selectFrom('users')
        .where('id', '=', id)
        .where(sql<boolean>`(${ids}::uuid[] is null or id = any(${ids}::uuid[]))`)
        .where('active', '=', true)
        .select('id')
    })

    await select(db, { id: 'a', ids: null })
    await select(db, { id: 'b', ids: ['c'] })

    expect(built).toBe(1)
    expect(sent.map(({ parameters }) => parameters)).toEqual([
      ['a', null, null, true],
      ['b', ['c'], ['c'], true],
    ])
    expect(new Set(sent.map(({ sql: text }) => text)).size).toBe(1)
  })

  test('cannot be built from what a parameter is, which it would keep for all later runs', async () => {
    const { db, sent } = recordingDb()
    const select = statement((own, { id }: { id: string }) =>
      own.selectFrom('users').where('id', '=', `${id}`).select('id'),
    )

    await expect(select(db, { id: 'a' })).rejects.toThrow('id is a parameter of a statement')
    expect(sent).toEqual([])
  })

  test('cannot be built from a copy of its parameters, whose members would all be null', async () => {
    const { db, sent } = recordingDb()
    const select = statement((own, { id, ...tenant }: { id: string; account_id: string }) =>
      own.selectFrom('users').where('id', '=', id).where('account_id', '=', tenant.account_id).select('id'),
    )

    await expect(select(db, { id: 'a', account_id: 'b' })).rejects.toThrow('cannot be copied')
    expect(sent).toEqual([])
  })

  test('inserts each column from the member of its name', async () => {
    const { db, sent } = recordingDb()
    const insert = insertion('log_events')

    const entry = { account_id: 'a', event_code: 'b', request_id: 'c', inserted_at: 'd' }
    await insert(db, { domain: 'acme', reason: null, ...entry })

    expect(sent).toEqual([
      {
        sql: 'insert into "log_events" ("domain", "reason", "account_id", "event_code", "request_id", "inserted_at") values ($1, $2, $3, $4, $5, $6)',
        parameters: ['acme', null, 'a', 'b', 'c', 'd'],
      },
    ])
  })
})

test.each([
  'update users set active = true where id = $1',
  'with gone as (delete from users where id = $1 returning id) select id from gone',
  'select id from users where id = $1 for update',
  'select id from users where id = $1 for key share of users',
  'select pg_advisory_xact_lock(1)',
  'select nextval($1)',
])('what writes or locks is no lookup: %s', async (text) => {
  const { db, sent } = recordingDb()
  const written = lookup((own) => ({ compile: () => sql.raw(text).compile(own) }))

  // Refused every time, because a refused statement is not cached.
  for (let times = 0; times < 2; times++)
    await expect(written(db, {})).rejects.toThrow('a lookup is a select without a lock')
  expect(sent).toEqual([])
})

import { migrateDatabase } from '@portico/server/migrate'
import pg from 'pg'
import { expect, test } from 'vitest'
import { given } from '../cli/portico-given.js'

test('of processes that migrate a new database at once, one does and the others find it done', async () => {
  const { DATABASE_URL: url } = await given.database()

  const applied = await Promise.all(Array.from({ length: 5 }, () => migrateDatabase(url)))

  expect(applied.filter((names) => names.length > 0)).toHaveLength(1)
  expect(await migrateDatabase(url)).toEqual([])
})

test('whoever finds a new database migrated finds its statistics, too, and may divide its tables', async () => {
  const { DATABASE_URL: url } = await given.database()

  const found = await Promise.all(
    Array.from({ length: 3 }, async () => {
      await migrateDatabase(url)
      return statisticsOf(url, 'webhooks')
    }),
  )

  expect(found).toEqual([['account_id'], ['account_id'], ['account_id']])
})

/** The tenant's columns for which the planner has statistics. */
async function statisticsOf(url: string, table: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<{ attname: string }>(
      "select attname from pg_stats where tablename = $1 and attname = 'account_id'",
      [table],
    )
    return rows.map(({ attname }) => attname)
  } finally {
    await client.end()
  }
}

import { migrateDatabase } from '@portico/server/migrate'
import { expect, test } from 'vitest'
import { given } from '../cli/portico-given.js'

test('of processes that migrate a new database at once, one does and the others find it done', async () => {
  const { DATABASE_URL: url } = await given.database()

  const applied = await Promise.all(Array.from({ length: 5 }, () => migrateDatabase(url)))

  expect(applied.filter((names) => names.length > 0)).toHaveLength(1)
  expect(await migrateDatabase(url)).toEqual([])
})

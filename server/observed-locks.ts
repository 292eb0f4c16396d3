import pg from 'pg'
import { buildIndex } from './src/platform/db/concurrent-index.js'
import { runMigration } from './src/platform/db/migrate.js'
import { migrations } from './src/platform/db/migrations.js'
import { withClient } from './src/platform/db/one-client.js'
import { observeLocks, readRelations, type ObservedLock } from './src/platform/db/table-locks.js'

/**
 * The locks of each migration, observed at the end of its transactions in a new database of this server: an empty one, where
 * statements take the locks that they take in a full one.
 */
export async function observedLocks(
  adminUrl: string,
): Promise<Readonly<Record<string, readonly ObservedLock[]>>> {
  const name = 'observed'
  const admin = new pg.Client({ connectionString: adminUrl })
  await admin.connect()
  await admin.query(`create database ${name}`)
  await admin.end()
  const url = new URL(adminUrl)
  url.pathname = name
  return withClient(url.href, async (client, db) => {
    await client.query('create table kysely_migration (name text primary key, timestamp text not null)')
    const observed: Record<string, readonly ObservedLock[]> = {}
    for (const [migration, { indexes = [] }] of Object.entries(migrations)) {
      const before = await readRelations(db)
      for (const index of indexes) await buildIndex(db, index)
      await client.query('select pg_stat_force_next_flush()')
      await runMigration(db, migration, async (trx) => {
        observed[migration] = await observeLocks(trx, before)
      })
    }
    return observed
  })
}

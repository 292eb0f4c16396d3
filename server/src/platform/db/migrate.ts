import { Kysely, Migrator, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { migrations } from './migrations.js'
import { seedStatistics } from './seed-statistics.js'

/** The key of the advisory lock under which one process at a time migrates a database: the bytes of "portico". */
const migrationLock = '31647734761612143'

/**
 * Applies the migrations that the database lacks, in one transaction, and gives its tables their first statistics. Other
 * processes wait until both are done: statistics detach partitions, which a process that serves already would change.
 *
 * @param db Connected directly: the lock belongs to a session, which a pooler in transaction mode would share.
 * @returns The names of the applied ones.
 */
export function migrate<T>(db: Kysely<T>): Promise<string[]> {
  return db.connection().execute(async (connection) => {
    await sql`select pg_advisory_lock(${migrationLock})`.execute(connection)
    try {
      const { error, results = [] } = await migratorOf(connection).migrateToLatest()
      if (error !== undefined)
        throw error instanceof Error ? error : new Error('a migration failed', { cause: error })
      if (results.length > 0) await seedStatistics(connection)
      return results.map((result) => result.migrationName)
    } finally {
      // A connection that was lost has given it back, and why it was lost is the error that counts.
      await sql`select pg_advisory_unlock(${migrationLock})`.execute(connection).catch(() => undefined)
    }
  })
}

/** Applies the migrations to the database at an address, over one connection of its own. */
export async function migrateDatabase(url: string): Promise<string[]> {
  const pool = new pg.Pool({ connectionString: url, max: 1 })
  // Postgres may be stopped before the connection is gone; without a listener that would end the process.
  pool.on('error', () => undefined)
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) })
  try {
    return await migrate(db)
  } finally {
    await db.destroy()
  }
}

/** The names of the migrations that the database lacks. */
export async function pendingMigrations<T>(db: Kysely<T>): Promise<string[]> {
  const all = await migratorOf(db).getMigrations()
  return all.filter((migration) => migration.executedAt === undefined).map((migration) => migration.name)
}

function migratorOf<T>(db: Kysely<T>): Migrator {
  return new Migrator({ db, provider: { getMigrations: () => Promise.resolve(migrations) } })
}

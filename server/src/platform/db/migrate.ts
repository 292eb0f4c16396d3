import { Kysely, type Migration, Migrator, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import * as tenants from './migrations/0001-tenants.js'
import * as whatHappened from './migrations/0002-what-happened.js'
import * as recordCounts from './migrations/0003-record-counts.js'
import * as users from './migrations/0004-users.js'
import * as applications from './migrations/0005-applications.js'
import * as signIn from './migrations/0006-sign-in.js'
import * as eventStream from './migrations/0007-event-stream.js'
import * as webhooks from './migrations/0008-webhooks.js'
import * as relays from './migrations/0009-relays.js'
import * as passwords from './migrations/0010-passwords.js'
import * as totp from './migrations/0011-totp.js'
import * as rateLimits from './migrations/0012-rate-limits.js'
import * as hostedSignIn from './migrations/0013-hosted-sign-in.js'
import * as ssoConnections from './migrations/0014-sso-connections.js'
import * as ssoRequestsAndAdmins from './migrations/0015-sso-requests-and-admins.js'
import * as directorySync from './migrations/0016-directory-sync.js'
import * as oidcConnections from './migrations/0017-oidc-connections.js'
import * as directorySearches from './migrations/0018-directory-searches.js'
import * as configApplies from './migrations/0019-config-applies.js'
import * as largeOrganizations from './migrations/0020-large-organizations.js'
import * as statistics from './migrations/0021-statistics.js'
import * as eventPositions from './migrations/0022-event-positions.js'
import * as returnedJobs from './migrations/0023-returned-jobs.js'
import * as nextSigningKeys from './migrations/0024-next-signing-keys.js'
import { seedStatistics } from './seed-statistics.js'

/** Every migration by name. A new one is added at the end; one that has been released is never edited. */
export const migrations: Record<string, Migration> = {
  '0001-tenants': tenants,
  '0002-what-happened': whatHappened,
  '0003-record-counts': recordCounts,
  '0004-users': users,
  '0005-applications': applications,
  '0006-sign-in': signIn,
  '0007-event-stream': eventStream,
  '0008-webhooks': webhooks,
  '0009-relays': relays,
  '0010-passwords': passwords,
  '0011-totp': totp,
  '0012-rate-limits': rateLimits,
  '0013-hosted-sign-in': hostedSignIn,
  '0014-sso-connections': ssoConnections,
  '0015-sso-requests-and-admins': ssoRequestsAndAdmins,
  '0016-directory-sync': directorySync,
  '0017-oidc-connections': oidcConnections,
  '0018-directory-searches': directorySearches,
  '0019-config-applies': configApplies,
  '0020-large-organizations': largeOrganizations,
  '0021-statistics': statistics,
  '0022-event-positions': eventPositions,
  '0023-returned-jobs': returnedJobs,
  '0024-next-signing-keys': nextSigningKeys,
}

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

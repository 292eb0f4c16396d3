import { setTimeout as pause } from 'node:timers/promises'
import { sql, type Kysely, type QueryExecutorProvider } from 'kysely'
import { buildIndex } from './concurrent-index.js'
import { openPatience, type Patience } from './lock-patience.js'
import { migrations } from './migrations.js'
import { withClient } from './one-client.js'
import { seedStatistics } from './seed-statistics.js'
import { systemClock } from '../system-clock.js'

/** The key of the advisory lock under which one process at a time migrates a database: the bytes of "portico". */
const migrationLock = '31647734761612143'
/** In ms. How often a process asks whether another one has finished its migrations. */
const turnMs = 200

/**
 * In ms. Whatever comes to a table queues behind a migration that waits for it, and a request waits for 2 seconds: a shorter
 * wait loses none. Shorter than deadlock_timeout, 1 second, too: of a deadlock the migration gives way, and no request.
 */
const lockMs = 800
/** In ms. Nothing queues behind the build of an index, which waits until the transactions that were there have ended. */
const buildLockMs = 60_000

export interface MigrateOptions {
  /** In ms. How long a migration asks for its locks, again and again; default: 10 seconds. */
  readonly patienceMs?: number | undefined
  /** The last migration to apply; default: all. */
  readonly through?: string
  /** Called after each one that is applied. */
  readonly onApplied?: (name: string) => void
}

/**
 * Applies the migrations that the database lacks, each in a transaction of its own so that its locks end with it, and gives
 * a new database its first statistics. Other processes wait until both are done: statistics detach partitions, which a process
 * that serves already would change. A run that fails has applied whole migrations, and the next one goes on behind them.
 *
 * @param url Of Postgres itself: the lock belongs to a session, which a pooler in transaction mode would share. PgBouncer
 *   refuses the parameter of this connection.
 * @returns The names of the applied ones.
 * @throws Error a sentence that names the sessions when locks are not free in time.
 */
export async function migrateDatabase(url: string, options: MigrateOptions = {}): Promise<string[]> {
  const { patienceMs = 10_000, through, onApplied } = options
  return withClient(withLockTimeout(url), async (_client, db) => {
    await takeTurn(db)
    await sql`set statement_timeout = 0`.execute(db)
    await sql`
      create table if not exists kysely_migration (
        name varchar(255) not null primary key, timestamp varchar(255) not null
      )`.execute(db)
    const patience = await openPatience(db, url, patienceMs)
    const applied: string[] = []
    for (const name of await pendingMigrations(db)) {
      if (through !== undefined && name > through) break
      await apply(db, name, patience)
      applied.push(name)
      onApplied?.(name)
    }
    await patience.during('The statistics of new tables', () => seedStatistics(db))
    return applied
  })
}

async function apply(db: Kysely<unknown>, name: string, patience: Patience): Promise<void> {
  for (const index of migrations[name]?.indexes ?? []) {
    await sql`set lock_timeout = ${sql.lit(buildLockMs)}`.execute(db)
    await patience.during(`The index ${index.name}`, () => buildIndex(db, index))
    await sql`reset lock_timeout`.execute(db)
  }
  await patience.during(`Migration ${name}`, () => runMigration(db, name))
}

/** Runs the transaction of a migration, whose indexes exist already. */
export async function runMigration(
  db: Kysely<unknown>,
  name: string,
  beforeCommit?: (trx: QueryExecutorProvider) => Promise<void>,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await migrations[name]?.up(trx)
    await sql`
      insert into kysely_migration (name, timestamp)
      values (${name}, ${systemClock().toISOString()})`.execute(trx)
    await beforeCommit?.(trx)
  })
}

/** The names of the migrations that the database lacks. */
export async function pendingMigrations(db: QueryExecutorProvider): Promise<string[]> {
  const applied = new Set(await appliedMigrations(db))
  return Object.keys(migrations).filter((name) => !applied.has(name))
}

/** The names of the migrations that were applied, in their order, also those of a newer release; none in an empty database. */
export async function appliedMigrations(db: QueryExecutorProvider): Promise<string[]> {
  const { rows: tables } = await sql<{ exists: boolean }>`
    select to_regclass('kysely_migration') is not null as exists`.execute(db)
  if (tables[0]?.exists !== true) return []
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
  return rows.map(({ name }) => name)
}

/** Asks again instead of waiting in a statement, for whose snapshot the other process would wait when it builds an index. */
async function takeTurn(db: QueryExecutorProvider): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ isOurs: boolean }>`
      select pg_try_advisory_lock(${migrationLock}) as "isOurs"`.execute(db)
    if (rows[0]?.isOurs === true) return
    await pause(turnMs)
  }
}

function withLockTimeout(url: string): string {
  const parsed = new URL(url)
  const given = parsed.searchParams.get('options') ?? ''
  parsed.searchParams.set('options', `${given} -c lock_timeout=${lockMs}`.trim())
  return parsed.href
}

import {
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
  type DatabaseConnection,
  type Driver,
  type QueryExecutorProvider,
} from 'kysely'
import { appliedMigrations, pendingMigrations } from './migrate.js'
import { migrationLocks } from './migration-locks.js'
import { migrations } from './migrations.js'
import type { ConcurrentIndex } from './schema-migration.js'
import { lockModes, type LockMode, type ObservedLock } from './table-locks.js'

/** A lock that a migration takes on a table which exists before it. */
export interface LockedTable {
  readonly table: string
  /** Rows by the statistics; -1 before the first ones. */
  readonly estimatedRows: number
  /** The build of an index, or the transaction of the migration. */
  readonly during: 'index build' | 'migration'
  readonly lock: LockMode
  /** What the lock stops until the end of the transaction. */
  readonly stops: 'nobody' | 'writes' | 'reads and writes'
  /** What grows with the table. */
  readonly work: ObservedLock['work']
}

export interface PlannedMigration {
  readonly name: string
  /** In the order in which they are taken. */
  readonly locks: readonly LockedTable[]
  /** Whether it does nothing else. Others replace something, or fill columns, that the running release can do without. */
  readonly onlyAdds: boolean
}

/**
 * What each pending migration would do. None is run: which locks it takes was observed on an empty database when it was
 * written, and depends on no rows.
 */
export async function planMigrations<DB>(db: Kysely<DB>): Promise<PlannedMigration[]> {
  const { rows } = await sql<{ name: string; estimatedRows: number }>`
    select relname as name, reltuples::float8 as "estimatedRows" from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition`.execute(
    db,
  )
  const rowsOf = new Map(rows.map(({ name, estimatedRows }) => [name, estimatedRows]))
  const planned: PlannedMigration[] = []
  for (const name of await pendingMigrations(db)) {
    const statements = await statementsOf(name)
    const builds = (migrations[name]?.indexes ?? []).map(lockOfBuild)
    const own = (migrationLocks[name] ?? []).map((lock) => ({ ...lock, during: 'migration' as const }))
    planned.push({
      name,
      locks: [...builds, ...own].flatMap((lock) => {
        const estimatedRows = rowsOf.get(lock.table)
        // A table that an earlier pending migration creates.
        if (estimatedRows === undefined) return []
        return [{ ...lock, estimatedRows, stops: lockModes[lock.lock] }]
      }),
      onlyAdds: statements.every(isAddition),
    })
  }
  return planned
}

/** The migrations that the database has and this release does not know. */
export async function newerMigrations(db: QueryExecutorProvider): Promise<string[]> {
  return (await appliedMigrations(db)).filter((name) => migrations[name] === undefined)
}

/** Postgres reads the table twice, and waits for others instead of stopping them (CREATE INDEX, CONCURRENTLY). */
function lockOfBuild({ table }: ConcurrentIndex) {
  return { table, during: 'index build', lock: 'SHARE UPDATE EXCLUSIVE', work: 'scans' } as const
}

/** The statements of a migration, recorded instead of sent. */
async function statementsOf(name: string): Promise<string[]> {
  const statements: string[] = []
  const connection: DatabaseConnection = {
    executeQuery: (query) => {
      statements.push(query.sql)
      return Promise.resolve({ rows: [] })
    },
    streamQuery: () => {
      throw new Error('a migration reads no streams')
    },
  }
  const nothing = () => Promise.resolve()
  const driver: Driver = {
    init: nothing,
    acquireConnection: () => Promise.resolve(connection),
    beginTransaction: nothing,
    commitTransaction: nothing,
    rollbackTransaction: nothing,
    releaseConnection: nothing,
    destroy: nothing,
  }
  const recorder = new Kysely<unknown>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => driver,
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })
  await migrations[name]?.up(recorder)
  return statements
}

/** New tables, columns, indexes, constraints, functions and triggers; rows of new tables. */
function isAddition(statement: string): boolean {
  const text = statement.trim().toLowerCase()
  if (/^create\b/.test(text)) return !/^create or replace\b/.test(text)
  if (/^alter table\b/.test(text)) return !/\b(drop|rename|alter column|set not null|type)\b/.test(text)
  return /^(insert into|comment on|set)\b/.test(text)
}

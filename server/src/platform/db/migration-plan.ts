import {
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
  type DatabaseConnection,
  type Driver,
} from 'kysely'
import { pendingMigrations } from './migrate.js'
import { migrations } from './migrations.js'

export interface PlannedMigration {
  readonly name: string
  /** The existing tables that it touches, with their rows by the statistics; -1 before the first ones. */
  readonly tables: readonly { readonly name: string; readonly estimatedRows: number }[]
  /** Whether the running release keeps working while and after it is applied: nothing is changed or removed. */
  readonly onlyAdds: boolean
}

/** What each pending migration would do. Its statements are read, not run. */
export async function planMigrations<DB>(db: Kysely<DB>): Promise<PlannedMigration[]> {
  const { rows } = await sql<{ name: string; estimatedRows: number }>`
    select relname as name, reltuples::float8 as "estimatedRows" from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition`.execute(
    db,
  )
  const planned: PlannedMigration[] = []
  for (const name of await pendingMigrations(db)) {
    const statements = await statementsOf(name)
    const touched = new Set(statements.flatMap(tablesIn))
    planned.push({
      name,
      tables: rows.filter((table) => touched.has(table.name)),
      onlyAdds: statements.every(isAddition),
    })
  }
  return planned
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

const tableName =
  /\b(?:table(?:\s+if(?:\s+not)?\s+exists)?|on|into|update|from|references|join)\s+(?:only\s+)?"?([a-z_][a-z0-9_]*)"?/gi

function tablesIn(statement: string): string[] {
  return [...statement.matchAll(tableName)].map(([, name]) => (name ?? '').toLowerCase())
}

/** New tables, columns, indexes, constraints, functions and triggers; rows of new tables. */
function isAddition(statement: string): boolean {
  const text = statement.trim().toLowerCase()
  if (/^create\b/.test(text)) return !/^create or replace\b/.test(text)
  if (/^alter table\b/.test(text)) return !/\b(drop|rename|alter column|set not null|type)\b/.test(text)
  return /^(insert into|comment on|set)\b/.test(text)
}

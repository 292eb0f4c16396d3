import { sql, type QueryExecutorProvider } from 'kysely'

/**
 * The locks of tables that writes of rows, and stronger statements, take: from the weakest, with whom each stops (Postgres,
 * "Table-Level Locks").
 */
export const lockModes = {
  'ROW EXCLUSIVE': 'nobody',
  'SHARE UPDATE EXCLUSIVE': 'nobody',
  SHARE: 'writes',
  'SHARE ROW EXCLUSIVE': 'writes',
  EXCLUSIVE: 'writes',
  'ACCESS EXCLUSIVE': 'reads and writes',
} as const

export type LockMode = keyof typeof lockModes

export interface ObservedLock {
  readonly table: string
  readonly lock: LockMode
  /** `scans`: reads each row; `rewrites`: writes each row anew, into a new file. */
  readonly work: 'none' | 'scans' | 'rewrites'
}

/** The tables and indexes that exist at some time. */
export interface Relations {
  /** The table of each relation by its oid; that of a partition is the partitioned one. */
  readonly tableOf: ReadonlyMap<string, string>
  /** The file of each. */
  readonly fileOf: ReadonlyMap<string, string>
}

export async function readRelations(db: QueryExecutorProvider): Promise<Relations> {
  const { rows } = await sql<{ oid: string; table: string; file: string }>`
    select pg_class.oid::text, pg_class.relfilenode::text as file,
      coalesce(pg_partition_root(tables.oid)::regclass, tables.oid::regclass)::text as "table"
    from pg_class
    left join pg_index on indexrelid = pg_class.oid
    join pg_class tables on tables.oid = coalesce(indrelid, pg_class.oid)
    where tables.relnamespace = current_schema()::regnamespace and tables.relkind in ('r', 'p')
      and tables.relname not like 'kysely\\_%'`.execute(db)
  return {
    tableOf: new Map(rows.map(({ oid, table }) => [oid, table])),
    fileOf: new Map(rows.map(({ oid, file }) => [oid, file])),
  }
}

/**
 * The locks that this transaction has, the strongest of each table that existed before it, and what it did with all rows.
 *
 * @param db The transaction, at its end.
 */
export async function observeLocks(db: QueryExecutorProvider, before: Relations): Promise<ObservedLock[]> {
  const { rows: locks } = await sql<{ oid: string; mode: string }>`
    select relation::text as oid, upper(trim(regexp_replace(replace(mode, 'Lock', ''), '([A-Z])', ' \\1', 'g'))) as mode
    from pg_locks where pid = pg_backend_pid() and locktype = 'relation'`.execute(db)
  const { rows: scans } = await sql<{ oid: string }>`
    select relid::text as oid from pg_stat_xact_user_tables where seq_scan > 0`.execute(db)
  const { fileOf } = await readRelations(db)
  // Otherwise the next transaction of the session would count these again.
  await sql`select pg_stat_force_next_flush()`.execute(db)
  const scanned = new Set(scans.map(({ oid }) => before.tableOf.get(oid)))
  const rewritten = new Set(
    [...before.fileOf].flatMap(([oid, file]) =>
      (fileOf.get(oid) ?? file) === file ? [] : [before.tableOf.get(oid)],
    ),
  )
  const strongest = new Map<string, LockMode>()
  for (const { oid, mode } of locks) {
    const table = before.tableOf.get(oid)
    if (table === undefined || !isLockMode(mode)) continue
    const known = strongest.get(table)
    if (known === undefined || isStronger(mode, known)) strongest.set(table, mode)
  }
  return [...strongest]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([table, lock]) => {
      const work = rewritten.has(table) ? 'rewrites' : scanned.has(table) ? 'scans' : 'none'
      return { table, lock, work }
    })
}

function isLockMode(mode: string): mode is LockMode {
  return Object.hasOwn(lockModes, mode)
}

function isStronger(one: LockMode, other: LockMode): boolean {
  const order = Object.keys(lockModes)
  return order.indexOf(one) > order.indexOf(other)
}

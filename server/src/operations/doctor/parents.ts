import { sql, type QueryExecutorProvider, type RawBuilder } from 'kysely'
import { readCatalog } from '../../platform/db/catalog.js'
import { listTables } from '../../platform/db/tables.js'
import type { OpenDeps } from '../../delivery/deps.js'
import { countOf, reading, failedCheck, type Finding } from './finding.js'
import { foreignKeys, type ForeignKey } from './foreign-keys.js'

const check = 'Missing parents'
/** Rows checked per table where the foreign key is in force and few rows can be wrong. */
const sampleSize = 100_000
/** Counts stop here. */
const maxCounted = 10_000

/**
 * Finds rows that refer to a missing row. Where the key is not in force each row is checked; elsewhere only a restore or
 * a replication with disabled triggers can have inserted one, and a sample is enough.
 */
export async function examineParents(deps: Pick<OpenDeps, 'db'>): Promise<Finding[]> {
  const { inForce, others, sizes } = await reading(deps, async (db) => {
    const found = await readCatalog(db)
    const used = new Set(
      found.filter(({ kind, state }) => kind === 'foreign key' && state === 'used').map(nameOfKey),
    )
    const isInForce = (key: ForeignKey) => used.has(nameOfKey({ table: key.child, name: key.name }))
    const tables = new Set(found.filter(({ kind }) => kind === 'table').map(({ name }) => name))
    const keys = foreignKeys.filter(({ child, parent }) => tables.has(child) && tables.has(parent))
    return {
      inForce: keys.filter(isInForce),
      others: keys.filter((key) => !isInForce(key)),
      sizes: new Map((await listTables(db)).map(({ name, estimatedRows }) => [name, estimatedRows])),
    }
  })
  const faults: Finding[] = []
  try {
    const counts = await reading(deps, (db) => countInSamples(db, inForce, sizes))
    faults.push(
      ...inForce.flatMap((key) =>
        faultOf(key, counts.get(nameOfKey({ table: key.child, name: key.name })) ?? 0),
      ),
    )
  } catch (error) {
    faults.push(failedCheck(check, error))
  }
  for (const key of others) {
    try {
      faults.push(...faultOf(key, await reading(deps, (db) => countAll(db, key))))
    } catch (error) {
      faults.push(failedCheck(`${check} of ${key.child}`, error))
    }
  }
  return faults.length > 0 ? faults : [{ check, ok: true, detail: 'none' }]
}

function nameOfKey({ table, name }: { readonly table: string; readonly name: string }): string {
  return `${table} ${name}`
}

async function countInSamples(
  db: QueryExecutorProvider,
  keys: readonly ForeignKey[],
  sizes: ReadonlyMap<string, number>,
): Promise<ReadonlyMap<string, number>> {
  if (keys.length === 0) return new Map()
  const counts = keys.map((key) => {
    const percent = (sampleSize / Math.max(sizes.get(key.child) ?? 0, sampleSize)) * 100
    const sample = percent < 100 ? ` tablesample system (${percent})` : ''
    return sql`
      select ${sql.lit(nameOfKey({ table: key.child, name: key.name }))} as key,
        (select count(*)::integer from (${orphans(key, sample)}) orphans) as count`
  })
  const { rows } = await sql<{ key: string; count: number }>`${sql.join(counts, sql` union all `)}`.execute(
    db,
  )
  return new Map(rows.map(({ key, count }) => [key, count]))
}

async function countAll(db: QueryExecutorProvider, key: ForeignKey): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from (${orphans(key)}) orphans`.execute(db)
  return rows[0]?.count ?? 0
}

function orphans(key: ForeignKey, sample = ''): RawBuilder<unknown> {
  return sql.raw(`select from ${key.child} child${sample} where ${isOrphan(key)} limit ${maxCounted}`)
}

/** Whether the row `child` refers to a missing row; one with a null in it refers to no row. */
function isOrphan({ columns, parent, parentColumns }: ForeignKey): string {
  const filled = columns.map((column) => `child.${column} is not null and `).join('')
  const same = columns
    .map((column, place) => `parent.${parentColumns[place]} = child.${column}`)
    .join(' and ')
  return `${filled}not exists (select from ${parent} parent where ${same})`
}

function faultOf(key: ForeignKey, count: number): Finding[] {
  if (count === 0) return []
  const { child, parent, name } = key
  const rows = count < maxCounted ? countOf(count, 'row') : `${maxCounted} rows or more`
  return [
    {
      check,
      ok: false,
      detail: `${rows} of ${child} refer to a row of ${parent} that is gone (${name})`,
      remedy:
        `look at what refers to them with this, then restore the rows of ${parent} from a backup, ` +
        'or write "delete" in place of "select *"',
      sql: `select * from ${child} child where ${isOrphan(key)};`,
    },
  ]
}

import { sql, type QueryExecutorProvider } from 'kysely'
import {
  isSameDefinition,
  readCatalog,
  type CatalogObject,
  type FoundObject,
} from '../../platform/db/catalog.js'
import { findIsInCluster } from '../../platform/db/cluster.js'
import { migratedCatalog } from '../../platform/db/migrated-catalog.js'
import { newerMigrations } from '../../platform/db/migration-plan.js'
import { inCluster } from '../citus/triggers.js'
import type { Finding, Reader } from './finding.js'

const check = 'Schema'
const maxReported = 100
const withSql = 'run this as the owner of the tables'

/** Compares the schema with that of the migrations. Additions of an operator are ignored. */
export async function examineSchema({ db }: Reader): Promise<Finding[]> {
  if ((await newerMigrations(db)).length > 0)
    return [{ check, ok: true, detail: 'of a newer release, whose portico doctor knows it' }]
  const expected = (await findIsInCluster(db)) ? migratedCatalog.map(inCluster) : migratedCatalog
  const faults = [...schemaFaults(expected, await readCatalog(db)), ...(await missingPartitions(db))]
  if (faults.length === 0) return [{ check, ok: true, detail: 'as the migrations make it' }]
  const rest = faults.length - maxReported
  return [
    ...faults.slice(0, maxReported),
    ...(rest > 0
      ? [{ check, ok: false, detail: `${rest} more faults`, remedy: 'mend those above, and ask again' }]
      : []),
  ]
}

/** Missing, different and unused objects, in the order of repair. */
function schemaFaults(expected: readonly CatalogObject[], found: readonly FoundObject[]): Finding[] {
  const foundByKey = new Map(found.map((object) => [keyOf(object), object]))
  const tables = new Set(found.filter(({ kind }) => kind === 'table').map(({ name }) => name))
  return expected.flatMap((object) => {
    if (object.kind !== 'table' && object.table !== '' && !tables.has(object.table)) return []
    const fault = faultOf(object, foundByKey.get(keyOf(object)))
    return fault === undefined ? [] : [{ check, ok: false, ...fault }]
  })
}

/** Functions of the migrations have unique names; an operator's of the same name has other parameters. */
function keyOf({ kind, table, name, definition }: CatalogObject): string {
  const parameters = kind === 'function' ? (/\(.*\)/.exec(definition)?.[0] ?? '') : ''
  return [kind, table, name, parameters].join(' ')
}

type Fault = Pick<Finding, 'detail' | 'remedy' | 'sql'>

function faultOf(object: CatalogObject, found: FoundObject | undefined): Fault | undefined {
  const named = nameOf(object)
  if (found === undefined) return missing(object)
  if (!isSameDefinition(found, object))
    return {
      detail:
        `${named} is not as the migrations make it` +
        (object.kind === 'function' ? '' : `: ${found.definition}`),
      remedy: withSql,
      sql: replacing(object),
    }
  switch (found.state) {
    case 'used':
      return undefined
    case 'unchecked':
      return {
        detail: `${named} is NOT VALID: rows from before it may break it`,
        remedy: withSql,
        sql: `alter table ${object.table} validate constraint ${object.name};`,
      }
    case 'unfinished':
      return {
        detail: `${named} is invalid, and Postgres does not use it`,
        remedy: withSql,
        sql: replacing(object),
      }
    case 'disabled':
      return {
        detail: `${named} is disabled`,
        remedy: object.kind === 'trigger' ? withSql : 'run this as a superuser',
        sql: enabling(object),
      }
  }
}

function missing(object: CatalogObject): Fault {
  const detail = `${nameOf(object)} is missing`
  if (object.kind === 'table')
    return { detail, remedy: 'its rows are gone with it: restore a backup with portico restore' }
  if (object.kind === 'column')
    return {
      detail,
      remedy:
        'its values are gone with it: restore a backup with portico restore, or run this, which makes it anew',
      sql: making(object),
    }
  return { detail, remedy: withSql, sql: making(object) }
}

function nameOf({ kind, table, name }: CatalogObject): string {
  if (kind === 'table' || kind === 'function') return `the ${kind} ${name}`
  if (kind === 'column') return `the column ${table}.${name}`
  return `the ${kind} ${name} on ${table}`
}

/** The statement that creates a missing object. */
function making({ kind, table, name, definition }: CatalogObject): string {
  if (kind === 'column') return `alter table ${table} add column ${name} ${definition};`
  if (kind === 'constraint' || kind === 'foreign key')
    return `alter table ${table} add constraint ${name} ${definition};`
  return definition.replace(/\s*;$/, ';')
}

/** The statement that replaces a different object. */
function replacing(object: CatalogObject): string {
  const { kind, table, name, definition } = object
  switch (kind) {
    case 'column':
      return alteringColumn(object)
    case 'constraint':
    case 'foreign key':
      return `alter table ${table} drop constraint ${name}, add constraint ${name} ${definition};`
    case 'index':
      return `drop index ${name}; ${making(object)}`
    case 'trigger':
      return `drop trigger ${name} on ${table}; ${making(object)}`
    default:
      return making(object)
  }
}

const columnParts =
  /^(?<type>.*?)(?<identity> generated always as identity)?(?: default (?<initial>.*?))?(?<filled> not null)?$/

function alteringColumn({ table, name, definition }: CatalogObject): string {
  const { type = '', identity, initial, filled } = columnParts.exec(definition)?.groups ?? {}
  const column = `alter column ${name}`
  const parts = [
    `${column} type ${type}`,
    ...(identity === undefined
      ? [initial === undefined ? `${column} drop default` : `${column} set default ${initial}`]
      : []),
    `${column} ${filled === undefined ? 'drop' : 'set'} not null`,
    ...(identity === undefined ? [] : [`${column} add${identity}`]),
  ]
  const sequence = `pg_get_serial_sequence('${table}', '${name}')`
  const setSequence =
    identity === undefined
      ? ''
      : ` select setval(${sequence}, coalesce((select max(${name}) from ${table}), 1));`
  return `alter table ${table} ${parts.join(', ')};${setSequence}`
}

/** Postgres enforces a foreign key by triggers of both tables. */
function enabling({ kind, table, name, definition }: CatalogObject): string {
  if (kind === 'trigger') return `alter table ${table} enable trigger ${name};`
  const parent = / REFERENCES (\w+)\(/.exec(definition)?.[1] ?? table
  return [...new Set([table, parent])].map((each) => `alter table ${each} enable trigger all;`).join(' ')
}

/** Times without a partition of log_events: a row of such a time is refused, and the sign-in with it. */
async function missingPartitions(db: QueryExecutorProvider): Promise<Finding[]> {
  const { rows } = await sql<{ since: string | null; until: string | null }>`
    with bounds as (
      select pg_get_expr(relpartbound, part.oid) as text
      from pg_inherits join pg_class part on part.oid = inhrelid
      where inhparent = to_regclass('log_events') and not inhdetachpending
    ), parts as (
      select coalesce(substring(text from 'FROM \\(''(.*)''\\) TO')::timestamptz, '-infinity') as since,
        coalesce(substring(text from ' TO \\(''(.*)''\\)')::timestamptz, 'infinity') as until
      from bounds
    ), gaps as (
      select coalesce(lag(until) over (order by since, until), '-infinity') as since, since as until
      from (select since, until from parts union all select 'infinity', 'infinity') ends
    ), months as (
      select since, until from gaps
      where since < until and (since = '-infinity' or until = 'infinity')
      union all
      select month, month + interval '1 month' from gaps
      cross join generate_series(since, until - interval '1 day', interval '1 month') month
      where since > '-infinity' and until < 'infinity' and since < until
    )
    select to_char(nullif(since, '-infinity') at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as since,
      to_char(nullif(until, 'infinity') at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as until
    from months where to_regclass('log_events') is not null order by months.since`.execute(db)
  return rows.map(({ since, until }) => ({
    check,
    ok: false,
    detail: `log_events has no partition for ${since === null ? 'the times' : `what is since ${since}`}${until === null ? '' : ` until ${until}`}`,
    remedy: withSql,
    sql: partitionsFor(since, until),
  }))
}

function partitionsFor(since: string | null, until: string | null): string {
  if (since === null && until === null) {
    const epoch = new Date(0).toISOString()
    return `${partitionsFor(null, epoch)} ${partitionsFor(epoch, null)}`
  }
  const name = since === null ? 'before' : until === null ? 'after' : since.slice(0, 7).replace('-', '_')
  const from = since === null ? 'minvalue' : `'${since}'`
  const to = until === null ? 'maxvalue' : `'${until}'`
  return `create table log_events_${name} partition of log_events for values from (${from}) to (${to});`
}

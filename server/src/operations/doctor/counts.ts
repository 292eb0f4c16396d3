import { sql, type RawBuilder } from 'kysely'
import { nilId } from '@portico/contract/fields'
import { migratedCatalog } from '../../platform/db/migrated-catalog.js'
import { countOf, type Finding, type Reader } from './finding.js'

const check = 'Counts'

/** Compares stored counters with the records: totals of lists, positions of events, ids of jobs. */
export async function examineCounts(reader: Reader): Promise<Finding[]> {
  const faults: Finding[] = []
  for (const table of countedTables) faults.push(...(await examineTotals(reader, table)))
  faults.push(...(await examineSequencers(reader)), ...(await examineJobIds(reader)))
  return faults.length > 0 ? faults : [{ check, ok: true, detail: 'as many as there are records' }]
}

/** The tables with the triggers of migration 0003. */
const countedTables = migratedCatalog
  .filter(({ kind, table, name }) => kind === 'trigger' && name === `${table}_count_insert`)
  .map(({ table }) => table)

function driftOf(table: string): string {
  const has = (column: string) =>
    migratedCatalog.some((each) => each.kind === 'column' && each.table === table && each.name === column)
  const organization = has('organization_id') ? `coalesce(organization_id, '${nilId}')` : `'${nilId}'::uuid`
  return `with counted as (
      select account_id, environment, organization_id, sum(delta) as total from record_counts
      where kind = '${table}' group by 1, 2, 3
    ), there as (
      select account_id, ${has('environment') ? 'environment' : `''`} as environment, ${organization} as organization_id,
        count(*) as total
      from ${table} where deleted_at is null group by 1, 2, 3
    ), drift as (
      select account_id, environment, organization_id,
        coalesce(there.total, 0) - coalesce(counted.total, 0) as delta
      from counted full join there using (account_id, environment, organization_id)
      where coalesce(there.total, 0) <> coalesce(counted.total, 0)
    )`
}

/** Totals and records are read in one statement, so that one statement can also correct them while both change. */
async function examineTotals({ db }: Reader, table: string): Promise<Finding[]> {
  const { rows } = await sql<{ totals: number; records: string; domain: string | null }>`
    ${sql.raw(driftOf(table))}
    select count(*)::integer as totals, sum(abs(delta)) as records,
      min(coalesce(organizations.domain, accounts.domain)) as domain
    from drift
    left join accounts on accounts.id = drift.account_id
    left join organizations on organizations.account_id = drift.account_id
      and organizations.id = drift.organization_id
    having count(*) > 0`.execute(db)
  return rows.map(({ totals, records, domain }) => ({
    check,
    ok: false,
    detail:
      `${countOf(totals, 'total')} of ${table} ${totals === 1 ? 'is' : 'are'} wrong, by ${records} records together` +
      (domain === null ? '' : `, that of ${domain} among them`),
    remedy: 'run this, while the service goes on',
    sql: `${oneLine(driftOf(table))} insert into record_counts (kind, account_id, environment, organization_id, delta) select '${table}', account_id, environment, organization_id, delta from drift;`,
  }))
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ')
}

/** The last position given to an event, by account and environment, where it is behind the existing positions. */
const laggingSequencers = `select accounts.id as account_id, stream.environment, last.position
  from accounts cross join unnest(array['production', 'sandbox']) stream (environment)
  cross join lateral (
    select position from event_positions
    where account_id = accounts.id and environment = stream.environment order by position desc limit 1
  ) last
  left join event_sequencers on event_sequencers.account_id = accounts.id
    and event_sequencers.environment = stream.environment
  where coalesce(last_position, 0) < last.position`

async function examineSequencers({ db }: Reader): Promise<Finding[]> {
  const { rows } = await sql<{ streams: number }>`
    select count(*)::integer as streams from (${sql.raw(laggingSequencers)}) lagging having count(*) > 0`.execute(
    db,
  )
  return rows.map(({ streams }) => ({
    check,
    ok: false,
    detail: `the last place of ${countOf(streams, 'stream')} of events is behind, so that no further event gets one`,
    remedy: 'run this, while the service goes on',
    sql:
      `insert into event_sequencers (account_id, environment, last_position) ${oneLine(laggingSequencers)} ` +
      'on conflict (account_id, environment) do update set last_position = greatest(event_sequencers.last_position, excluded.last_position);',
  }))
}

async function examineJobIds({ db }: Reader): Promise<Finding[]> {
  const sequence: RawBuilder<unknown> = sql`pg_get_serial_sequence('jobs', 'id')::regclass`
  const { rows: ids } = await sql<{ last: string | null }>`select max(id) as last from jobs`.execute(db)
  // By itself: in a cluster the server of the rows has a sequence of its own.
  const { rows } = await sql<{ last: string }>`
    select last from (select ${ids[0]?.last ?? null}::bigint as last) ids
    where coalesce(pg_sequence_last_value(${sequence}), 0) < last
      and has_sequence_privilege(${sequence}, 'select')`.execute(db)
  return rows.map(({ last }) => ({
    check,
    ok: false,
    detail: `jobs have ids up to ${last}, and the sequence of jobs.id would give some of them again`,
    remedy: 'run this, while the service goes on',
    sql: `select setval(pg_get_serial_sequence('jobs', 'id'), (select max(id) from jobs));`,
  }))
}

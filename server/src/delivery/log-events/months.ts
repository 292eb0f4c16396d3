import { sql, type Kysely, type QueryExecutorProvider, type Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import { seedColumns } from '../../platform/db/seed-statistics.js'
import { isLockTimeout } from '../../platform/db/violations.js'
import type { Deps } from '../deps.js'

// log_events has a partition per month (UTC), one for all times before the first of them and one for all after the last.

/** Months that are there before their first row: whoever makes them may be away, or refused the lock, for that long. */
const monthsAhead = 3

/**
 * Whoever writes a log event waits behind one who waits for the table. So this waits only so long, and comes again
 * later: behind a backup, which reads the table for minutes, everyone would stand otherwise.
 */
const lockTimeout = '1s'

/** Rows that are moved while others wait: about half a second's worth. */
const maxMoved = 50_000

/** A month, such as 2026-03. */
type Month = string

/** The months that have a partition, the oldest first, without a gap. */
export async function listLogEventMonths(db: QueryExecutorProvider): Promise<Month[]> {
  const { rows } = await sql<{ month: Month }>`
    select replace(substr(relname, length('log_events_') + 1), '_', '-') as month
    from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = 'log_events'::regclass and relname ~ '^log_events_\\d{4}_\\d\\d$'
    order by relname`.execute(db)
  return rows.map(({ month }) => month)
}

/**
 * Makes partitions for the current month and those ahead. Rows of times that have none are never refused: they are in
 * the partitions at the ends, and move into a month that is made for them.
 *
 * @returns Whether all are there; not while others use the table all the time, and then it wants another attempt.
 */
export async function makeLogEventMonths({ db, now }: Pick<Deps, 'db' | 'now'>): Promise<boolean> {
  const months = [monthOf(now())]
  while (months.length <= monthsAhead) months.push(next(months.at(-1) ?? ''))
  const there = await listLogEventMonths(db)
  if (months.every((month) => there.includes(month))) return true
  return withLogEvents(db, (trx) => addLogEventMonths(trx, months))
}

/** Makes these months and whatever is missing between them and those there are. The transaction has to hold the table. */
export async function addLogEventMonths(trx: QueryExecutorProvider, months: readonly Month[]): Promise<void> {
  const there = await listLogEventMonths(trx)
  const all = range([...there, ...months])
  const missing = all.filter((month) => !there.includes(month))
  const [first, last] = [all[0], all.at(-1)]
  if (first === undefined || last === undefined || missing.length === 0) return

  const isOpened = { before: first !== there[0], after: last !== there.at(-1) }
  const ends = (['before', 'after'] as const).filter((end) => isOpened[end])
  if (await hasTooMany(trx, ends)) return
  await sql`create temporary table moved (like log_events) on commit drop`.execute(trx)
  for (const end of ends) {
    await sql`insert into moved select * from ${partition(end)}`.execute(trx)
    await sql`drop table ${partition(end)}`.execute(trx)
  }
  for (const month of missing)
    await createPartition(trx, month, { from: startOf(month), to: startOf(next(month)) })
  if (isOpened.before) await createPartition(trx, 'before', { from: 'minvalue', to: startOf(first) })
  if (isOpened.after) await createPartition(trx, 'after', { from: startOf(next(last)), to: 'maxvalue' })
  await sql`insert into log_events overriding system value select * from moved`.execute(trx)
}

/**
 * Drops the months that ended before a moment, with what is older. Where others use the table all the time it does
 * nothing: whoever calls deletes the rows, and the empty months go another time.
 */
export async function dropLogEventMonths({ db }: Pick<Deps, 'db'>, before: Date): Promise<void> {
  const isOver = (month: Month) => next(month) <= monthOf(before)
  if (!(await listLogEventMonths(db)).some(isOver)) return
  await withLogEvents(db, async (trx) => {
    const months = await listLogEventMonths(trx)
    const last = months.findLast(isOver)
    if (last === undefined) return
    for (const month of months.filter(isOver)) await sql`drop table ${partition(month)}`.execute(trx)
    // All of its rows are older than the months that went.
    await sql`drop table ${partition('before')}`.execute(trx)
    await createPartition(trx, 'before', { from: 'minvalue', to: startOf(next(last)) })
  })
}

/** Does what needs the whole table in a transaction, and tells whether it could have it. */
async function withLogEvents(
  db: Kysely<DB>,
  work: (trx: Transaction<DB>) => Promise<void>,
): Promise<boolean> {
  try {
    await db.transaction().execute(async (trx) => {
      await sql`select set_config('lock_timeout', ${lockTimeout}, true)`.execute(trx)
      // The foreign key of a new partition needs it; who reads accounts, or refers to them, goes on. Always in this
      // order, so that two of these wait for each other in one place.
      await sql`lock table accounts in share row exclusive mode`.execute(trx)
      await sql`lock table log_events in access exclusive mode`.execute(trx)
      await work(trx)
    })
    return true
  } catch (error) {
    if (isLockTimeout(error)) return false
    throw error
  }
}

/** Rows without a month are few, or the service has run for a quarter without its jobs; then they stay where they are. */
async function hasTooMany(
  trx: QueryExecutorProvider,
  ends: readonly ('before' | 'after')[],
): Promise<boolean> {
  for (const end of ends) {
    const { rows } = await sql`select from ${partition(end)} offset ${maxMoved} limit 1`.execute(trx)
    if (rows.length > 0) return true
  }
  return false
}

async function createPartition(
  trx: QueryExecutorProvider,
  name: Month | 'before' | 'after',
  bounds: { readonly from: string; readonly to: string },
): Promise<void> {
  const created = partitionName(name)
  await sql`create table ${sql.table(created)} (like log_events including generated)`.execute(trx)
  await seedColumns(trx, created, ['account_id', 'environment', 'organization_id'])
  await sql`
    alter table log_events attach partition ${sql.table(created)}
    for values from (${sql.raw(bounds.from)}) to (${sql.raw(bounds.to)})`.execute(trx)
}

function partition(name: Month | 'before' | 'after') {
  return sql.table(partitionName(name))
}

function partitionName(name: Month | 'before' | 'after'): string {
  return `log_events_${name.replace('-', '_')}`
}

function monthOf(at: Date): Month {
  return at.toISOString().slice(0, 7)
}

function next(month: Month): Month {
  const [year = 0, number = 0] = month.split('-').map(Number)
  return monthOf(new Date(Date.UTC(year, number)))
}

/** The first moment of a month, as a bound. */
function startOf(month: Month): string {
  return `'${month}-01T00:00:00Z'`
}

/** Every month from the first to the last of these. */
function range(months: readonly Month[]): Month[] {
  const [first, last] = [months.toSorted()[0], months.toSorted().at(-1)]
  if (first === undefined || last === undefined) return []
  const all = [first]
  for (let month = first; month < last;) all.push((month = next(month)))
  return all
}

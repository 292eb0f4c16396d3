import { sql, type Kysely, type QueryExecutorProvider, type Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import { seedColumns } from '../../platform/db/seed-statistics.js'
import { isLockTimeout } from '../../platform/db/violations.js'
import type { Deps } from '../deps.js'

// log_events has a partition per month (UTC), one for all times before the first month and one for all after the last.

/** Months created in advance: the job that creates them may not run, or not get its lock, for that long. */
const monthsAhead = 3

/**
 * Writers of log events queue behind a transaction that waits for the table lock. The wait is therefore short, and the
 * job is retried: behind a backup, which reads the table for minutes, all writers would wait otherwise.
 */
const lockTimeout = '1s'

/** The most rows that are moved under the table lock: about half a second of work. */
const maxMoved = 50_000

/** A month, such as 2026-03. */
type Month = string

/** The months that have a partition, oldest first, without gaps. */
export async function listLogEventMonths(db: QueryExecutorProvider): Promise<Month[]> {
  const { rows } = await sql<{ month: Month }>`
    select replace(substr(relname, length('log_events_') + 1), '_', '-') as month
    from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = 'log_events'::regclass and relname ~ '^log_events_\\d{4}_\\d\\d$'
    order by relname`.execute(db)
  return rows.map(({ month }) => month)
}

/**
 * Creates the partitions of the current month and the months ahead. Rows of other times are never refused: the first and
 * the last partition take them, and they move when their month is created.
 *
 * @returns Whether all exist; false when the table could not be locked in time, so that the job must be retried.
 */
export async function makeLogEventMonths({ db, now }: Pick<Deps, 'db' | 'now'>): Promise<boolean> {
  const months = [monthOf(now())]
  while (months.length <= monthsAhead) months.push(next(months.at(-1) ?? ''))
  const existing = await listLogEventMonths(db)
  if (months.every((month) => existing.includes(month))) return true
  return withLogEvents(db, (trx) => addLogEventMonths(trx, months))
}

/** Creates these months and any gap to the existing ones. The transaction must have the table locked. */
export async function addLogEventMonths(trx: QueryExecutorProvider, months: readonly Month[]): Promise<void> {
  const existing = await listLogEventMonths(trx)
  const all = range([...existing, ...months])
  const missing = all.filter((month) => !existing.includes(month))
  const [first, last] = [all[0], all.at(-1)]
  if (first === undefined || last === undefined || missing.length === 0) return

  const isOpened = { before: first !== existing[0], after: last !== existing.at(-1) }
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
 * Drops the months that ended before a moment, and all older rows. Does nothing when the table cannot be locked in time:
 * the caller deletes the rows, and a later run drops the empty months.
 */
export async function dropLogEventMonths({ db }: Pick<Deps, 'db'>, before: Date): Promise<void> {
  const isOver = (month: Month) => next(month) <= monthOf(before)
  if (!(await listLogEventMonths(db)).some(isOver)) return
  await withLogEvents(db, async (trx) => {
    const months = await listLogEventMonths(trx)
    const last = months.findLast(isOver)
    if (last === undefined) return
    for (const month of months.filter(isOver)) await sql`drop table ${partition(month)}`.execute(trx)
    // All of its rows are older than the dropped months.
    await sql`drop table ${partition('before')}`.execute(trx)
    await createPartition(trx, 'before', { from: 'minvalue', to: startOf(next(last)) })
  })
}

/** Runs work in a transaction that locks the whole table. @returns Whether the lock was acquired. */
async function withLogEvents(
  db: Kysely<DB>,
  work: (trx: Transaction<DB>) => Promise<void>,
): Promise<boolean> {
  try {
    await db.transaction().execute(async (trx) => {
      await sql`select set_config('lock_timeout', ${lockTimeout}, true)`.execute(trx)
      // The foreign key of a new partition needs this lock; reads of accounts, and references to them, continue. The fixed
      // order prevents a deadlock of two such transactions.
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

/** Whether too many rows have no month, as after a quarter without jobs; they then stay in their partition. */
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

import type { User } from '@portico/contract/users'
import { sql, type Kysely, type RawBuilder, type Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import { listTables, type Table } from '../../platform/db/tables.js'
import type { Deps } from '../../delivery/deps.js'
import { getKeptUser } from '../../directory/users/users.js'
import { dependentTablesOf, isDependentRow } from './belongings.js'
import { findPerson, type PersonQuery } from './find-person.js'
import { carriesAddress, addressesOfPersons } from './addresses-of-persons.js'
import { isFailureNaming, isMailTo } from './mail-jobs.js'
import { namesUser, personalTablesIn, type Persons } from './traces.js'

/** All stored data of one person, without secrets and the service's own. */
export interface UserExport {
  readonly __type__: 'UserExport'
  readonly made_at: string
  readonly account: string
  readonly environment: string
  readonly organization: string
  readonly user: User & { readonly deleted_at: string | null }
  /** Every other row that names the user, or carries an address while it was theirs, or belongs to such a row, by table. */
  readonly records: Readonly<Record<string, readonly object[]>>
}

/**
 * Gathers all stored data of one person as of one moment, also of a deleted one who is not erased yet.
 *
 * @param onTables Called with the number of tables that were read.
 * @throws Error a sentence when there is no such user, or several have had the address.
 */
export async function exportUser(
  deps: Pick<Deps, 'db' | 'now'>,
  query: PersonQuery,
  onTables: (done: number, total: number) => void,
): Promise<UserExport> {
  const { account, environment, organization } = query
  return asOfOneMoment(deps, async (trx) => {
    const { persons, id } = await findPerson({ db: trx }, query)
    const key = { accountId: persons.account_id, organizationId: persons.organization_id }
    const { user, deletedAt } = await getKeptUser(trx, { ...key, environment, domain: organization }, id)
    const records = await gatherRecords(trx, persons, onTables)
    return {
      __type__: 'UserExport',
      made_at: deps.now().toISOString(),
      account,
      environment,
      organization,
      user: { ...user, deleted_at: deletedAt?.toISOString() ?? null },
      records,
    }
  })
}

/** Runs reads of one moment. */
export function asOfOneMoment<Result>(
  { db }: Pick<Deps, 'db'>,
  read: (trx: Transaction<DB>) => Promise<Result>,
): Promise<Result> {
  const isolated = db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only')
  return isolated.execute(async (trx) => {
    // Postgres writes the times of the rows.
    await sql`set local timezone = 'UTC'`.execute(trx)
    return read(trx)
  })
}

/** The rows of UserExport. */
export async function gatherRecords(
  trx: Transaction<DB>,
  persons: Persons,
  onTables: (done: number, total: number) => void,
): Promise<UserExport['records']> {
  const addresses = await addressesOfPersons(trx, persons)
  const tables = await listTables(trx)
  const traces = personalTablesIn(tables)
  const belongings = await dependentTablesOf(trx, tables, ['users', ...traces.map(({ table }) => table.name)])
  const total = traces.length + belongings.length
  const theirs = new Map<string, RawBuilder<unknown>>()
  const records: Record<string, readonly object[]> = {}
  const read = async (table: Table, isTheirs: RawBuilder<unknown>) => {
    theirs.set(table.name, isTheirs)
    records[table.name] = await readRows(trx, table, isTheirs)
  }
  for (const [done, trace] of traces.entries()) {
    onTables(done, total)
    const conditions = [namesUser(trace, persons), carriesAddress(trace, persons, addresses)]
    const known = conditions.flatMap((condition) => (condition === undefined ? [] : [sql`(${condition})`]))
    if (known.length > 0) await read(trace.table, sql.join(known, sql` or `))
  }
  for (const [done, belonging] of belongings.entries()) {
    onTables(traces.length + done, total)
    const ownersRows = theirs.get(belonging.owner)
    if (ownersRows !== undefined) await read(belonging.table, isDependentRow(belonging, ownersRows))
  }
  const { rows: jobs } = await sql<object>`
      select name, payload, attempt, last_error, inserted_at from jobs
      where (${isMailTo(persons, addresses)}) or (${isFailureNaming(persons, addresses)}) order by id`.execute(
    trx,
  )
  return withoutLinks({ ...records, ...withoutCodes(records), jobs })
}

async function readRows(trx: Kysely<DB>, table: Table, condition: RawBuilder<unknown>): Promise<object[]> {
  const columns = exportedColumns(table).map((column) => sql.ref(column))
  // Rows of one transaction have one time, with the id as tie-breaker.
  const order = ['inserted_at', 'issued_at', 'started_at', 'id']
    .filter((column) => table.columns.includes(column))
    .map((column) => sql.ref(column))
  const { rows } = await sql<{ row: object }>`
    select to_jsonb(part) as row from (
      select ${sql.join(columns)} from ${sql.table(table.name)}
      where ${condition} ${order.length === 0 ? sql`` : sql`order by ${sql.join(order)}`}
    ) part`.execute(trx)
  return rows.map(({ row }) => row)
}

/** The exported columns: no hashes, no sealed values, and no columns that only the service's own work needs. */
export function exportedColumns({ columns, binaryColumns }: Table): string[] {
  const own = ['account_id', 'email_normalized', 'lease', 'lease_until', 'position']
  return columns.filter((column) => ![...binaryColumns, ...own].includes(column) && !isSecret(column))
}

/** A secret that is kept as text, by its name. */
function isSecret(column: string): boolean {
  return /(^|_)(hash|secret|token|sealed|password|pepper|recovery)/.test(column)
}

/** Codes in stored text messages stay valid for some minutes. */
function withoutCodes({
  outbox_messages: messages = [],
}: Record<string, readonly object[]>): Record<string, readonly object[]> {
  const shown = messages.map((message) => {
    const isText = 'channel' in message && message.channel === 'sms' && 'text' in message
    return isText ? { ...message, text: String(message.text).replace(/\d{6}/, 'removed') } : message
  })
  return shown.length === 0 ? {} : { outbox_messages: shown }
}

/** Links in stored mails can be used to sign in for some minutes. */
function withoutLinks<Value>(value: Value): Value {
  const text = JSON.stringify(value).replace(/([?&;]token=)[\w-]+/g, '$1removed')
  // Equal but for characters inside of its texts.
  return JSON.parse(text) as Value
}

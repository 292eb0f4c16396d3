import { sql, type Kysely, type RawBuilder } from 'kysely'
import { listTables, type Table } from '../db/tables.js'
import type { DB } from '../db/schema.js'
import type { Deps } from '../deps.js'

/** How many records are erased together, and how many rows under them in one statement. */
const recordBatch = 500
const rowBatch = 5_000

export interface PurgeSummary {
  readonly users: number
  readonly applications: number
  readonly organizations: number
  /** Rows that were erased with them, by table. */
  readonly rows: Readonly<Record<string, number>>
}

/**
 * Erases what was deleted before a moment, with everything that belongs to it: metadata, identities, sessions, codes,
 * challenges, relays, events and answers that carry its data. Domains stay taken. What is done stays done when it is interrupted.
 *
 * @param onErased Is told how many records are gone.
 */
export async function purgeDeleted(
  { db }: Pick<Deps, 'db'>,
  before: Date,
  onErased: (done: number, total: number) => void,
): Promise<PurgeSummary> {
  const erased: Record<string, number> = {}
  const tables = (await listTables(db)).toReversed()
  const total = await countDeleted(db, before)
  let done = 0
  const records = { users: 0, applications: 0, organizations: 0 }
  // Users first: what an organization leaves behind is then little.
  for (const kind of ['users', 'applications', 'organizations'] as const) {
    for (;;) {
      const found = await findDeleted(db, kind, before)
      if (found.length === 0) break
      for (const record of groupByScope(found)) await eraseUnder(db, tables, kind, record, erased)
      records[kind] += found.length
      onErased((done += found.length), total)
    }
  }
  return { ...records, rows: erased }
}

type Kind = 'users' | 'applications' | 'organizations'

interface Deleted {
  readonly account_id: string
  readonly environment: string | null
  readonly organization_id: string | null
  readonly id: string
}

/** Deleted records of one account, environment and organization. */
interface Group {
  readonly scope: Omit<Deleted, 'id'>
  readonly records: readonly Deleted[]
}

async function countDeleted(db: Kysely<DB>, before: Date): Promise<number> {
  const { rows } = await sql<{ count: string }>`
    select (select count(*) from users where deleted_at < ${before})
      + (select count(*) from applications where deleted_at < ${before})
      + (select count(*) from organizations where deleted_at < ${before}) as count`.execute(db)
  return Number(rows[0]?.count ?? 0)
}

async function findDeleted(db: Kysely<DB>, kind: Kind, before: Date): Promise<Deleted[]> {
  const scope = {
    users: sql`environment, organization_id`,
    applications: sql`environment, null as organization_id`,
    organizations: sql`null as environment, null as organization_id`,
  }
  const { rows } = await sql<Deleted>`
    select account_id, id, ${scope[kind]} from ${sql.table(kind)}
    where deleted_at < ${before} order by deleted_at, id limit ${recordBatch}`.execute(db)
  return rows
}

function groupByScope(found: readonly Deleted[]): Group[] {
  const groups = new Map<string, { scope: Group['scope']; records: Deleted[] }>()
  for (const record of found) {
    const { account_id, environment, organization_id } = record
    const key = [account_id, environment, organization_id].join(' ')
    const group = groups.get(key) ?? { scope: { account_id, environment, organization_id }, records: [] }
    groups.set(key, group)
    group.records.push(record)
  }
  return [...groups.values()]
}

/** The column by which other tables name a record of a kind. */
const referringColumn = { users: 'user_id', applications: 'application_id', organizations: 'organization_id' }

/** Erases records and what is under them, children first, so that an interruption leaves nothing without its parent. */
async function eraseUnder(
  db: Kysely<DB>,
  childrenFirst: readonly Table[],
  kind: Kind,
  { scope, records }: Group,
  erased: Record<string, number>,
): Promise<void> {
  const ids = records.map((record) => record.id)
  const inScope = (columns: readonly string[]) =>
    sql.join(
      Object.entries(scope).flatMap(([column, value]) =>
        value !== null && columns.includes(column) ? [sql`${sql.ref(column)} = ${value}`] : [],
      ),
      sql` and `,
    )
  const erase = async (table: string, condition: RawBuilder<unknown>) => {
    const count = await eraseRows(db, table, condition)
    if (count > 0) erased[table] = (erased[table] ?? 0) + count
  }

  if (kind === 'users') await eraseTraces(db, { scope, records }, erase)
  for (const { name, columns } of childrenFirst) {
    const reference = referringColumn[kind]
    const isUnder = columns.includes(reference) && columns.includes('account_id')
    if (name === kind || name === 'record_counts' || !isUnder) continue
    await erase(name, sql`${inScope(columns)} and ${sql.ref(reference)} = any(${ids}::uuid[])`)
  }
  const owner = childrenFirst.find(({ name }) => name === kind)
  await erase(kind, sql`${inScope(owner?.columns ?? [])} and id = any(${ids}::uuid[])`)
  // Last, because each erased row that was counted has added to them.
  if (kind === 'organizations')
    await eraseRows(
      db,
      'record_counts',
      sql`${inScope(['account_id'])} and organization_id = any(${ids}::uuid[])`,
    )
}

/** What tells of a user without referring to the row: events, answers to repeat, links and mails sent, and log lines. */
async function eraseTraces(
  db: Kysely<DB>,
  group: Group,
  erase: (table: string, condition: RawBuilder<unknown>) => Promise<void>,
): Promise<void> {
  const { scope, records } = group
  const ids = records.map((record) => record.id)
  const inEnvironment = sql`account_id = ${scope.account_id} and environment = ${scope.environment}`
  const inOrganization = sql`${inEnvironment} and organization_id = ${scope.organization_id}`
  // Before what tells which addresses the users have had.
  await eraseByAddress(db, group, erase)
  await erase('events', sql`${inEnvironment} and subject_id = any(${ids}::uuid[])`)
  await erase('idempotency_keys', sql`${inEnvironment} and subject_id = any(${ids}::uuid[])`)
  await sql`
    update log_events set email = null, email_normalized = null
    where ${inOrganization} and resource_owner_id = any(${ids}::uuid[]) and email is not null`.execute(db)
}

/** What carries an address of the users and names none of them, such as the link by which one has signed up. */
async function eraseByAddress(
  db: Kysely<DB>,
  { scope, records }: Group,
  erase: (table: string, condition: RawBuilder<unknown>) => Promise<void>,
): Promise<void> {
  const inEnvironment = sql`account_id = ${scope.account_id} and environment = ${scope.environment}`
  const inOrganization = sql`${inEnvironment} and organization_id = ${scope.organization_id}`
  const ids = sql`${records.map((record) => record.id)}::uuid[]`
  const { rows: addresses } = await sql<{ email: string; until: string }>`
    with addresses as (
      select email_normalized as email from users where ${inOrganization} and id = any(${ids})
      union
      select email_normalized from events
      where ${inEnvironment} and subject_id = any(${ids}) and email_normalized is not null
      union
      select email_normalized from log_events
      where ${inOrganization} and resource_owner_id = any(${ids}) and email_normalized is not null
    ), ends as (
      -- Where the address belongs to another user by now, what is later is that user's.
      select email, case
        when exists (
          select from users where ${inOrganization} and email_normalized = email and deleted_at is null
        ) then (
          select max(deleted_at) from users
          where ${inOrganization} and id = any(${ids}) and email_normalized = email
        )
        else 'infinity'
      end as until
      from addresses
    )
    select email, until::text from ends where until is not null`.execute(db)
  if (addresses.length === 0) return

  const emails = sql`${addresses.map(({ email }) => email)}::text[]`
  const ends = sql`${addresses.map(({ until }) => until)}::timestamptz[]`
  const isGone = (time: string) => sql`${inOrganization} and email_normalized = any(${emails}) and exists (
    select from unnest(${emails}, ${ends}) as gone (email, until)
    where gone.email = email_normalized and ${sql.ref(time)} <= gone.until
  )`
  await erase('magic_link_challenges', isGone('inserted_at'))
  await erase('outbox_messages', isGone('inserted_at'))
  await erase('events', sql`subject_id is null and ${isGone('issued_at')}`)
  await sql`
    update log_events set email = null, email_normalized = null
    where resource_owner_id is null and ${isGone('inserted_at')}`.execute(db)
  // A mail server that refuses a mail names the recipient.
  await sql`
    update jobs set last_error = null
    where account_id = ${scope.account_id}
      and payload->>'environment' = ${scope.environment}
      and payload->>'organizationId' = ${scope.organization_id}
      and exists (select from unnest(${emails}) as email where strpos(lower(last_error), email) > 0)`.execute(
    db,
  )
}

async function eraseRows(db: Kysely<DB>, table: string, condition: RawBuilder<unknown>): Promise<number> {
  for (let total = 0; ;) {
    // The condition stands with the places because a place is one row's within a partition, and other rows' in others.
    const { numAffectedRows = 0n } = await sql`
      delete from ${sql.table(table)} where ${condition} and ctid = any(array(
        select ctid from ${sql.table(table)} where ${condition} limit ${rowBatch}
      ))`.execute(db)
    total += Number(numAffectedRows)
    if (numAffectedRows < rowBatch) return total
  }
}

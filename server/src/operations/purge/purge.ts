import { randomUUID } from 'node:crypto'
import { sql, type Kysely } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import { listTables, type Table } from '../../platform/db/tables.js'
import type { Deps } from '../../delivery/deps.js'
import { causeBy, type Cause } from '../../platform/tenant.js'
import { erasePersons, eraseRows, type OnRows } from './erase.js'

/** How many records are erased together. */
const recordBatch = 500
const dayMs = 86_400_000

interface PurgeSummary {
  readonly users: number
  readonly applications: number
  readonly organizations: number
  /** Rows that were erased with them, by table. */
  readonly rows: Readonly<Record<string, number>>
}

/** Erases records that were deleted longer ago than the configured retention. */
export async function eraseDeleted(deps: Pick<Deps, 'config' | 'db' | 'keys' | 'now'>): Promise<void> {
  const cause = causeBy(randomUUID(), 'system', 'purge')
  const before = new Date(deps.now().getTime() - deps.config.deletedRetentionDays * dayMs)
  await purgeDeleted(deps, cause, { before, onErased: () => undefined })
}

/**
 * Erases records deleted before a moment, with all that belongs to them: metadata, identities, sessions, codes,
 * challenges, relays, events and answers with their data. Domains stay taken. An interruption keeps finished batches.
 *
 * @param options.onErased Called with the number of erased records.
 */
export async function purgeDeleted(
  deps: Pick<Deps, 'db' | 'keys' | 'now'>,
  cause: Cause,
  { before, onErased }: { before: Date; onErased: (done: number, total: number) => void },
): Promise<PurgeSummary> {
  const { db } = deps
  const rows: Record<string, number> = {}
  const onRows: OnRows = (table, count) => (rows[table] = (rows[table] ?? 0) + count)
  const childrenFirst = (await listTables(db)).toReversed()
  const total = await countDeleted(db, before)
  let done = 0
  const records = { users: 0, applications: 0, organizations: 0 }
  // Users first, so that little is left of an organization.
  for (const kind of ['users', 'applications', 'organizations'] as const) {
    for (;;) {
      const found = await findDeleted(db, kind, before)
      if (found.length === 0) break
      for (const { environment, organization_id, ...group } of groupByScope(found)) {
        const { account_id, ids } = group
        if (environment !== null && organization_id !== null)
          await erasePersons(
            deps,
            cause,
            childrenFirst,
            { account_id, environment, organization_id, ids },
            onRows,
          )
        else if (environment !== null)
          await eraseApplications(db, childrenFirst, { account_id, environment, ids }, onRows)
        else await eraseOrganizations(deps, cause, childrenFirst, { account_id, ids }, onRows)
      }
      records[kind] += found.length
      onErased((done += found.length), total)
    }
  }
  return { ...records, rows }
}

type Kind = 'users' | 'applications' | 'organizations'

interface Deleted {
  readonly account_id: string
  /** Null for organizations. */
  readonly environment: string | null
  /** Null for all but users. */
  readonly organization_id: string | null
  readonly id: string
}

/** Deleted records of one account, environment and organization. */
interface Group extends Omit<Deleted, 'id'> {
  readonly ids: readonly string[]
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
  const groups = new Map<string, Group & { ids: string[] }>()
  for (const { id, ...scope } of found) {
    const key = [scope.account_id, scope.environment, scope.organization_id].join(' ')
    const group = groups.get(key) ?? { ...scope, ids: [] }
    groups.set(key, group)
    group.ids.push(id)
  }
  return [...groups.values()]
}

/** Erases applications and what is under them, children first, so that an interruption leaves nothing without its parent. */
async function eraseApplications(
  db: Kysely<DB>,
  childrenFirst: readonly Table[],
  { account_id, environment, ids }: { account_id: string; environment: string; ids: readonly string[] },
  onRows: OnRows,
): Promise<void> {
  const inEnvironment = sql`account_id = ${account_id} and environment = ${environment}`
  for (const { name, columns } of childrenFirst) {
    if (!['account_id', 'environment', 'application_id'].every((column) => columns.includes(column))) continue
    await eraseRows(db, name, sql`${inEnvironment} and application_id = any(${ids}::uuid[])`, onRows)
  }
  await eraseRows(db, 'applications', sql`${inEnvironment} and id = any(${ids}::uuid[])`, onRows)
}

/** Erases organizations: their users, each with an event, then what else is under them, children first. */
async function eraseOrganizations(
  deps: Pick<Deps, 'db' | 'keys' | 'now'>,
  cause: Cause,
  childrenFirst: readonly Table[],
  { account_id, ids }: { account_id: string; ids: readonly string[] },
  onRows: OnRows,
): Promise<void> {
  const { db } = deps
  for (;;) {
    const { rows: users } = await sql<Deleted>`
      select account_id, environment, organization_id, id from users
      where account_id = ${account_id} and organization_id = any(${ids}::uuid[]) limit ${recordBatch}`.execute(
      db,
    )
    if (users.length === 0) break
    for (const { environment, organization_id, ...group } of groupByScope(users))
      if (environment !== null && organization_id !== null)
        await erasePersons(deps, cause, childrenFirst, { ...group, environment, organization_id }, onRows)
  }
  await sql`
    delete from jobs
    where account_id = ${account_id} and payload->>'organizationId' = any(${ids}::text[])`.execute(db)

  const isUnder = sql`account_id = ${account_id} and organization_id = any(${ids}::uuid[])`
  for (const { name, columns } of childrenFirst) {
    const isOwned = columns.includes('organization_id') && columns.includes('account_id')
    if (isOwned && name !== 'record_counts') await eraseRows(db, name, isUnder, onRows)
  }
  await eraseRows(db, 'organizations', sql`account_id = ${account_id} and id = any(${ids}::uuid[])`, onRows)
  // Last, because each erased row that was counted adds to them.
  await eraseRows(db, 'record_counts', isUnder, () => undefined)
}

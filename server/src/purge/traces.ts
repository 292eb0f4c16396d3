import { sql, type Kysely, type RawBuilder } from 'kysely'
import type { DB } from '../db/schema.js'
import type { Table } from '../db/tables.js'

/** Users of one organization and environment. */
export interface Persons {
  readonly account_id: string
  readonly environment: string
  readonly organization_id: string
  readonly ids: readonly string[]
}

/** A table whose rows tell of persons, beside the users themselves. */
export interface Trace {
  readonly table: Table
  /** The column with the user's id. Where it is null, or there is none, the address tells whose a row is. */
  readonly user: (typeof userColumns)[number] | undefined
  /** When a row was written, where it may carry an address, in email_normalized. */
  readonly writtenAt: (typeof timeColumns)[number] | undefined
}

const userColumns = ['user_id', 'subject_id', 'resource_owner_id'] as const
const timeColumns = ['inserted_at', 'issued_at'] as const

/**
 * Tables that tell of nobody, or whose rows go with those of another by a foreign key. Every other one is exported and
 * erased by the names of its columns; a test fails for a table that is neither.
 */
export const tablesWithoutPersons: readonly (keyof DB)[] = [
  'accounts',
  'api_keys',
  'applications',
  'event_horizons',
  'event_sequencer',
  // Their payloads are ids; mail-jobs.ts knows what else they may hold.
  'jobs',
  'magic_link_connections',
  'master_key_canary',
  'meta_keys',
  'organizations',
  'record_counts',
  'relays',
  'signing_keys',
  'slugs',
  'webhooks',
  // Gone with their events.
  'webhook_attempts',
  'webhook_deliveries',
]

/** The tables that tell of persons, in the order given. */
export function tracesIn(tables: readonly Table[]): Trace[] {
  return tables
    .filter(({ name }) => name !== 'users')
    .map((table) => ({
      table,
      user: userColumns.find((column) => table.columns.includes(column)),
      writtenAt: table.columns.includes('email_normalized')
        ? timeColumns.find((column) => table.columns.includes(column))
        : undefined,
    }))
    .filter(({ user, writtenAt }) => user !== undefined || writtenAt !== undefined)
}

/** An address, and from when to when it was theirs. */
export interface HeldAddress {
  readonly email: string
  readonly since: string
  readonly until: string
}

/**
 * The addresses that these users have or had, as far as anything still tells. What was written when nobody had the
 * address is counted as theirs, such as the link by which one has signed up; what was written when somebody else had
 * it is not.
 */
export async function heldAddresses(db: Kysely<DB>, persons: Persons): Promise<HeldAddress[]> {
  const ids = sql`${persons.ids}::uuid[]`
  const inEnvironment = sql`account_id = ${persons.account_id} and environment = ${persons.environment}`
  const inOrganization = sql`${inEnvironment} and organization_id = ${persons.organization_id}`
  const { rows } = await sql<HeldAddress>`
    with seen as (
      select email_normalized as email, coalesce(deleted_at, 'infinity') as at
      from users where ${inOrganization} and id = any(${ids})
      union all
      select email_normalized, issued_at from events
      where ${inEnvironment} and subject_id = any(${ids}) and email_normalized is not null
      union all
      select email_normalized, inserted_at from log_events
      where ${inOrganization} and resource_owner_id = any(${ids}) and email_normalized is not null
    ), held as (
      select email, max(at) as last from seen group by email
    ), others as (
      select held.email, deleted_at from held join users on ${inOrganization} and email_normalized = held.email
      where deleted_at is null and not (id = any(${ids}))
      union all
      select held.email, deleted_at from held join users on ${inOrganization} and email_normalized = held.email
      where deleted_at is not null and not (id = any(${ids}))
    )
    select
      email,
      coalesce((
        select max(deleted_at) from others where others.email = held.email and deleted_at <= last
      ), '-infinity')::text as since,
      (case when exists (
        select from others where others.email = held.email and coalesce(deleted_at, 'infinity') > last
      ) then last else 'infinity' end)::text as until
    from held`.execute(db)
  return rows
}

/** The rows of a table that name these users; undefined where it names none. */
export function namesUser(
  { table, user }: Trace,
  { ids, ...scope }: Persons,
): RawBuilder<boolean> | undefined {
  if (user === undefined) return undefined
  // What a user owns has the organization in its key; what merely tells of one may be of the account.
  const { organization_id: _organization, ...environment } = scope
  const known = Object.entries(user === 'user_id' ? scope : environment)
  const conditions = known
    .filter(([column]) => table.columns.includes(column))
    .map(([column, value]) => sql`${sql.ref(column)} = ${value}`)
  return sql`${sql.join([...conditions, sql`${sql.ref(user)} = any(${ids}::uuid[])`], sql` and `)}`
}

/** The rows of a table that name nobody and carry an address while it was theirs; undefined where none can. */
export function carriesAddress(
  { user, writtenAt }: Pick<Trace, 'user' | 'writtenAt'>,
  persons: Persons,
  addresses: readonly HeldAddress[],
): RawBuilder<boolean> | undefined {
  if (writtenAt === undefined || addresses.length === 0) return undefined
  const emails = sql`${addresses.map(({ email }) => email)}::text[]`
  const starts = sql`${addresses.map(({ since }) => since)}::timestamptz[]`
  const ends = sql`${addresses.map(({ until }) => until)}::timestamptz[]`
  return sql`account_id = ${persons.account_id}
    and environment = ${persons.environment}
    and organization_id = ${persons.organization_id}
    and email_normalized = any(${emails})
    and ${user === undefined ? sql`true` : sql`${sql.ref(user)} is null`}
    and exists (
      select from unnest(${emails}, ${starts}, ${ends}) as held (email, since, until)
      where held.email = email_normalized
        and ${sql.ref(writtenAt)} > held.since and ${sql.ref(writtenAt)} <= held.until
    )`
}

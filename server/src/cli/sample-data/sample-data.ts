import type { Environment } from '@portico/contract/fields'
import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { Account } from '../../operations/accounts/accounts.js'
import type { Deps } from '../../delivery/deps.js'
import { numberAllEvents } from '../../delivery/events/number-events.js'
import { createOrganization } from '../../directory/organizations/organizations.js'
import { operatorCaller, type Cause } from '../../platform/tenant.js'
import { normalizeEmail } from '../../platform/email.js'
import { companyName, personOf } from './people.js'

export interface SampleSize {
  readonly account: Account
  readonly environment: Environment
  readonly organizations: number
  readonly users: number
  /** One organization gets 30 % of the users, one 10 %, the others the same each. */
  readonly isSkewed: boolean
}

interface SampleSummary {
  readonly organizations: number
  readonly users: number
  /** The largest ones first, at most five. */
  readonly largest: readonly { readonly domain: string; readonly users: number }[]
}

const batchSize = 2_500
/** Statements under way at once: the database, not the making of the rows, is what takes the time. */
const lanes = 4
const yearMs = 365 * 24 * 60 * 60 * 1000

/**
 * Fills an account with made-up organizations and users that joined over the last year, always the same ones for the
 * same numbers. Users are inserted in bulk and without events, so that no webhook hears of them.
 *
 * @throws ApiError `plan_limit_reached`
 */
export async function createSampleData(
  deps: Deps,
  size: SampleSize,
  cause: Cause,
  onProgress: (done: number, total: number) => void,
): Promise<SampleSummary> {
  const shares = sharesOf(size)
  const total = size.organizations + size.users
  const end = deps.now().getTime()
  let done = 0
  const made: { id: string; domain: string; users: number; foundedMs: number }[] = []
  for (const [number, users] of shares.entries()) {
    const foundedMs = end - yearMs + Math.floor((yearMs / 2 / size.organizations) * number)
    const { record } = await createOrganization(
      { ...deps, now: () => new Date(foundedMs) },
      operatorCaller(size.account, size.environment, cause),
      { name: companyName(number) },
    )
    made.push({ id: record.id, domain: record.domain, users, foundedMs })
    onProgress((done += 1), total)
  }

  const batches = made.flatMap((organization) =>
    Array.from({ length: Math.ceil(organization.users / batchSize) }, (_, index) => ({
      organization,
      first: index * batchSize,
      count: Math.min(batchSize, organization.users - index * batchSize),
      untilMs: end,
    })),
  )
  const queue = batches.values()
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      for (const batch of queue) {
        await insertUsers(deps, size, batch)
        onProgress((done += batch.count), total)
      }
    }),
  )
  // Their events are as old as they are, and must not seem to have waited for so long.
  await numberAllEvents(deps.db)
  for (const table of ['users', 'organizations', 'slugs', 'signing_keys', 'record_counts'])
    await sql`analyze ${sql.table(table)}`.execute(deps.db)
  const largest = made
    .toSorted((a, b) => b.users - a.users)
    .slice(0, 5)
    .map(({ domain, users }) => ({ domain, users }))
  return { organizations: made.length, users: size.users, largest }
}

/** How many users each organization gets; all of them are given out. */
function sharesOf({
  organizations,
  users,
  isSkewed,
}: Pick<SampleSize, 'organizations' | 'users' | 'isSkewed'>): number[] {
  const large = isSkewed && organizations > 2 ? [Math.round(users * 0.3), Math.round(users * 0.1)] : []
  const rest = users - large.reduce((sum, count) => sum + count, 0)
  const others = organizations - large.length
  const equal = Array.from(
    { length: others },
    (_, index) => Math.floor(rest / others) + (index < rest % others ? 1 : 0),
  )
  return [...large, ...equal]
}

interface Batch {
  readonly organization: { id: string; domain: string; users: number; foundedMs: number }
  readonly first: number
  readonly count: number
  readonly untilMs: number
}

async function insertUsers({ db }: Pick<Deps, 'db'>, size: SampleSize, batch: Batch): Promise<void> {
  const { organization, first, count, untilMs } = batch
  const stepMs = (untilMs - organization.foundedMs) / (organization.users + 1)
  const rows = Array.from({ length: count }, (_, index) => {
    const number = first + index
    const joinedMs = Math.floor(organization.foundedMs + stepMs * (number + 1))
    return { id: uuidv7({ msecs: joinedMs }), joinedMs, ...personOf(organization.domain, number) }
  })
  await sql`
    insert into users (
      account_id, environment, organization_id, id, active, email, email_normalized, email_verified,
      phone_numbers, profile, address, avatar_hexa_color, inserted_at, updated_at
    )
    select ${size.account.id}, ${size.environment}, ${organization.id}, id, active, email, email_normalized, verified,
      phone_numbers, profile, address, color, joined_at, joined_at
    from unnest(
      ${rows.map((row) => row.id)}::uuid[],
      ${rows.map((row) => row.isActive)}::boolean[],
      ${rows.map((row) => row.email)}::text[],
      ${rows.map((row) => normalizeEmail(row.email))}::text[],
      ${rows.map((row) => row.isVerified)}::boolean[],
      ${rows.map((row) => row.phoneNumbers)}::jsonb[],
      ${rows.map((row) => row.profile)}::jsonb[],
      ${rows.map((row) => row.address)}::jsonb[],
      ${rows.map((row) => row.color)}::text[],
      ${rows.map((row) => new Date(row.joinedMs).toISOString())}::timestamptz[]
    ) as person (
      id, active, email, email_normalized, verified, phone_numbers, profile, address, color, joined_at
    )`.execute(db)
}

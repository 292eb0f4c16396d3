import type { Statistics, StatisticsQuery } from '@portico/contract/health'
import { sql, type Kysely } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import { ofEnvironment } from '../../platform/db/tenant-predicate.js'
import { accountSignInSteps, signInSteps } from '../../platform/observability/sign-in-steps.js'
import type { Caller } from '../../platform/tenant.js'
import type { Deps } from '../../delivery/deps.js'

const dayMs = 24 * 60 * 60 * 1000

/** Neither of them is a first step: a second factor follows one, and a whole sign-in ends with it. */
const laterMethods = ['totp', 'sign_in']

/** Codes that say that a first step proved who somebody is, once for each sign-in. */
const passedCodes: ReadonlySet<string> = new Set([
  ...[...signInSteps].flatMap(([code, { method, outcome }]) =>
    outcome === 'success' && !laterMethods.includes(method) ? [code] : [],
  ),
  ...[...accountSignInSteps].flatMap(([code, { outcome }]) => (outcome === 'success' ? [code] : [])),
])

const failedCodes: ReadonlySet<string> = new Set(
  [...signInSteps].flatMap(([code, { outcome }]) => (outcome === 'failed' ? [code] : [])),
)

interface DayCount {
  readonly day: string
  readonly code: string
  readonly n: number
}

/** How many sign-ins of the caller's account and environment passed and failed, as countLogEvents() has counted them. */
export async function getStatistics(
  { readDb, now }: Pick<Deps, 'readDb' | 'now'>,
  caller: Caller,
  { days: number }: StatisticsQuery,
): Promise<Statistics> {
  const today = Math.floor(now().getTime() / dayMs)
  const days = Array.from({ length: number }, (_, index) => toDay(today - number + 1 + index))
  const since = new Date((today - number + 1) * dayMs)
  const [counts, asOf] = await Promise.all([readCounts(readDb, caller, since), readAsOf(readDb)])
  const sum = (codes: ReadonlySet<string>, of: (count: DayCount) => boolean) =>
    counts.filter((count) => codes.has(count.code) && of(count)).reduce((total, { n }) => total + n, 0)
  const reasons = [...failedCodes].map((code) => ({
    code,
    n: sum(failedCodes, (count) => count.code === code),
  }))
  return {
    __type__: 'Statistics',
    __domain__: caller.accountDomain,
    __environment__: caller.environment,
    as_of: asOf?.toISOString() ?? null,
    days: days.map((day) => ({
      day,
      passed: sum(passedCodes, (count) => count.day === day),
      failed: sum(failedCodes, (count) => count.day === day),
    })),
    reasons: reasons.filter(({ n }) => n > 0).toSorted((one, other) => other.n - one.n),
  }
}

function toDay(number: number): string {
  return new Date(number * dayMs).toISOString().slice(0, 10)
}

async function readCounts(db: Kysely<DB>, caller: Caller, since: Date): Promise<DayCount[]> {
  return db
    .selectFrom('log_event_counts')
    .where(ofEnvironment(caller, 'log_event_counts'))
    .where('hour', '>=', since)
    .where('event_code', 'in', [...passedCodes, ...failedCodes])
    .select([
      sql<string>`to_char(hour at time zone 'UTC', 'YYYY-MM-DD')`.as('day'),
      'event_code as code',
      sql<number>`sum(n)::integer`.as('n'),
    ])
    .groupBy(['day', 'event_code'])
    .execute()
}

/** When the job last counted. */
async function readAsOf(db: Kysely<DB>): Promise<Date | undefined> {
  const { rows } = await sql<{ returned_at: Date | null }>`
    select returned_at from jobs where name = 'count_log_events' and key = 'recurring' and last_error is null`.execute(
    db,
  )
  return rows[0]?.returned_at ?? undefined
}

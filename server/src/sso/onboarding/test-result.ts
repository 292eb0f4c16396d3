import type { SsoCheck } from '@portico/contract/sso-checks'
import { sql, type Kysely } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import type { CheckResult } from '../saml/checks.js'
import { loginAttemptsOf } from '../sign-in/login-attempts.js'
import type { OnboardingConnection } from './connections.js'

/** The result of one test of a connection. */
export interface TestResult {
  readonly id: string
  readonly outcome: 'arrived' | 'success' | 'failed'
  readonly checks: readonly CheckResult[]
  readonly failedCheck: SsoCheck | null
  readonly nameId: string | null
  readonly email: string | null
  /** The signed attributes by their names; null where the signature was not valid. */
  readonly attributes: Readonly<Record<string, readonly string[]>> | null
  readonly requestId: string
  readonly at: Date
}

/** Tests that the page lists, the newest first. */
const shownTests = 5

/** One test; undefined when the connection has none of this id. Administrators do not see sign-ins of users. */
export async function findTestResult(
  { db }: Pick<Deps, 'db'>,
  connection: OnboardingConnection,
  attemptId: string,
): Promise<TestResult | undefined> {
  const row = await testsOf(db, connection).where('id', '=', attemptId).executeTakeFirst()
  return row === undefined ? undefined : toTestResult(row)
}

export async function listTestResults(
  { db }: Pick<Deps, 'db'>,
  connection: OnboardingConnection,
): Promise<TestResult[]> {
  const rows = await testsOf(db, connection)
    .orderBy('inserted_at', 'desc')
    .orderBy('id', 'desc')
    .limit(shownTests)
    .execute()
  return rows.map(toTestResult)
}

function testsOf(db: Kysely<DB>, connection: OnboardingConnection) {
  return (
    loginAttemptsOf(db, connection)
      .where('kind', '=', 'test')
      // Written from typed values only; the check constraints allow nothing else.
      .select([
        'id',
        sql<TestResult['outcome']>`outcome`.as('outcome'),
        sql<CheckResult[]>`checks`.as('checks'),
        sql<SsoCheck | null>`failed_check`.as('failed_check'),
        'name_id',
        'email',
        sql<TestResult['attributes']>`attributes`.as('attributes'),
        'request_id',
        'inserted_at',
      ])
  )
}

type TestRow = Awaited<ReturnType<ReturnType<typeof testsOf>['executeTakeFirstOrThrow']>>

function toTestResult(row: TestRow): TestResult {
  return {
    id: row.id,
    outcome: row.outcome,
    checks: row.checks,
    failedCheck: row.failed_check,
    nameId: row.name_id,
    email: row.email,
    attributes: row.attributes,
    requestId: row.request_id,
    at: row.inserted_at,
  }
}

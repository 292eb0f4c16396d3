import type { PageQuery } from '@portico/contract/fields'
import { ssoCheckNames, type SsoCheck } from '@portico/contract/sso-checks'
import type { SsoLoginTrace } from '@portico/contract/sso-records'
import { sql, type Kysely, type Transaction } from 'kysely'
import { newId } from '../../platform/crypto/random.js'
import { insertWhere } from '../../platform/db/insert-if.js'
import { newestFirst, readPage, type Page } from '../../platform/db/page.js'
import type { DB } from '../../platform/db/schema.js'
import { insertion, statement } from '../../platform/db/statement.js'
import type { Deps } from '../../delivery/deps.js'
import { logEvent } from '../../delivery/log-events/log-event.js'
import { ApiError } from '../../platform/errors.js'
import type { CheckResult } from '../saml/checks.js'
import { connectionKeyColumns, isOfConnection, type ConnectionKey } from '../connections/connection-key.js'
import { connectionsOf } from '../connections/whole-connection.js'
import type { Caller } from '../../platform/tenant.js'
import { normalizeEmail } from '../../platform/email.js'
import type { LiveConnection } from './live-connection.js'
import { toSsoLoginTrace, loginAttemptColumns } from './record.js'

/** A sign-in or a test by SSO and its checks, as it is recorded. */
export interface NewLoginAttempt {
  readonly kind: SsoLoginTrace['kind']
  readonly outcome: SsoLoginTrace['outcome']
  readonly checks: readonly CheckResult[]
  readonly nameId: string | null
  readonly email: string | null
  readonly attributes: Readonly<Record<string, readonly string[]>> | null
  readonly requestId: string
}

/** Attempts that are refused on arrival and kept a day, of a connection and of each group below, so that they fill no table. */
const refusedAttemptsADay = 200
/** The same of one name: a response that was valid once can be posted for ever, and must hide no other name's. */
const refusedAttemptsADayOfName = 20
const dayMs = 24 * 60 * 60 * 1000

/** Checks that refuse a response which was valid once. */
const keptChecks: readonly SsoCheck[] = ['issued_at', 'conditions', 'replay']

/**
 * Checks that refuse an attempt on arrival, grouped by what is needed to cause it. Each group has a cap of its own, so that
 * attempts that are easy to cause hide no others.
 */
const refusedChecks: readonly (readonly SsoCheck[])[] = [
  // Needs nothing.
  [...checksBetween('encoding', 'signature'), ...checksBetween('oidc_state', 'oidc_browser')],
  // Needs a sign-in, which may be answered with any code.
  checksBetween('oidc_answer', 'oidc_id_token'),
  // Needs a response that was valid once.
  keptChecks,
  // Needs a signature by a key of the identity provider.
  [
    ...checksBetween('assertion', 'replay').filter((check) => !keptChecks.includes(check)),
    ...checksBetween('oidc_token_type', 'oidc_hosted_domain'),
  ],
]

function checksBetween(first: SsoCheck, last: SsoCheck): readonly SsoCheck[] {
  return ssoCheckNames.slice(ssoCheckNames.indexOf(first), ssoCheckNames.indexOf(last) + 1)
}

/**
 * Records and logs an attempt that is refused on arrival. Tests of an administrator are counted apart, since strangers do
 * not know their requests.
 *
 * @returns Its id; undefined where the cap of the day is reached.
 */
export async function recordRefusedAttempt(
  deps: Pick<Deps, 'db' | 'metrics' | 'now'>,
  live: LiveConnection,
  attempt: Omit<NewLoginAttempt, 'outcome'>,
): Promise<string | undefined> {
  const { db } = deps
  const failed = failedCheckOf(attempt.checks)
  const group = refusedChecks.find((checks) => failed !== undefined && checks.includes(failed))
  if (group === undefined) throw new Error(`${failed ?? 'nothing'} refuses no attempt on arrival`)
  // An unsigned response has no validated name.
  const isSigned = refusedChecks.indexOf(group) >= refusedChecks.indexOf(keptChecks)
  const since = new Date(deps.now().getTime() - dayMs)
  const attemptId = await db.transaction().execute(async (trx) => {
    await lockRefusedAttempts(trx, live)
    const row = newRow(deps, live, { ...attempt, outcome: 'failed', userId: null })
    const below = isBelowCaps(live, {
      group,
      kind: attempt.kind,
      name: isSigned ? attempt.nameId : undefined,
      since,
    })
    const recorded = await insertWhere(trx, 'sso_login_traces', row, below).returning('id').executeTakeFirst()
    return recorded?.id
  })
  if (attemptId !== undefined) await logSsoSignIn(deps, db, live, { ...attempt, failed })
  return attemptId
}

/** Makes refused attempts of a connection wait for each other, so that the counts still hold at the insert. */
async function lockRefusedAttempts(trx: Transaction<DB>, { connectionId }: ConnectionKey): Promise<void> {
  const name = `refused_attempts ${connectionId}`
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(trx)
}

/** The attempts that count for a cap. */
interface CountedAttempts {
  readonly group: readonly SsoCheck[]
  readonly kind: NewLoginAttempt['kind']
  /** Validated, null where there is none; undefined where it is not validated, and has no cap. */
  readonly name: string | null | undefined
  readonly since: Date
}

function isBelowCaps(key: ConnectionKey, { group, kind, name, since }: CountedAttempts) {
  const ofName =
    name === undefined ? sql`false` : sql`sso_login_traces.name_id is not distinct from ${name}::text`
  return sql<boolean>`exists (
    select from sso_login_traces
    where ${isOfConnection('sso_login_traces', key)}
      and sso_login_traces.inserted_at > ${since}
      and sso_login_traces.failed_check = any(${group}::text[])
      and (sso_login_traces.kind = 'test') = ${kind === 'test'}
    having count(*) < ${refusedAttemptsADay}::integer
      and count(*) filter (where ${ofName}) < ${refusedAttemptsADayOfName}::integer
  )`
}

/**
 * Records an attempt that has ended.
 *
 * @param ended With the id of the attempt where it was recorded on arrival.
 * @returns Its id.
 */
export async function recordLoginAttempt(
  deps: Pick<Deps, 'now'>,
  db: Kysely<DB>,
  key: ConnectionKey,
  ended: NewLoginAttempt & { readonly userId: string | null; readonly attemptId?: string | undefined },
): Promise<string> {
  const { userId, attemptId, ...attempt } = ended
  if (attemptId !== undefined) {
    await updateRow(db, { ...key, ...attemptColumnsOf(attempt), attemptId, userId })
    return attemptId
  }
  const row = newRow(deps, key, { ...attempt, userId })
  await insertRow(db, row)
  return row.id
}

/** The row of an attempt that has none yet. */
function newRow(
  { now }: Pick<Deps, 'now'>,
  key: ConnectionKey,
  { userId, ...attempt }: NewLoginAttempt & { readonly userId: string | null },
) {
  const columns = attemptColumnsOf(attempt)
  return { ...connectionKeyColumns(key), id: newId(), ...columns, user_id: userId, inserted_at: now() }
}

const insertRow = insertion('sso_login_traces')

type EndedAttempt = ConnectionKey &
  ReturnType<typeof attemptColumnsOf> & { readonly attemptId: string; readonly userId: string | null }

const updateRow = statement((db, attempt: EndedAttempt) =>
  db
    .updateTable('sso_login_traces')
    .set({
      kind: attempt.kind,
      outcome: attempt.outcome,
      checks: attempt.checks,
      failed_check: attempt.failed_check,
      name_id: attempt.name_id,
      email: attempt.email,
      email_normalized: attempt.email_normalized,
      attributes: attempt.attributes,
      user_id: attempt.userId,
      request_id: attempt.request_id,
    })
    .where(isOfConnection('sso_login_traces', attempt))
    .where('id', '=', attempt.attemptId),
)

/** Deletes an attempt of a response that has another one. */
export async function deleteLoginAttempt(
  db: Kysely<DB>,
  key: ConnectionKey,
  attemptId: string,
): Promise<void> {
  await db
    .deleteFrom('sso_login_traces')
    .where(isOfConnection('sso_login_traces', key))
    .where('id', '=', attemptId)
    .execute()
}

/** The first check that has failed; undefined where none has. */
export function failedCheckOf(checks: readonly CheckResult[]): SsoCheck | undefined {
  return checks.find(({ passed }) => !passed)?.name
}

/** The end of a sign-in, as the log of the account has it. */
interface LoggedSignIn {
  readonly kind: NewLoginAttempt['kind']
  readonly user?: { readonly userId: string; readonly email: string } | undefined
  readonly clientId?: string | undefined
  /** As it was asserted; null where no address was asserted and validated. */
  readonly email: string | null
  /** The failed check, or that the limit of the network is reached. */
  readonly failed: SsoCheck | 'rate_limited' | undefined
  readonly requestId: string
}

const endCodes = {
  saml: { success: 'SSO_END_USER_SAML_SUCCESS', failed: 'SSO_END_USER_SAML_FAILED' },
  oidc: { success: 'SSO_END_USER_OIDC_SUCCESS', failed: 'SSO_END_USER_OIDC_FAILED' },
} as const

/** Logs the end of a sign-in, or of a test, for the account. */
export async function logSsoSignIn(
  deps: Pick<Deps, 'now' | 'metrics'>,
  db: Kysely<DB>,
  live: LiveConnection,
  { kind, user, clientId, email, failed, requestId }: LoggedSignIn,
): Promise<void> {
  await logEvent(deps, db, {
    accountId: live.accountId,
    environment: live.environment,
    organizationId: live.organizationId,
    domain: live.domain,
    code:
      kind === 'test'
        ? 'ADMIN_ONBOARDING_TESTED'
        : endCodes[live.protocol][failed === undefined ? 'success' : 'failed'],
    clientId: clientId ?? null,
    email: user?.email ?? email,
    userId: user?.userId ?? null,
    reason: failed ?? null,
    idpId: live.idpId,
    requestId,
  })
}

/** Characters that are kept of a value. */
const maxValueLength = 300
/** Attributes, and values of one, that are kept. */
const maxAttributes = 60

/** The columns of an attempt, cut to what is kept. */
export function attemptColumnsOf(attempt: NewLoginAttempt) {
  const { kind, outcome, checks, nameId, email, attributes, requestId } = attempt
  return {
    kind,
    outcome,
    checks: JSON.stringify(
      checks.map((check) => ({ ...check, expected: cut(check.expected), received: cut(check.received) })),
    ),
    failed_check: failedCheckOf(checks) ?? null,
    name_id: nameId,
    email,
    email_normalized: email === null ? null : normalizeEmail(email),
    attributes: attributes === null ? null : JSON.stringify(shortened(attributes)),
    request_id: requestId,
  }
}

function cut(value: string | null): string | null {
  return value === null ? null : shortenedText(value)
}

/** Characters that the database cannot hold are replaced: NUL, and half a surrogate pair, also one that the cut has halved. */
function shortenedText(text: string): string {
  return text.slice(0, maxValueLength).toWellFormed().replaceAll('\0', '\uFFFD')
}

function shortened(attributes: Readonly<Record<string, readonly string[]>>): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(attributes)
      .slice(0, maxAttributes)
      .map(([name, values]) => [shortenedText(name), values.slice(0, maxAttributes).map(shortenedText)]),
  )
}

/** Filters of the list; a value of null matches no attempt. */
interface AttemptQuery extends PageQuery {
  readonly outcome?: SsoLoginTrace['outcome'] | null | undefined
  readonly request_id?: string | null | undefined
}

/**
 * Lists the login attempts of a connection, newest first.
 *
 * @throws ApiError `sso_connection_not_found`
 */
export async function listLoginTraces(
  { readDb }: Pick<Deps, 'readDb'>,
  caller: Caller,
  idpId: string,
  { outcome, request_id: requestId, ...query }: AttemptQuery,
): Promise<Page<SsoLoginTrace>> {
  const { key, domain } = await getConnectionKey(readDb, caller, idpId)
  // No column contains the empty text, so that a value which cannot match finds nothing.
  const attempts = () =>
    loginAttemptsOf(readDb, key)
      .$if(outcome !== undefined, (rows) => rows.where('sso_login_traces.outcome', '=', outcome ?? ''))
      .$if(requestId !== undefined, (rows) => rows.where('sso_login_traces.request_id', '=', requestId ?? ''))
  return readPage(
    {
      db: readDb,
      query,
      environment: caller.environment,
      order: newestFirst,
      keys: attempts(),
      table: 'sso_login_traces',
      rows: loginAttemptsOf(readDb, key).select(loginAttemptColumns),
      total: async () => {
        const { total } = await attempts()
          .select(sql<string>`count(*)`.as('total'))
          .executeTakeFirstOrThrow()
        return Number(total)
      },
    },
    (row) => toSsoLoginTrace(row, { domain, environment: caller.environment, idpId }),
  )
}

/** Every read of login attempts starts here, so that no query can forget the tenant. */
export function loginAttemptsOf(db: Kysely<DB>, key: ConnectionKey) {
  return db.selectFrom('sso_login_traces').where(isOfConnection('sso_login_traces', key))
}

/** The key of a connection that the caller may see. */
async function getConnectionKey(db: Kysely<DB>, caller: Caller, idpId: string) {
  const row = await connectionsOf(db, caller)
    .where('sso_connections.idp_id', '=', idpId)
    .select(['sso_connections.organization_id', 'sso_connections.id', 'organizations.domain'])
    .executeTakeFirst()
  if (row === undefined) throw new ApiError('sso_connection_not_found')
  const { accountId, environment } = caller
  const { organization_id: organizationId, id: connectionId, domain } = row
  const key: ConnectionKey = { accountId, environment, organizationId, connectionId }
  return { key, domain }
}

import type { PageQuery } from '@portico/contract/fields'
import { ssoCheckNames, type SsoCheck } from '@portico/contract/sso-checks'
import type { SsoLoginTrace } from '@portico/contract/sso-records'
import { sql, type Kysely } from 'kysely'
import { newId } from '../../platform/crypto/random.js'
import { newestFirst, readPage, type Page } from '../../platform/db/page.js'
import type { DB } from '../../platform/db/schema.js'
import { insertion, statement } from '../../platform/db/statement.js'
import type { Deps } from '../../delivery/deps.js'
import { ApiError } from '../../platform/errors.js'
import type { CheckResult } from '../saml/checks.js'
import { isOfConnection, type ConnectionKey } from '../connections/connection-key.js'
import { connectionsOf } from '../connections/whole-connection.js'
import type { Caller } from '../../platform/tenant.js'
import { normalizeEmail } from '../../platform/email.js'
import { toSsoLoginTrace, traceColumns } from './record.js'

/** What is said of a sign-in. */
export interface NewTrace {
  readonly kind: SsoLoginTrace['kind']
  readonly outcome: SsoLoginTrace['outcome']
  readonly checks: readonly CheckResult[]
  readonly nameId: string | null
  readonly email: string | null
  readonly attributes: Readonly<Record<string, readonly string[]>> | null
  readonly requestId: string
}

/** What is refused when it comes fills no table: so many a day are kept of a connection, of each group below. */
const refusedTracesADay = 200
/** Whoever has kept one response that was right can post it for ever, and hides nobody else’s with it. */
const refusedTracesADayOfName = 20
const dayMs = 24 * 60 * 60 * 1000

/** What refuses a response that was right once. */
const keptChecks: readonly SsoCheck[] = ['issued_at', 'conditions', 'replay']

/**
 * What is refused before a browser has come back with it, by what is needed to be refused so: each group has a cap of its
 * own, so that what is easy to cause hides nothing that is not.
 */
const refusedChecks: readonly (readonly SsoCheck[])[] = [
  // Anybody can write it.
  [...checksBetween('encoding', 'signature'), ...checksBetween('oidc_state', 'oidc_browser')],
  // Whoever begins a sign-in may come back with any code.
  checksBetween('oidc_answer', 'oidc_id_token'),
  // Whoever has kept responses that were right may post them.
  keptChecks,
  // A key has signed it.
  [
    ...checksBetween('assertion', 'replay').filter((check) => !keptChecks.includes(check)),
    ...checksBetween('oidc_token_type', 'oidc_hosted_domain'),
  ],
]

function checksBetween(first: SsoCheck, last: SsoCheck): readonly SsoCheck[] {
  return ssoCheckNames.slice(ssoCheckNames.indexOf(first), ssoCheckNames.indexOf(last) + 1)
}

/**
 * Stores what was refused when it came. Tests of an administrator are counted apart, whose requests strangers do not know.
 *
 * @returns Its id; undefined where there were enough of them today.
 */
export async function insertRefusedTrace(
  deps: Pick<Deps, 'now'>,
  db: Kysely<DB>,
  key: ConnectionKey,
  trace: Omit<NewTrace, 'outcome'>,
): Promise<string | undefined> {
  const failed = failedCheckOf(trace.checks)
  const group = refusedChecks.find((checks) => failed !== undefined && checks.includes(failed))
  if (group === undefined) throw new Error(`${failed ?? 'nothing'} refuses nothing when it comes`)
  // Of what no key has signed, no name is known.
  const isSigned = refusedChecks.indexOf(group) >= refusedChecks.indexOf(keptChecks)
  const { count, count_of_name: countOfName } = await loginTracesOf(db, key)
    .where('sso_login_traces.inserted_at', '>', new Date(deps.now().getTime() - dayMs))
    .where('sso_login_traces.failed_check', 'in', [...group])
    .where(sql<boolean>`(sso_login_traces.kind = 'test') = ${trace.kind === 'test'}`)
    .select([
      sql<string>`count(*)`.as('count'),
      sql<string>`count(*) filter (
        where ${isSigned} and sso_login_traces.name_id is not distinct from ${trace.nameId}
      )`.as('count_of_name'),
    ])
    .executeTakeFirstOrThrow()
  if (Number(count) >= refusedTracesADay) return undefined
  if (Number(countOfName) >= refusedTracesADayOfName) return undefined
  return insertTrace(deps, db, key, { ...trace, outcome: 'failed' })
}

/**
 * Stores what became of a response.
 *
 * @returns Its id.
 */
export async function insertTrace(
  { now }: Pick<Deps, 'now'>,
  db: Kysely<DB>,
  key: ConnectionKey,
  { userId = null, ...trace }: NewTrace & { readonly userId?: string | null },
): Promise<string> {
  const id = newId()
  const columns = { ...traceColumnsOf(trace), user_id: userId }
  await insertRow(db, { ...ownerOf(key), id, ...columns, inserted_at: now() })
  return id
}

const insertRow = insertion('sso_login_traces', [
  'account_id',
  'environment',
  'organization_id',
  'connection_id',
  'id',
  'kind',
  'outcome',
  'checks',
  'failed_check',
  'name_id',
  'email',
  'email_normalized',
  'attributes',
  'user_id',
  'request_id',
  'inserted_at',
])

function ownerOf({ accountId, environment, organizationId, connectionId }: ConnectionKey) {
  return {
    account_id: accountId,
    environment,
    organization_id: organizationId,
    connection_id: connectionId,
  }
}

/** How a response ended that had arrived. */
export interface TraceEnd extends NewTrace {
  readonly userId: string | null
}

/** Completes the trace of a response whose browser has come back. */
export async function endTrace(
  db: Kysely<DB>,
  key: ConnectionKey,
  traceId: string,
  { userId, ...trace }: TraceEnd,
): Promise<void> {
  await updateRow(db, { ...key, traceId, userId, ...traceColumnsOf(trace) })
}

type EndedTrace = ConnectionKey & TraceColumns & { readonly traceId: string; readonly userId: string | null }

const updateRow = statement((db, trace: EndedTrace) =>
  db
    .updateTable('sso_login_traces')
    .set({
      kind: trace.kind,
      outcome: trace.outcome,
      checks: trace.checks,
      failed_check: trace.failed_check,
      name_id: trace.name_id,
      email: trace.email,
      email_normalized: trace.email_normalized,
      attributes: trace.attributes,
      user_id: trace.userId,
      request_id: trace.request_id,
    })
    .where(isOfConnection('sso_login_traces', trace))
    .where('id', '=', trace.traceId),
)

/** Takes a trace back whose response had one before. */
export async function deleteTrace(db: Kysely<DB>, key: ConnectionKey, traceId: string): Promise<void> {
  await db
    .deleteFrom('sso_login_traces')
    .where(isOfConnection('sso_login_traces', key))
    .where('id', '=', traceId)
    .execute()
}

/** The first check that has refused; undefined where none has. */
export function failedCheckOf(checks: readonly CheckResult[]): SsoCheck | undefined {
  return checks.find(({ passed }) => !passed)?.name
}

/** More of a value tells nobody more. */
const maxValueLength = 300
/** As many attributes, and values of one, as anybody reads in a trace. */
const maxAttributes = 60

type TraceColumns = ReturnType<typeof traceColumnsOf>

/** What is stored of a trace. */
export function traceColumnsOf({ kind, outcome, checks, nameId, email, attributes, requestId }: NewTrace) {
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

/** What the database cannot hold is replaced: NUL, and half a character, also one that the cut has halved. */
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

/** Which sign-ins of a connection are listed; null is what none can have. */
interface TraceQuery extends PageQuery {
  readonly outcome?: SsoLoginTrace['outcome'] | null | undefined
  readonly request_id?: string | null | undefined
}

/**
 * The sign-ins by a connection, newest first.
 *
 * @throws ApiError `sso_connection_not_found`
 */
export async function listLoginTraces(
  { readDb }: Pick<Deps, 'readDb'>,
  caller: Caller,
  idpId: string,
  { outcome, request_id: requestId, ...query }: TraceQuery,
): Promise<Page<SsoLoginTrace>> {
  const { key, domain } = await getConnectionKey(readDb, caller, idpId)
  // No column has the empty text, so that what cannot match finds nothing.
  const traces = () =>
    loginTracesOf(readDb, key)
      .$if(outcome !== undefined, (rows) => rows.where('sso_login_traces.outcome', '=', outcome ?? ''))
      .$if(requestId !== undefined, (rows) => rows.where('sso_login_traces.request_id', '=', requestId ?? ''))
  return readPage(
    {
      db: readDb,
      query,
      environment: caller.environment,
      order: newestFirst,
      keys: traces(),
      table: 'sso_login_traces',
      rows: loginTracesOf(readDb, key).select(traceColumns),
      total: async () => {
        const { total } = await traces()
          .select(sql<string>`count(*)`.as('total'))
          .executeTakeFirstOrThrow()
        return Number(total)
      },
    },
    (row) => toSsoLoginTrace(row, { domain, environment: caller.environment, idpId }),
  )
}

/** Every read of traces starts here, so that none can forget whose they are. */
export function loginTracesOf(db: Kysely<DB>, key: ConnectionKey) {
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

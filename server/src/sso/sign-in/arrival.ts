import { newId } from '../../platform/crypto/random.js'
import { hashSecret, randomSecret } from '../../platform/crypto/secret.js'
import { open, seal, type SealContext } from '../../platform/crypto/seal.js'
import { sql, type Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import { sqlStatement, statement } from '../../platform/db/statement.js'
import type { Deps } from '../../delivery/deps.js'
import type { CheckResult } from '../saml/checks.js'
import type { Assertion } from '../saml/assertion.js'
import { isOfConnection, type ConnectionKey } from '../connections/connection-key.js'
import { isAwaited, toAnsweredRequest, type AnsweredRequest } from './awaited-request.js'
import { attemptColumnsOf, deleteLoginAttempt, type NewLoginAttempt } from './login-attempts.js'

/** The time between the identity provider's post and the browser's next request, which the browser makes by itself. */
const lifetimeMs = 60_000

/** A validated assertion, and the version of the metadata that validated it. */
interface Proof {
  readonly assertion: Assertion
  readonly metadataVersion: number
}

/**
 * Keeps a validated assertion until its browser comes back with the handle, together with its login attempt, in one statement.
 * When an assertion is posted again, only the newest handle is valid, and the first login attempt stays.
 *
 * @returns The handle, which is stored as a digest; undefined when the assertion was used before.
 */
export async function insertArrival(
  { db, keys, now }: Pick<Deps, 'db' | 'keys' | 'now'>,
  key: ConnectionKey,
  { assertion, metadataVersion, attempt }: Proof & { readonly attempt: Omit<NewLoginAttempt, 'outcome'> },
): Promise<string | undefined> {
  const handle = randomSecret()
  const tokenHash = hashSecret(handle)
  const attemptId = newId()
  const at = now()
  const [kept] = await insertFresh(db, {
    ...key,
    ...attemptColumnsOf({ ...attempt, outcome: 'arrived' }),
    attemptId,
    tokenHash,
    assertionHash: hashSecret(assertion.id),
    metadataVersion,
    sealed: seal(keys.master, arrivalContext(key, tokenHash), JSON.stringify(assertion)),
    expiresAt: new Date(at.getTime() + lifetimeMs),
    at,
  })
  if (kept === undefined) return undefined
  if (kept.trace_id !== attemptId) await deleteLoginAttempt(db, key, attemptId)
  return handle
}

type NewArrival = ConnectionKey &
  ReturnType<typeof attemptColumnsOf> & {
    readonly attemptId: string
    readonly tokenHash: Buffer
    readonly assertionHash: Buffer
    readonly metadataVersion: number
    readonly sealed: Buffer
    readonly expiresAt: Date
    readonly at: Date
  }

const insertFresh = sqlStatement(
  (arrival: NewArrival) => sql<{ trace_id: string }>`
    with fresh as (
      select ${arrival.accountId}::uuid as account_id, ${arrival.environment}::text as environment,
        ${arrival.organizationId}::uuid as organization_id, ${arrival.connectionId}::uuid as connection_id,
        ${arrival.attemptId}::uuid as trace_id, ${arrival.at}::timestamptz as at
      where not exists (
        select from saml_seen_assertions
        where ${isOfConnection('saml_seen_assertions', arrival)}
          and assertion_hash = ${arrival.assertionHash}
      )
    ), trace as (
      insert into sso_login_traces (
        account_id, environment, organization_id, connection_id, id, kind, outcome, checks, failed_check, name_id,
        email, email_normalized, attributes, request_id, inserted_at
      )
      select account_id, environment, organization_id, connection_id, trace_id, ${arrival.kind}, ${arrival.outcome},
        ${arrival.checks}::jsonb, ${arrival.failed_check}, ${arrival.name_id}, ${arrival.email},
        ${arrival.email_normalized}, ${arrival.attributes}::jsonb, ${arrival.request_id}, at
      from fresh
    )
    insert into saml_arrivals (
      account_id, environment, organization_id, connection_id, token_hash, assertion_hash, trace_id,
      metadata_version, assertion_sealed, expires_at, inserted_at
    )
    select account_id, environment, organization_id, connection_id, ${arrival.tokenHash}::bytea,
      ${arrival.assertionHash}::bytea, trace_id, ${arrival.metadataVersion}::integer, ${arrival.sealed}::bytea,
      ${arrival.expiresAt}::timestamptz, at
    from fresh
    on conflict on constraint saml_arrivals_assertion_key do update set
      token_hash = excluded.token_hash, metadata_version = excluded.metadata_version,
      assertion_sealed = excluded.assertion_sealed, expires_at = excluded.expires_at,
      inserted_at = excluded.inserted_at
    returning trace_id`,
)

/** A response whose handle a browser has brought, with its assertion and the request that it answers. */
export interface ConsumedArrival extends Proof {
  readonly attemptId: string
  /** Of the response, when it was posted. */
  readonly checks: readonly CheckResult[]
  /** The assertion was not used before. */
  readonly isFirstUse: boolean
  /** Version of the metadata in use; null without metadata. */
  readonly currentVersion: number | null
  /** Undefined where no request waits for the assertion. */
  readonly request: ConsumedRequest | undefined
}

/** A request, with the version of the metadata by which it was made. */
type ConsumedRequest = AnsweredRequest & { readonly metadataVersion: number }

/**
 * Consumes a handle, and with it the assertion and the request that this answers. Each is consumed by one statement, of which
 * one caller at most succeeds.
 *
 * @returns Undefined when the handle is unknown, consumed or expired.
 */
export async function consumeArrival(
  deps: Pick<Deps, 'keys' | 'now'>,
  trx: Transaction<DB>,
  key: ConnectionKey,
  handle: string,
): Promise<ConsumedArrival | undefined> {
  const tokenHash = hashSecret(handle)
  const [row] = await consumeHandle(trx, { ...key, tokenHash, at: deps.now() })
  if (row === undefined) return undefined
  const opened = open(deps.keys.master, arrivalContext(key, tokenHash), row.assertion_sealed)
  // Sealed by insertArrival() only.
  const stored = JSON.parse(opened.toString()) as StoredAssertion
  const assertion: Assertion = {
    ...stored,
    issuedAt: new Date(stored.issuedAt),
    authenticatedAt: new Date(stored.authenticatedAt),
    usableUntil: new Date(stored.usableUntil),
  }
  return {
    attemptId: row.trace_id,
    // Written by insertArrival() only.
    checks: row.checks as unknown as CheckResult[],
    metadataVersion: row.metadata_version,
    assertion,
    ...(await consumeAssertion(deps, trx, key, assertion)),
  }
}

const consumeHandle = statement(
  (db, arrival: ConnectionKey & { readonly tokenHash: Buffer; readonly at: Date }) =>
    db
      .with('consumed', (rows) =>
        rows
          .deleteFrom('saml_arrivals')
          .where(isOfConnection('saml_arrivals', arrival))
          .where('token_hash', '=', arrival.tokenHash)
          .where('expires_at', '>', arrival.at)
          .returning(['trace_id', 'metadata_version', 'assertion_sealed']),
      )
      .selectFrom('consumed')
      .innerJoin('sso_login_traces', 'sso_login_traces.id', 'consumed.trace_id')
      .where(isOfConnection('sso_login_traces', arrival))
      .select([
        'consumed.trace_id',
        'consumed.metadata_version',
        'consumed.assertion_sealed',
        'sso_login_traces.checks',
      ]),
)

type Moment = 'issuedAt' | 'authenticatedAt' | 'usableUntil'
type StoredAssertion = Omit<Assertion, Moment> & Readonly<Record<Moment, string>>

/** The assertion is recorded as used for as long as it could be sent again. */
async function consumeAssertion(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  key: ConnectionKey,
  { id, inResponseTo, usableUntil }: Assertion,
): Promise<Pick<ConsumedArrival, 'isFirstUse' | 'currentVersion' | 'request'>> {
  const assertionHash = hashSecret(id)
  const [row] = await insertUse(trx, { ...key, assertionHash, id: inResponseTo, usableUntil, at: now() })
  if (row === undefined) throw new Error('a statement of one row has returned no row')
  const { is_first_use: isFirstUse, current_version: currentVersion, metadata_version: version } = row
  const request = version === null ? undefined : { ...toAnsweredRequest(row), metadataVersion: version }
  return { isFirstUse, currentVersion, request }
}

type AssertionUse = ConnectionKey & {
  readonly assertionHash: Buffer
  /** Of the request. */
  readonly id: string | null
  readonly usableUntil: Date
  readonly at: Date
}

/** The columns of the request are null without one. */
interface UseRow {
  readonly flow_id: string | null
  readonly admin_session_id: string | null
  readonly is_first_use: boolean
  readonly current_version: number | null
  readonly metadata_version: number | null
}

const insertUse = sqlStatement(
  (use: AssertionUse) => sql<UseRow>`
    with used as (
      insert into saml_seen_assertions (
        account_id, environment, organization_id, connection_id, assertion_hash, expires_at
      ) values (
        ${use.accountId}, ${use.environment}, ${use.organizationId}, ${use.connectionId},
        ${use.assertionHash}, ${use.usableUntil}
      )
      on conflict do nothing
      returning assertion_hash
    ), request as (
      delete from saml_requests
      where ${isOfConnection('saml_requests', use)}
        and ${isAwaited(use)}
        and exists (select assertion_hash from used)
      returning flow_id, admin_session_id, metadata_version
    )
    select exists (select assertion_hash from used) as is_first_use, (
        select version from sso_metadata_versions
        where ${isOfConnection('sso_metadata_versions', use)} and is_current
      ) as current_version, request.flow_id, request.admin_session_id, request.metadata_version
    from (values (1)) as one (row)
    left join request on true`,
)

/** The context under which an arrival is sealed; the re-sealing command uses it too. */
export function arrivalContext(
  key: Pick<ConnectionKey, 'accountId' | 'organizationId' | 'connectionId'> & {
    readonly environment: string
  },
  tokenHash: Buffer,
): SealContext {
  const { accountId, environment, organizationId, connectionId } = key
  const row = `${accountId}:${environment}:${connectionId}:${tokenHash.toString('hex')}`
  return { purpose: 'saml_arrival', scope: organizationId, aad: `saml_arrivals.assertion_sealed:${row}` }
}

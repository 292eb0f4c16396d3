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
import { deleteTrace, traceColumnsOf, type NewTrace } from './traces.js'

/** How long a browser has from the post of the identity provider to its next request, which it makes by itself. */
const lifetimeMs = 60_000

/** What a response has proved, and by which metadata. */
interface Proof {
  readonly assertion: Assertion
  readonly metadataVersion: number
}

/**
 * Keeps what a response proves until its browser comes back with the handle, with its trace, in one statement. Of an
 * assertion that is posted again, the newest handle alone is good, and the first trace stays.
 *
 * @returns The handle, which is stored as a digest; undefined when the assertion has had its one use.
 */
export async function insertArrival(
  { db, keys, now }: Pick<Deps, 'db' | 'keys' | 'now'>,
  key: ConnectionKey,
  { assertion, metadataVersion, trace }: Proof & { readonly trace: Omit<NewTrace, 'outcome'> },
): Promise<string | undefined> {
  const handle = randomSecret()
  const tokenHash = hashSecret(handle)
  const traceId = newId()
  const at = now()
  const [kept] = await insertFresh(db, {
    ...key,
    ...traceColumnsOf({ ...trace, outcome: 'arrived' }),
    traceId,
    tokenHash,
    assertionHash: hashSecret(assertion.id),
    metadataVersion,
    sealed: seal(keys.master, arrivalContext(key, tokenHash), JSON.stringify(assertion)),
    expiresAt: new Date(at.getTime() + lifetimeMs),
    at,
  })
  if (kept === undefined) return undefined
  if (kept.trace_id !== traceId) await deleteTrace(db, key, traceId)
  return handle
}

type NewArrival = ConnectionKey &
  ReturnType<typeof traceColumnsOf> & {
    readonly traceId: string
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
        ${arrival.traceId}::uuid as trace_id, ${arrival.at}::timestamptz as at
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

/** What a browser came back for. */
export interface Arrival extends Proof {
  readonly traceId: string
  /** By which it was proved. */
  readonly checks: readonly CheckResult[]
}

/** Redeems a handle, once: of all who have it, one statement lets one pass. */
export async function redeemArrival(
  { keys, now }: Pick<Deps, 'keys' | 'now'>,
  trx: Transaction<DB>,
  key: ConnectionKey,
  handle: string,
): Promise<Arrival | undefined> {
  const tokenHash = hashSecret(handle)
  const [row] = await redeem(trx, { ...key, tokenHash, at: now() })
  if (row === undefined) return undefined
  const opened = open(keys.master, arrivalContext(key, tokenHash), row.assertion_sealed)
  // Sealed by insertArrival() alone.
  const stored = JSON.parse(opened.toString()) as StoredAssertion
  return {
    traceId: row.trace_id,
    // Written by insertArrival() alone.
    checks: row.checks as unknown as CheckResult[],
    metadataVersion: row.metadata_version,
    assertion: {
      ...stored,
      issuedAt: new Date(stored.issuedAt),
      authenticatedAt: new Date(stored.authenticatedAt),
      usableUntil: new Date(stored.usableUntil),
    },
  }
}

const redeem = statement((db, arrival: ConnectionKey & { readonly tokenHash: Buffer; readonly at: Date }) =>
  db
    .with('redeemed', (rows) =>
      rows
        .deleteFrom('saml_arrivals')
        .where(isOfConnection('saml_arrivals', arrival))
        .where('token_hash', '=', arrival.tokenHash)
        .where('expires_at', '>', arrival.at)
        .returning(['trace_id', 'metadata_version', 'assertion_sealed']),
    )
    .selectFrom('redeemed')
    .innerJoin('sso_login_traces', 'sso_login_traces.id', 'redeemed.trace_id')
    .where(isOfConnection('sso_login_traces', arrival))
    .select([
      'redeemed.trace_id',
      'redeemed.metadata_version',
      'redeemed.assertion_sealed',
      'sso_login_traces.checks',
    ]),
)

type Moment = 'issuedAt' | 'authenticatedAt' | 'usableUntil'
type StoredAssertion = Omit<Assertion, Moment> & Readonly<Record<Moment, string>>

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

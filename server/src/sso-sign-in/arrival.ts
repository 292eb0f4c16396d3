import { hashSecret, randomSecret } from '../crypto/secret.js'
import { open, seal, type SealContext } from '../crypto/seal.js'
import type { Kysely, Transaction } from 'kysely'
import type { DB } from '../db/schema.js'
import type { Deps } from '../deps.js'
import type { Assertion } from '../saml/validate-response.js'
import { isOfConnection, type ConnectionKey } from '../sso-connections/connection-key.js'

/** How long a browser has from the post of the identity provider to its next request, which it makes by itself. */
const lifetimeMs = 60_000

/** What a response has proved, and by which metadata. */
interface Proof {
  readonly assertion: Assertion
  readonly metadataVersion: number
}

/**
 * Keeps what a response proves until its browser comes back with the handle. Of an assertion that is posted again, the
 * newest handle alone is good, and the first trace stays.
 *
 * @returns The handle, which is stored as a digest, and the id of the trace that the assertion has.
 */
export async function insertArrival(
  { keys, now }: Pick<Deps, 'keys' | 'now'>,
  trx: Transaction<DB>,
  key: ConnectionKey,
  { assertion, metadataVersion, traceId }: Proof & { readonly traceId: string },
): Promise<{ readonly handle: string; readonly traceId: string }> {
  const handle = randomSecret()
  const tokenHash = hashSecret(handle)
  const at = now()
  const written = {
    token_hash: tokenHash,
    metadata_version: metadataVersion,
    assertion_sealed: seal(keys.master, arrivalContext(key, tokenHash), JSON.stringify(assertion)),
    expires_at: new Date(at.getTime() + lifetimeMs),
    inserted_at: at,
  }
  const kept = await trx
    .insertInto('saml_arrivals')
    .values({ ...ownerOf(key), assertion_hash: hashSecret(assertion.id), trace_id: traceId, ...written })
    .onConflict((conflict) => conflict.constraint('saml_arrivals_assertion_key').doUpdateSet(written))
    .returning('trace_id')
    .executeTakeFirstOrThrow()
  return { handle, traceId: kept.trace_id }
}

/** What a browser came back for. */
export interface Arrival extends Proof {
  readonly traceId: string
}

/** Redeems a handle, once: of all who have it, one statement lets one pass. */
export async function redeemArrival(
  { keys, now }: Pick<Deps, 'keys' | 'now'>,
  trx: Transaction<DB>,
  key: ConnectionKey,
  handle: string,
): Promise<Arrival | undefined> {
  const tokenHash = hashSecret(handle)
  const row = await trx
    .deleteFrom('saml_arrivals')
    .where(isOfConnection('saml_arrivals', key))
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', now())
    .returning(['trace_id', 'metadata_version', 'assertion_sealed'])
    .executeTakeFirst()
  if (row === undefined) return undefined
  const opened = open(keys.master, arrivalContext(key, tokenHash), row.assertion_sealed)
  // Sealed by insertArrival() alone.
  const stored = JSON.parse(opened.toString()) as StoredAssertion
  return {
    traceId: row.trace_id,
    metadataVersion: row.metadata_version,
    assertion: {
      ...stored,
      issuedAt: new Date(stored.issuedAt),
      authenticatedAt: new Date(stored.authenticatedAt),
      usableUntil: new Date(stored.usableUntil),
    },
  }
}

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

/**
 * Notes that an assertion has had its one use, for as long as it could be sent again.
 *
 * @returns False when it had been used before.
 */
export async function useAssertion(
  trx: Transaction<DB>,
  key: ConnectionKey,
  { id, usableUntil }: Pick<Assertion, 'id' | 'usableUntil'>,
): Promise<boolean> {
  const used = await trx
    .insertInto('saml_seen_assertions')
    .values({ ...ownerOf(key), assertion_hash: hashSecret(id), expires_at: usableUntil })
    .onConflict((conflict) => conflict.doNothing())
    .returning('assertion_hash')
    .executeTakeFirst()
  return used !== undefined
}

/** Whether an assertion has had its one use. */
export async function isAssertionUsed(
  db: Kysely<DB>,
  key: ConnectionKey,
  { id }: Pick<Assertion, 'id'>,
): Promise<boolean> {
  const used = await db
    .selectFrom('saml_seen_assertions')
    .where(isOfConnection('saml_seen_assertions', key))
    .where('assertion_hash', '=', hashSecret(id))
    .select('assertion_hash')
    .executeTakeFirst()
  return used !== undefined
}

function ownerOf({ accountId, environment, organizationId, connectionId }: ConnectionKey) {
  return {
    account_id: accountId,
    environment,
    organization_id: organizationId,
    connection_id: connectionId,
  }
}

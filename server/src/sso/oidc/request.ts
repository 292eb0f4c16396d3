import { sql, type Kysely } from 'kysely'
import { hashSecret, randomSecret } from '../../platform/crypto/secret.js'
import { open, seal, type SealContext } from '../../platform/crypto/seal.js'
import type { DB } from '../../platform/db/schema.js'
import { sqlStatement, statement } from '../../platform/db/statement.js'
import { sameTenant } from '../../platform/db/tenant-predicate.js'
import type { Deps } from '../../delivery/deps.js'
import { isOfConnection, type ConnectionKey } from '../connections/connection-key.js'
import { toAnsweredRequest, type AnsweredRequest } from '../sign-in/awaited-request.js'

/** The purpose of a request: a flow of a browser, or an administrator's test. */
export type Waiting = { readonly flowId: string } | { readonly adminSessionId: string }

/** The parameters of a request to a provider. */
interface OidcRequest {
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: string
  /** The flow has no other open request. */
  readonly isFirst: boolean
}

/** The time that a user has at the provider. */
export const requestLifetimeMs = 10 * 60 * 1000

/**
 * Makes a request to the provider of a connection, whose answer is awaited for ten minutes. A flow waits for an answer to one
 * of its last two requests, since a double click makes two and the first may be the one that is answered.
 */
export async function insertOidcRequest(
  { db, keys, now }: Pick<Deps, 'db' | 'keys' | 'now'>,
  key: ConnectionKey,
  { clientVersion, ...waiting }: Waiting & { readonly clientVersion: number },
): Promise<OidcRequest> {
  const state = randomSecret()
  const nonce = randomSecret()
  const codeVerifier = randomSecret()
  const stateHash = hashSecret(state)
  const at = now()
  const flowId = 'flowId' in waiting ? waiting.flowId : null
  const [inserted] = await insert(db, {
    ...key,
    stateHash,
    flowId,
    adminSessionId: 'flowId' in waiting ? null : waiting.adminSessionId,
    clientVersion,
    nonce,
    sealed: seal(keys.master, codeVerifierContext(key, stateHash), codeVerifier),
    expiresAt: new Date(at.getTime() + requestLifetimeMs),
    at,
  })
  if (flowId !== null) await forgetEarlier(db, { ...key, flowId })
  return { state, nonce, codeVerifier, isFirst: inserted?.is_first ?? false }
}

interface NewRequest extends ConnectionKey {
  readonly stateHash: Buffer
  readonly flowId: string | null
  readonly adminSessionId: string | null
  readonly clientVersion: number
  readonly nonce: string
  readonly sealed: Buffer
  readonly expiresAt: Date
  readonly at: Date
}

const insert = sqlStatement(
  (request: NewRequest) => sql<{ is_first: boolean }>`
    with request as (
      insert into oidc_requests (
        account_id, environment, organization_id, connection_id, state_hash, flow_id, admin_session_id, client_version,
        nonce, code_verifier_sealed, expires_at, inserted_at
      ) values (
        ${request.accountId}, ${request.environment}, ${request.organizationId}, ${request.connectionId},
        ${request.stateHash}, ${request.flowId}, ${request.adminSessionId}, ${request.clientVersion},
        ${request.nonce}, ${request.sealed}, ${request.expiresAt}, ${request.at}
      )
      returning account_id, environment, organization_id, flow_id, state_hash
    )
    select not exists (
      select from oidc_requests as earlier
      where ${sameTenant('earlier', 'request')} and earlier.flow_id = request.flow_id
        and earlier.state_hash <> request.state_hash
    ) as is_first
    from request`,
)

const forgetEarlier = sqlStatement(
  (flow: Omit<ConnectionKey, 'connectionId'> & { readonly flowId: string }) => sql`
    delete from oidc_requests
    where ${isOfFlow('oidc_requests', flow)}
      and state_hash not in (
        select kept.state_hash from oidc_requests as kept
        where ${isOfFlow('kept', flow)}
        order by kept.inserted_at desc, kept.state_hash limit 2
      )`,
)

function isOfFlow(table: string, flow: Omit<ConnectionKey, 'connectionId'> & { readonly flowId: string }) {
  const column = (name: string) => sql.ref(`${table}.${name}`)
  return sql<boolean>`${column('account_id')} = ${flow.accountId}
    and ${column('environment')} = ${flow.environment}
    and ${column('organization_id')} = ${flow.organizationId}
    and ${column('flow_id')} = ${flow.flowId}`
}

/** An answered request, with the values that exchange its code and validate its ID token. */
export type ConsumedOidcRequest = AnsweredRequest & {
  readonly clientVersion: number
  readonly nonce: string
  readonly codeVerifier: string
}

/** Consumes the request that an answer names. Single use: one statement deletes it, for one caller at most. */
export async function consumeOidcRequest(
  { db, keys, now }: Pick<Deps, 'db' | 'keys' | 'now'>,
  key: ConnectionKey,
  state: string,
): Promise<ConsumedOidcRequest | undefined> {
  const stateHash = hashSecret(state)
  const [row] = await consume(db, { ...key, stateHash, at: now() })
  if (row === undefined) return undefined
  const context = codeVerifierContext(key, stateHash)
  return {
    ...toAnsweredRequest(row),
    clientVersion: row.client_version,
    nonce: row.nonce,
    codeVerifier: open(keys.master, context, row.code_verifier_sealed).toString(),
  }
}

const consume = statement((db, request: ConnectionKey & { readonly stateHash: Buffer; readonly at: Date }) =>
  db
    .deleteFrom('oidc_requests')
    .where(isOfConnection('oidc_requests', request))
    .where('state_hash', '=', request.stateHash)
    .where('expires_at', '>', request.at)
    .returning(['flow_id', 'admin_session_id', 'client_version', 'nonce', 'code_verifier_sealed']),
)

/** Whether a flow has an open request to its provider. */
export async function isOidcRequestOpen(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  key: ConnectionKey,
  flowId: string,
): Promise<boolean> {
  const open = await requestsOf(db, key)
    .where('flow_id', '=', flowId)
    .where('expires_at', '>', now())
    .select('state_hash')
    .limit(1)
    .executeTakeFirst()
  return open !== undefined
}

function requestsOf(db: Kysely<DB>, key: ConnectionKey) {
  return db.selectFrom('oidc_requests').where(isOfConnection('oidc_requests', key))
}

/** The context under which the verifier of a request is sealed; the re-sealing command uses it too. */
export function codeVerifierContext(
  key: Pick<ConnectionKey, 'accountId' | 'organizationId' | 'connectionId'> & {
    readonly environment: string
  },
  stateHash: Buffer,
): SealContext {
  const { accountId, environment, organizationId, connectionId } = key
  const row = `${accountId}:${environment}:${connectionId}:${stateHash.toString('hex')}`
  return { purpose: 'oidc_request', scope: organizationId, aad: `oidc_requests.code_verifier_sealed:${row}` }
}

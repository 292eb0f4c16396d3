import type { ApiKey } from '@portico/contract/api-keys'
import { nilId, type Environment } from '@portico/contract/fields'
import { scopes as allScopes, unlistedScopes, type Scope } from '@portico/contract/access'
import { sql, type Kysely, type Transaction } from 'kysely'
import { newTimelessId } from '../../platform/crypto/random.js'
import { hashSecret, makeApiKeySecret } from '../../platform/crypto/secret.js'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { change } from '../../delivery/events/change.js'
import { emit } from '../../delivery/events/emit.js'
import type { Cause } from '../../platform/tenant.js'
import { isApiKeyId } from './credentials.js'
import { apiKeyColumns, toApiKey, type ApiKeyRow } from './record.js'

/** The permissions of a key, and its expiry. */
interface ApiKeyRules {
  readonly scopes: readonly Scope[] | null
  readonly organizationIds: readonly string[] | null
  readonly expiresAt: Date | null
}

export interface NewApiKey extends Partial<ApiKeyRules> {
  readonly accountId: string
  readonly environment: Environment
  readonly name: string
}

/** The credentials of a key, shown once. */
export interface ApiKeyCredentials {
  readonly client_id: string
  readonly client_secret: string
}

/** A key with its new secret. */
export interface IssuedApiKey {
  readonly record: ApiKey
  readonly credentials: ApiKeyCredentials
}

/** Creates an API key without an event; its secret is stored as a digest and only returned here. */
export async function createApiKey(
  deps: Pick<Deps, 'now'>,
  db: Kysely<DB> | Transaction<DB>,
  key: NewApiKey,
): Promise<ApiKeyCredentials> {
  const credentials = { client_id: newTimelessId(), client_secret: makeApiKeySecret(key.environment) }
  await insertApiKey(deps, db, key, credentials)
  return credentials
}

/** Stores an API key with its credentials, the secret as a digest. */
export async function insertApiKey(
  { now }: Pick<Deps, 'now'>,
  db: Kysely<DB> | Transaction<DB>,
  key: NewApiKey,
  credentials: ApiKeyCredentials,
): Promise<void> {
  await db
    .insertInto('api_keys')
    .values({
      account_id: key.accountId,
      environment: key.environment,
      id: credentials.client_id,
      name: key.name,
      secret_hash: hashSecret(credentials.client_secret),
      scopes: key.scopes == null ? null : [...key.scopes],
      organization_ids: key.organizationIds == null ? null : [...key.organizationIds],
      expires_at: key.expiresAt ?? null,
      inserted_at: now(),
    })
    .execute()
}

/** Creates an API key and emits its event, in the caller's transaction. */
export async function issueApiKey(
  deps: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  key: NewApiKey,
  cause: Cause,
): Promise<IssuedApiKey> {
  const credentials = await createApiKey(deps, trx, key)
  const row = await keysById(trx, credentials.client_id).executeTakeFirstOrThrow()
  return { record: await emitApiKey(deps, trx, 'api_key.api_key.create.success', row, cause), credentials }
}

/** The keys of an account, or of all accounts; the newest first. */
export async function listApiKeys(
  { db }: Pick<Deps, 'db'>,
  filter: { accountId?: string; environment?: Environment } = {},
): Promise<ApiKey[]> {
  const { accountId, environment } = filter
  const rows = await keysOfAccounts(db)
    .$if(accountId !== undefined, (query) => query.where('api_keys.account_id', '=', accountId ?? ''))
    .$if(environment !== undefined, (query) => query.where('api_keys.environment', '=', environment ?? ''))
    .orderBy('api_keys.inserted_at', 'desc')
    .orderBy('api_keys.id', 'desc')
    .limit(1000)
    .execute()
  return rows.map((row) => toApiKey(row, row.account_domain))
}

/**
 * Replaces the secret of a key; the previous one is valid for the overlap, so that callers switch without a gap.
 *
 * @throws Error With a sentence for the operator when there is no such key, or it is revoked.
 */
export function rotateApiKey(
  deps: Deps,
  clientId: string,
  { overlapMs }: { overlapMs: number },
  cause: Cause,
): Promise<IssuedApiKey> {
  return change(deps, cause, async (trx) => {
    const { environment } = await getUsableKey(trx, clientId)
    const secret = makeApiKeySecret(environment)
    await trx
      .updateTable('api_keys')
      .set({
        previous_secret_hash: overlapMs > 0 ? sql`secret_hash` : null,
        previous_secret_expires_at: overlapMs > 0 ? new Date(deps.now().getTime() + overlapMs) : null,
        secret_hash: hashSecret(secret),
      })
      .where('id', '=', clientId)
      .execute()
    const row = await keysById(trx, clientId).executeTakeFirstOrThrow()
    const record = await emitApiKey(deps, trx, 'api_key.api_key.rotate.success', row, cause)
    return { record, credentials: { client_id: clientId, client_secret: secret } }
  })
}

/**
 * Revokes a key: its tokens are rejected within seconds, and it gets no new ones.
 *
 * @throws Error With a sentence for the operator when there is no such key, or it is revoked already.
 */
export async function revokeApiKey(deps: Deps, clientId: string, cause: Cause): Promise<ApiKey> {
  const { record } = await change(deps, cause, async (trx) => {
    await getUsableKey(trx, clientId)
    await trx
      .updateTable('api_keys')
      .set({ revoked_at: deps.now(), previous_secret_hash: null, previous_secret_expires_at: null })
      .where('id', '=', clientId)
      .execute()
    const row = await keysById(trx, clientId).executeTakeFirstOrThrow()
    return { record: await emitApiKey(deps, trx, 'api_key.api_key.revoke.success', row, cause) }
  })
  return record
}

/** The scopes of a key; where it has no list of its own all but those that are granted by name alone. */
export function scopesOfKey(row: { scopes: string[] | null }): readonly Scope[] {
  return row.scopes === null ? unlistedScopes : allScopes.filter((scope) => row.scopes?.includes(scope))
}

type AccountKeyRow = ApiKeyRow & { account_id: string; account_domain: string }

function keysOfAccounts(db: Kysely<DB>) {
  return db
    .selectFrom('api_keys')
    .innerJoin('accounts', 'accounts.id', 'api_keys.account_id')
    .select(['api_keys.account_id', ...apiKeyColumns, 'accounts.domain as account_domain'])
}

function keysById(db: Kysely<DB>, clientId: string) {
  return keysOfAccounts(db).where('api_keys.id', '=', isApiKeyId(clientId) ? clientId : nilId)
}

/** The key, locked until the transaction ends. */
async function getUsableKey(trx: Transaction<DB>, clientId: string): Promise<{ environment: Environment }> {
  const row = await keysById(trx, clientId).forUpdate('api_keys').executeTakeFirst()
  if (row === undefined)
    throw new Error(`There is no API key ${clientId}: portico api-key list shows those there are.`)
  if (row.revoked_at !== null)
    throw new Error(
      `The API key ${clientId} was revoked at ${row.revoked_at.toISOString()}: make a new one with portico api-key create.`,
    )
  // The table's check constraint allows nothing else.
  return { environment: row.environment as Environment }
}

async function emitApiKey(
  deps: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  code: `api_key.api_key.${'create' | 'rotate' | 'revoke'}.success`,
  { account_id: accountId, environment, account_domain: domain, ...row }: AccountKeyRow,
  cause: Cause,
): Promise<ApiKey> {
  const emission = { code, record: toApiKey({ ...row, environment }, domain) }
  const { record } = await emit(deps, trx, { accountId, environment, domain, cause }, emission)
  return record
}

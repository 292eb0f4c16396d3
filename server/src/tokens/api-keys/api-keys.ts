import type { IssuedApiKey as ShownApiKey } from '@portico/contract/api-key-routes'
import type { ApiKey } from '@portico/contract/api-keys'
import { nilId, type Environment } from '@portico/contract/fields'
import { scopes as allScopes, unlistedScopes, type Scope } from '@portico/contract/access'
import { sql, type Kysely, type Transaction } from 'kysely'
import { newTimelessId } from '../../platform/crypto/random.js'
import { hashSecret, makeApiKeySecret } from '../../platform/crypto/secret.js'
import { consoleAccountDomain } from '../../platform/console-account.js'
import { insertWhere } from '../../platform/db/insert-if.js'
import type { DB } from '../../platform/db/schema.js'
import { ofEnvironment } from '../../platform/db/tenant-predicate.js'
import type { Deps } from '../../delivery/deps.js'
import type { Cause } from '../../platform/tenant.js'
import { emitApiKey, revokeKey, rotateKey, type KeyOwner } from './change-key.js'
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

/**
 * Stores an API key with its credentials, the secret as a digest.
 *
 * @throws Error With a sentence for the operator when it is of the reserved account: it would read and write the staff of every other.
 */
export async function insertApiKey(
  { now }: Pick<Deps, 'now'>,
  db: Kysely<DB> | Transaction<DB>,
  key: NewApiKey,
  credentials: ApiKeyCredentials,
): Promise<void> {
  const row = {
    account_id: key.accountId,
    environment: key.environment,
    id: credentials.client_id,
    name: key.name,
    secret_hash: hashSecret(credentials.client_secret),
    scopes: key.scopes == null ? null : [...key.scopes],
    organization_ids: key.organizationIds == null ? null : [...key.organizationIds],
    expires_at: key.expiresAt ?? null,
    inserted_at: now(),
  }
  const inserted = await insertWhere(db, 'api_keys', row, isForCustomers(key.accountId))
    .returning('id')
    .executeTakeFirst()
  if (inserted === undefined)
    throw new Error(
      `The account ${consoleAccountDomain} has no API keys, because its users are the staff of the other accounts: name one of those.`,
    )
}

function isForCustomers(accountId: string) {
  return sql<boolean>`not exists (
    select from accounts where accounts.id = ${accountId} and accounts.domain = ${consoleAccountDomain}
  )`
}

/** Creates an API key and emits its event, in the caller's transaction. */
export async function issueApiKey(
  deps: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  key: NewApiKey,
  cause: Cause,
): Promise<IssuedApiKey> {
  const credentials = await createApiKey(deps, trx, key)
  const row = await keysOfAccounts(trx)
    .where(ofEnvironment(key, 'api_keys'))
    .where('api_keys.id', '=', credentials.client_id)
    .executeTakeFirstOrThrow()
  const code = 'api_key.api_key.create.success'
  const { record } = await emitApiKey(deps, trx, ownerOf(row, cause), { code, row })
  return { record, credentials }
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
 * Replaces the secret of a key that an operator names by its id alone; see rotateKey().
 *
 * @throws Error With a sentence for the operator when there is no such key, or it is revoked.
 */
export async function rotateApiKey(
  deps: Deps,
  clientId: string,
  overlap: { overlapMs: number },
  cause: Cause,
): Promise<IssuedApiKey> {
  const owner = await findUsableKey(deps, clientId, cause)
  const { record } = await rotateKey(deps, owner, owner.id, overlap)
  return toIssued(record)
}

/**
 * Revokes a key that an operator names by its id alone; see revokeKey().
 *
 * @throws Error With a sentence for the operator when there is no such key, or it is revoked already.
 */
export async function revokeApiKey(deps: Deps, clientId: string, cause: Cause): Promise<ApiKey> {
  const owner = await findUsableKey(deps, clientId, cause)
  const { record } = await revokeKey(deps, owner, owner.id)
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

/** The owner of a key that can be used. */
async function findUsableKey(
  { db }: Pick<Deps, 'db'>,
  clientId: string,
  cause: Cause,
): Promise<KeyOwner & { readonly id: string }> {
  const row = await keysById(db, clientId).executeTakeFirst()
  if (row === undefined)
    throw new Error(`There is no API key ${clientId}: portico api-key list shows those there are.`)
  if (row.revoked_at !== null)
    throw new Error(
      `The API key ${clientId} was revoked at ${row.revoked_at.toISOString()}: make a new one with portico api-key create.`,
    )
  return { ...ownerOf(row, cause), id: row.id }
}

function keysById(db: Kysely<DB>, clientId: string) {
  return keysOfAccounts(db).where('api_keys.id', '=', isApiKeyId(clientId) ? clientId : nilId)
}

function ownerOf(row: AccountKeyRow, cause: Cause): KeyOwner {
  return {
    accountId: row.account_id,
    accountDomain: row.account_domain,
    // The table's check constraint allows nothing else.
    environment: row.environment as Environment,
    cause,
  }
}

function toIssued({ client_id, client_secret, ...record }: ShownApiKey): IssuedApiKey {
  return { record, credentials: { client_id, client_secret } }
}

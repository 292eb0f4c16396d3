import type { ApiKey } from '@portico/contract/api-keys'
import type { IssuedApiKey } from '@portico/contract/api-key-routes'
import type { Environment } from '@portico/contract/fields'
import { sql, type Kysely, type Transaction, type UpdateObject } from 'kysely'
import { hashSecret, makeApiKeySecret } from '../../platform/crypto/secret.js'
import type { DB } from '../../platform/db/schema.js'
import { ofEnvironment } from '../../platform/db/tenant-predicate.js'
import { ApiError } from '../../platform/errors.js'
import type { Cause } from '../../platform/tenant.js'
import type { Deps } from '../../delivery/deps.js'
import { change, type Changed } from '../../delivery/events/change.js'
import { emit } from '../../delivery/events/emit.js'
import { apiKeyColumns, toApiKey, type ApiKeyRow } from './record.js'

/** The account and environment of keys, and the cause of what is done with them. A Caller is one. */
export interface KeyOwner {
  readonly accountId: string
  readonly accountDomain: string
  readonly environment: Environment
  readonly cause: Cause
}

/**
 * Replaces the secret of a key; the previous one is valid for the overlap, so that callers switch without a gap.
 *
 * @throws ApiError `api_key_not_found`, `api_key_revoked`
 */
export function rotateKey(
  deps: Deps,
  owner: KeyOwner,
  id: string,
  { overlapMs }: { readonly overlapMs: number },
): Promise<Changed<IssuedApiKey>> {
  return change(deps, owner.cause, async (trx) => {
    const secret = makeApiKeySecret(owner.environment)
    const row = await changeUsable(trx, owner, id, {
      previous_secret_hash: overlapMs > 0 ? sql`secret_hash` : null,
      previous_secret_expires_at: overlapMs > 0 ? new Date(deps.now().getTime() + overlapMs) : null,
      secret_hash: hashSecret(secret),
    })
    const changed = await emitApiKey(deps, trx, owner, { code: 'api_key.api_key.rotate.success', row })
    return { ...changed, record: { ...changed.record, client_id: id, client_secret: secret } }
  })
}

/**
 * Revokes a key: its tokens are rejected within seconds, and it gets no new ones.
 *
 * @throws ApiError `api_key_not_found`, `api_key_revoked`
 */
export function revokeKey(deps: Deps, owner: KeyOwner, id: string): Promise<Changed<ApiKey>> {
  return change(deps, owner.cause, async (trx) => {
    const row = await changeUsable(trx, owner, id, {
      revoked_at: deps.now(),
      previous_secret_hash: null,
      previous_secret_expires_at: null,
    })
    return emitApiKey(deps, trx, owner, { code: 'api_key.api_key.revoke.success', row })
  })
}

/** The keys of an account and environment. */
export function keysOf(db: Kysely<DB>, owner: KeyOwner) {
  return db.selectFrom('api_keys').where(ofEnvironment(owner, 'api_keys'))
}

/** Emits the event of a key that was created or changed. */
export function emitApiKey(
  deps: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  { accountId, environment, accountDomain: domain, cause }: KeyOwner,
  {
    code,
    row,
  }: {
    readonly code: `api_key.api_key.${'create' | 'rotate' | 'revoke'}.success`
    readonly row: ApiKeyRow
  },
): Promise<Changed<ApiKey>> {
  return emit(deps, trx, { accountId, environment, domain, cause }, { code, record: toApiKey(row, domain) })
}

/** Changes a key unless it is revoked. Only one of two revocations at once finds it. */
async function changeUsable(
  trx: Transaction<DB>,
  owner: KeyOwner,
  id: string,
  columns: UpdateObject<DB, 'api_keys'>,
): Promise<ApiKeyRow> {
  const row = await trx
    .updateTable('api_keys')
    .set(columns)
    .where(ofEnvironment(owner))
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .returning(apiKeyColumns)
    .executeTakeFirst()
  if (row !== undefined) return row
  const any = await keysOf(trx, owner).where('id', '=', id).select('id').executeTakeFirst()
  throw new ApiError(any === undefined ? 'api_key_not_found' : 'api_key_revoked')
}

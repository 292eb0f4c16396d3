import { unlistedScopes, type Scope } from '@portico/contract/access'
import type { IssuedApiKey, KeyQuery, KeyRotation, NewKey } from '@portico/contract/api-key-routes'
import type { ApiKey } from '@portico/contract/api-keys'
import { sql, type Transaction } from 'kysely'
import { newestFirst, readPage, type Page } from '../../platform/db/page.js'
import type { DB } from '../../platform/db/schema.js'
import { ApiError, invalid } from '../../platform/errors.js'
import type { Caller } from '../../platform/tenant.js'
import type { Deps } from '../../delivery/deps.js'
import { change, type Changed } from '../../delivery/events/change.js'
import { issueApiKey } from './api-keys.js'
import { keysOf, revokeKey, rotateKey } from './change-key.js'
import { apiKeyColumns, toApiKey } from './record.js'

const yearMs = 365 * 24 * 60 * 60 * 1000
/** A key that outlives its makers is forgotten; so that it can be rotated in time, it has an end unless they say no. */
const defaultLifetimeMs = yearMs
/** With the leap days of five years. */
const maxLifetimeMs = 5 * yearMs + 2 * 24 * 60 * 60 * 1000

/**
 * Creates a key for the caller's account and environment, which can do no more than the caller.
 *
 * @throws ApiError `insufficient_scope` for scopes that the caller lacks, and `invalid_parameters` for an end that is past or
 *   more than five years away, and for organizations that are not the account's.
 */
export function createAccountKey(
  deps: Deps,
  caller: Caller,
  { name, scopes, organization_ids: organizations, expires_at }: NewKey,
): Promise<Changed<IssuedApiKey>> {
  checkScopes(caller, scopes ?? unlistedScopes)
  const key = {
    accountId: caller.accountId,
    environment: caller.environment,
    name,
    scopes: scopes === null ? null : [...new Set(scopes)],
    organizationIds: organizations == null ? null : [...new Set(organizations)],
    expiresAt: toExpiry(expires_at, deps.now()),
  }
  return change(deps, caller.cause, async (trx) => {
    if (key.organizationIds !== null) await checkOrganizations(trx, caller, key.organizationIds)
    const { record, credentials } = await issueApiKey(deps, trx, key, caller.cause)
    return { record: { ...record, ...credentials } }
  })
}

/** The keys of the caller's account and environment, newest first. */
export function listAccountKeys(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  caller: Caller,
  { state, ...query }: KeyQuery,
): Promise<Page<ApiKey>> {
  const all = keysOf(db, caller)
  return readPage(
    {
      db,
      query,
      environment: caller.environment,
      order: newestFirst,
      keys: state === undefined ? all : all.where(isInState(state, now())),
      table: 'api_keys',
      rows: all.select(apiKeyColumns),
    },
    (row) => toApiKey(row, caller.accountDomain),
  )
}

/** @throws ApiError `api_key_not_found` */
export async function getAccountKey(
  { db }: Pick<Deps, 'db'>,
  caller: Caller,
  id: string,
): Promise<Changed<ApiKey>> {
  const row = await keysOf(db, caller).where('api_keys.id', '=', id).select(apiKeyColumns).executeTakeFirst()
  if (row === undefined) throw new ApiError('api_key_not_found')
  return { record: toApiKey(row, caller.accountDomain) }
}

/** @throws ApiError `api_key_not_found`, `api_key_revoked`, and `insufficient_scope` for a key that can do more than the caller. */
export async function rotateAccountKey(
  deps: Deps,
  caller: Caller,
  id: string,
  { overlap_in_seconds }: KeyRotation,
): Promise<Changed<IssuedApiKey>> {
  await checkScopesOfKey(deps, caller, id)
  return rotateKey(deps, caller, id, { overlapMs: overlap_in_seconds * 1000 })
}

/** @throws ApiError `api_key_not_found`, `api_key_revoked` */
export function revokeAccountKey(deps: Deps, caller: Caller, id: string): Promise<Changed<ApiKey>> {
  return revokeKey(deps, caller, id)
}

/** A rotation shows the secret: it would give the caller what the key can do. The scopes of a key never change. */
async function checkScopesOfKey(deps: Pick<Deps, 'db'>, caller: Caller, id: string): Promise<void> {
  const { record } = await getAccountKey(deps, caller, id)
  checkScopes(caller, record.scopes ?? unlistedScopes)
}

function checkScopes({ scopes: own }: Caller, wanted: readonly Scope[]): void {
  const lacking = wanted.filter((scope) => !own.includes(scope))
  if (lacking.length === 0) return
  const message = `A key can do no more than its maker, who lacks: ${lacking.join(', ')}.`
  throw new ApiError('insufficient_scope', { message })
}

function toExpiry(given: string | null | undefined, at: Date): Date | null {
  if (given === null) return null
  if (given === undefined) return new Date(at.getTime() + defaultLifetimeMs)
  const expiresAt = new Date(given)
  if (expiresAt <= at) throw invalid('expires_at', 'not_in_the_future', 'must be a time to come')
  if (expiresAt.getTime() > at.getTime() + maxLifetimeMs)
    throw invalid('expires_at', 'too_late', 'must be within five years')
  return expiresAt
}

/** Locks the organizations, so that none is deleted before the key is there. */
async function checkOrganizations(
  trx: Transaction<DB>,
  { accountId, organizationIds }: Caller,
  ids: readonly string[],
): Promise<void> {
  const found = await trx
    .selectFrom('organizations')
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null)
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .where(sql<boolean>`(${organizationIds}::uuid[] is null or id = any(${organizationIds}::uuid[]))`)
    .select('id')
    .forKeyShare()
    .execute()
  if (found.length < ids.length)
    throw invalid('organization_ids', 'not_found', 'must be organizations of the account')
}

function isInState(state: KeyQuery['state'], at: Date) {
  const isExpired = sql`coalesce(api_keys.expires_at <= ${at}, false)`
  if (state === 'revoked') return sql<boolean>`api_keys.revoked_at is not null`
  if (state === 'expired') return sql<boolean>`api_keys.revoked_at is null and ${isExpired}`
  if (state === 'active') return sql<boolean>`api_keys.revoked_at is null and not ${isExpired}`
  // A value that is no state matches nothing.
  return sql<boolean>`false`
}

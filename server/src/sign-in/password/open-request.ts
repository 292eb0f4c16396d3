import type { Kysely, Transaction } from 'kysely'
import { newId } from '../../platform/crypto/random.js'
import { hashSecret, randomSecret } from '../../platform/crypto/secret.js'
import { insertFound } from '../../platform/db/insert-if.js'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { grantedScope } from '../../tokens/scopes.js'
import type { CodeDestination } from '../../directory/sessions/code-destination.js'
import type { Tenant } from '../../platform/tenant.js'
import { voidRenewals } from '../../directory/forget-password.js'
import type { RequestRow } from './record.js'
import { ofTenant, tenantColumns } from '../../platform/db/tenant-predicate.js'

const lifetimeMs = 60 * 60 * 1000

/** A new password request. */
export interface NewRequestRow {
  /** Normalized. */
  readonly email: string
  /** Null when no user has the address. */
  readonly userId: string | null
  readonly destination: CodeDestination
  /** Of a renewal, which needs no link because the user has just signed in. */
  readonly codeHash?: Buffer
  /** The flow that asked for it. */
  readonly flowId?: string
}

/** Stores a password request for an address, valid for an hour. */
export function insertPasswordRequest(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  { email, userId, destination, codeHash, flowId }: NewRequestRow,
): Promise<RequestRow> {
  const at = now()
  return insertFound(trx, 'password_requests', {
    ...tenantColumns(tenant),
    id: newId(),
    user_id: userId,
    email_normalized: email,
    application_id: destination.applicationId,
    redirect_uri: destination.redirectUri,
    code_hash: codeHash ?? null,
    flow_id: flowId ?? null,
    state: destination.state,
    nonce: destination.nonce,
    code_challenge: destination.codeChallenge,
    scope: grantedScope(destination.scope, 'password'),
    expires_at: new Date(at.getTime() + lifetimeMs),
    inserted_at: at,
  })
    .returning(['id', 'user_id', 'expires_at'])
    .executeTakeFirstOrThrow()
}

/** The key of a request. */
interface RequestName {
  readonly requestId: string
  /** Normalized. */
  readonly email: string
}

/** The part of a request that its link takes over. */
interface OpenPasswordRequest {
  readonly destination: CodeDestination
  readonly expiresAt: Date
}

/** The open request of an address; addresses without a user have requests too. */
export async function findOpenPasswordRequest(
  { now }: Pick<Deps, 'now'>,
  db: Kysely<DB>,
  tenant: Tenant,
  { requestId, email }: RequestName,
): Promise<OpenPasswordRequest | undefined> {
  const row = await db
    .selectFrom('password_requests')
    .where(ofTenant(tenant))
    .where('id', '=', requestId)
    .where('email_normalized', '=', email)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now())
    .select(['application_id', 'redirect_uri', 'state', 'nonce', 'code_challenge', 'scope', 'expires_at'])
    .executeTakeFirst()
  if (row === undefined) return undefined
  const destination = {
    applicationId: row.application_id,
    redirectUri: row.redirect_uri,
    state: row.state,
    nonce: row.nonce,
    codeChallenge: row.code_challenge,
    scope: row.scope,
  }
  return { destination, expiresAt: row.expires_at }
}

/**
 * Makes the code that sets a password, for a user who has opened the link sent to their address; it replaces an earlier
 * code of the request. The application that the link redirects to consumes it, or our own page.
 *
 * @returns Undefined when the request is no longer open.
 */
export async function givePasswordCode(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  { requestId, email, userId }: RequestName & { readonly userId: string },
): Promise<string | undefined> {
  const code = randomSecret()
  const at = now()
  const given = await trx
    .updateTable('password_requests')
    .set({ code_hash: hashSecret(code), opened_at: at, user_id: userId })
    .where(ofTenant(tenant))
    .where('id', '=', requestId)
    .where('email_normalized', '=', email)
    .where((where) => where.or([where('user_id', 'is', null), where('user_id', '=', userId)]))
    .where('used_at', 'is', null)
    .where('expires_at', '>', at)
    .returning('id')
    .executeTakeFirst()
  return given === undefined ? undefined : code
}

/**
 * Starts the renewal of a password, without a link, for a user who has just signed in; voids earlier renewals.
 *
 * @returns The code that sets the password.
 */
export async function openRenewal(
  deps: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  { userId, ...of }: Omit<NewRequestRow, 'codeHash'> & { readonly userId: string },
): Promise<string> {
  const code = randomSecret()
  await voidRenewals(deps, trx, tenant, userId)
  await insertPasswordRequest(deps, trx, tenant, { ...of, userId, codeHash: hashSecret(code) })
  return code
}

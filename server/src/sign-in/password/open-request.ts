import type { Kysely, Transaction } from 'kysely'
import { newId } from '../../platform/crypto/random.js'
import { hashSecret, randomSecret } from '../../platform/crypto/secret.js'
import { organizationIdOf } from '../../platform/db/organization-id.js'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { grantedScope } from '../../tokens/scopes.js'
import type { CodeDestination } from '../../directory/sessions/code-destination.js'
import type { Tenant } from '../../platform/tenant.js'
import { voidRenewals } from '../../directory/forget-password.js'
import type { RequestRow } from './record.js'
import { ofTenant } from '../../platform/db/tenant-predicate.js'

const lifetimeMs = 60 * 60 * 1000

/** A password request as it begins. */
export interface NewRequestRow {
  /** Normalized. */
  readonly email: string
  /** Null where no user has the address. */
  readonly userId: string | null
  readonly destination: CodeDestination
  /** Of a request that needs no link, because the user has just signed in. */
  readonly codeHash?: Buffer
  /** The sign-in on our pages that has asked for it. */
  readonly flowId?: string
}

/** Notes that the user of an address wants a password, for an hour. */
export function insertPasswordRequest(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  { email, userId, destination, codeHash, flowId }: NewRequestRow,
): Promise<RequestRow> {
  const at = now()
  return trx
    .insertInto('password_requests')
    .values({
      account_id: tenant.accountId,
      environment: tenant.environment,
      organization_id: organizationIdOf(tenant),
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

/** Which request, and whose. */
interface RequestName {
  readonly requestId: string
  /** Normalized. */
  readonly email: string
}

/** What a link takes over from the request that it carries. */
interface OpenPasswordRequest {
  readonly destination: CodeDestination
  readonly expiresAt: Date
}

/** The request of an address, as long as it can lead to a password; there are some of addresses without a user. */
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
 * Gives the owner of an address, who has just opened a link that was sent there, the code that sets their password; it
 * takes the place of an earlier one of the request. The application that the link redirects to takes it, or our own page.
 *
 * @returns Undefined when the request does not lead to a password any more.
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
 * Lets a user who has just signed in renew their password, without a link; what was open before is not any more.
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

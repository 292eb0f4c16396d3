import { sql, type Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import { statement } from '../../platform/db/statement.js'
import type { Deps } from '../../delivery/deps.js'
import { grantedScope } from '../../tokens/scopes.js'
import type { RequestedClaims } from '../../tokens/user-claims.js'
import { completeFirstFactorInFlow } from './pending-sign-in.js'
import { ofUser, type Tenant } from '../../platform/tenant.js'
import type { FlowKey, Step } from './flow.js'
import { ofOwner, sameTenant } from '../../platform/db/tenant-predicate.js'

/** A flow locked by the transaction, with what a passed factor is bound to. */
export type LockedFlow = FlowKey & Awaited<ReturnType<typeof selectHeld>>[number]

/**
 * Locks a flow that is open and at one of the steps, so that concurrent requests wait for the transaction.
 *
 * @param browserHash Digest of a browser's flow secret; undefined where the browser has none.
 */
export async function lockFlow(
  deps: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  key: FlowKey,
  at: { readonly steps: readonly Step[]; readonly browserHash?: Buffer | undefined },
): Promise<LockedFlow | undefined> {
  const { steps, browserHash = null } = at
  const [row] = await selectHeld(trx, { ...key, steps, browserHash, at: deps.now() })
  const { accountId, environment, organizationId, flowId } = key
  return row === undefined ? undefined : { ...row, accountId, environment, organizationId, flowId }
}

interface HoldingKey extends FlowKey {
  readonly steps: readonly Step[]
  readonly browserHash: Buffer | null
  readonly at: Date
}

const selectHeld = statement((db, key: HoldingKey) =>
  db
    .selectFrom('sign_in_flows')
    .where(ofOwner(key))
    .where('id', '=', key.flowId)
    .where(sql<boolean>`step = any(${key.steps}::text[])`)
    .where('used_at', 'is', null)
    .where('expires_at', '>', key.at)
    .select([
      'application_id',
      'redirect_uri',
      'state',
      'nonce',
      'code_challenge',
      'scope',
      'is_mfa_required',
      sql<RequestedClaims | null>`claims`.as('claims'),
      'is_sign_in_forced',
      'authenticated_at',
      'inserted_at',
      'email_normalized',
      'connection_id',
      'session_id',
      'social_provider_id',
      'user_id',
      'amr',
      'enrollment_id',
      'pending_sign_in_id',
      'is_recovery_code_used',
      'is_renewal_due',
      'invitation_id',
      'is_invitation_mailed',
      sql<boolean>`coalesce(browser_hash = ${key.browserHash}::bytea, false)`.as('is_own_browser'),
      isPasswordOffered().as('is_password_offered'),
    ])
    .forUpdate(),
)

/** A user who comes in by an invitation may choose a password, where users have them. */
function isPasswordOffered() {
  return sql<boolean>`(
    invitation_id is not null
    and exists (
      select from password_connections as connection
      where ${sameTenant('connection', 'sign_in_flows')} and connection.active
    )
  )`
}

/** A first factor that a user has passed. */
interface PassedFactor {
  readonly tenant: Tenant
  readonly userId: string
  /** The user was created by it. */
  readonly isNew?: boolean | undefined
  readonly amr: readonly string[]
  /** The time of authentication, if it is not now. */
  readonly authenticatedAt?: Date
  /** The identity asserted by an identity provider. */
  readonly identityId?: string
}

/**
 * Completes the first factor of a locked flow, as completeFirstFactorInFlow() does.
 *
 * @returns The new step of the flow; undefined when it was not at a first factor.
 */
export function completeFactorOfLockedFlow(
  deps: Pick<Deps, 'config' | 'db' | 'now'>,
  trx: Transaction<DB>,
  held: LockedFlow,
  { tenant, userId, isNew = false, amr, authenticatedAt = deps.now(), identityId }: PassedFactor,
): Promise<Step | undefined> {
  const signIn = {
    tenant: ofUser(tenant, userId),
    organizationId: held.organizationId,
    userId,
    applicationId: held.application_id,
    redirectUri: held.redirect_uri,
    amr,
    authenticatedAt,
    identityId,
    nonce: held.nonce,
    codeChallenge: held.code_challenge,
    scope: amr.includes('sso') ? grantedScope(held.scope, 'sso') : held.scope,
    state: held.state,
    via: 'page' as const,
    isRenewalDue: isNew && held.is_password_offered,
  }
  const flow = { flowId: held.flowId, isMfaRequired: held.is_mfa_required, claims: held.claims }
  return completeFirstFactorInFlow(deps, trx, signIn, flow)
}

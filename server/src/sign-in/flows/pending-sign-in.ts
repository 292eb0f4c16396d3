import { sql, type Kysely, type Transaction } from 'kysely'
import { isOpenForSignIn } from '../../directory/usable.js'
import { newId } from '../../platform/crypto/random.js'
import type { DB } from '../../platform/db/schema.js'
import { statement } from '../../platform/db/statement.js'
import type { Deps } from '../../delivery/deps.js'
import type { Flow, FlowKey, Step } from './flow.js'
import { holdsPasskey } from './holds-passkey.js'
import { recoversPasskeys } from './recovers-passkeys.js'
import { firstFactorSteps, moveFlow } from './step.js'
import { ofUser, type Tenant } from '../../platform/tenant.js'
import {
  addPasskeyByOfUserOf,
  enrollByOfUserOf,
  isPasskeyAskedOfUserOf,
} from '../../directory/sessions/factor-due.js'
import { arePasskeysOfferedTo } from '../../directory/sessions/passkeys-offered.js'
import { isSecondFactorMissing, isTotpAskedOfUserOf } from '../../directory/sessions/totp-asked.js'
import { isSsoRequiredOf } from '../../directory/domains/authority.js'
import type { CodeDestination } from '../../directory/sessions/code-destination.js'
import { demandsPasskey } from '../../tokens/acr.js'
import { completeSignIn, type CompletedFactors } from '../../directory/sessions/complete-sign-in.js'
import { isEmailDomainAllowed } from '../../directory/allowed-domain.js'
import {
  isOrganizationOf,
  ofTenant,
  ownerColumns,
  sameEnvironment,
  sameTenant,
} from '../../platform/db/tenant-predicate.js'

/** How long a user has for the second factor. */
const lifetimeMs = 10 * 60 * 1000

/** A passed first factor, and the destination of its sign-in. */
interface FirstFactor extends Omit<CompletedFactors, 'act'> {
  /** The password is to be renewed, which takes every factor of the user; or a first one is offered. */
  readonly isRenewalDue?: boolean
}

/** A passed first factor either signs in, or waits for a second one. */
type FirstFactorOutcome =
  | { readonly code: string }
  | {
      readonly pendingSignInId: string
      readonly expiresAt: Date
      readonly error: 'totp_required' | 'passkey_required'
    }
  | { readonly refused: RefusedFactor }

/** Why a first factor by the API is refused: what the user has to enrol on our pages, or by the API. */
export type RefusedFactor = 'totp_enrollment_required' | 'passkey_enrollment_required'

/**
 * The only continuation of a passed first factor: a user with a validated TOTP enrolment, in an organization that asks
 * for it, has to pass the second one, as one with a passkey where passkeys are demanded; who has to enrol one is refused; every other
 * user is signed in. The database decides, not the caller.
 */
export async function completeFirstFactor(
  deps: Pick<Deps, 'config' | 'db' | 'now'>,
  trx: Transaction<DB>,
  signIn: FirstFactor,
): Promise<FirstFactorOutcome> {
  const { next, demandedBy } = await findDemand(deps, trx, signIn.tenant, signIn.userId)
  if (next === 'totp' || next === 'passkey')
    return { ...(await insertPendingSignIn(deps, trx, signIn)), error: `${next}_required` }
  if (next === 'enroll')
    return {
      refused: demandedBy === 'passkeys' ? 'passkey_enrollment_required' : 'totp_enrollment_required',
    }
  return { code: await completeSignIn(deps, trx, signIn) }
}

/**
 * The same in a flow: moves it on; finishing the flow signs the user in.
 *
 * @returns The new step; undefined when the flow has ended, or was not at a first factor.
 */
export async function completeFirstFactorInFlow(
  deps: Pick<Deps, 'config' | 'db' | 'now'>,
  trx: Transaction<DB>,
  signIn: FirstFactor,
  { flowId, isMfaRequired, claims }: Pick<Flow, 'flowId' | 'isMfaRequired' | 'claims'>,
): Promise<Step | undefined> {
  // After SSO the organization asks for nothing.
  const isAskable = isMfaRequired || !signIn.amr.includes('sso')
  const next = isAskable ? await nextFactorOf(deps, trx, signIn.tenant, signIn.userId) : undefined
  const isPasskeyRequired = demandsPasskey(claims)
  const demanded = { isAsked: next !== undefined, isMfaRequired, isPasskeyRequired }
  const isMissing = isSecondFactorMissing(signIn.amr, demanded)
  const isRecovering = await recoversPasskeys(deps, trx, signIn, { ...signIn, sessionId: null })
  // A user with a passkey is asked for it, and enrols nothing, unless the sign-in recovers them.
  const isHeld = !isRecovering && isMissing && (await holdsPasskey(deps, trx, signIn))
  // The end of the sign-in tells the application that it gets none.
  const isVain = isPasskeyRequired && isMissing && !isHeld && !(await arePasskeysOffered(deps, trx, signIn))
  const isAsked = isMissing && !isVain && (next === 'totp' || isHeld)
  const pending = isAsked ? await insertPendingSignIn(deps, trx, signIn, flowId) : undefined
  const isRenewalDue = signIn.isRenewalDue ?? false
  const isEnrolling = isMissing || isRecovering
  // Without its second factor it ends there, and renews no password on the way.
  const passed = isVain ? 'ready' : stepAfterFactors(isRenewalDue)
  const step = isAsked ? 'totp' : isEnrolling && !isVain ? 'enroll' : passed
  const isMoved = await moveFlow(deps, trx, flowKeyOf(signIn, flowId), {
    from: [...firstFactorSteps, 'identity_provider', 'social_provider', 'prove_address', 'join'],
    to: step,
    set: {
      user_id: signIn.userId,
      identity_id: signIn.identityId ?? null,
      // After SSO the granted scope replaces the one of the flow.
      ...(signIn.identityId !== undefined && { scope: signIn.scope }),
      amr: [...signIn.amr],
      authenticated_at: signIn.authenticatedAt,
      pending_sign_in_id: pending?.pendingSignInId ?? null,
      is_recovery_code_used: false,
      is_renewal_due: isRenewalDue,
      link_code_sealed: null,
    },
  })
  return isMoved ? step : undefined
}

/** Whether a user may add a passkey of the pages. */
async function arePasskeysOffered(
  { config }: Pick<Deps, 'config'>,
  db: Kysely<DB>,
  { tenant, userId }: Pick<FirstFactor, 'tenant' | 'userId'>,
): Promise<boolean> {
  if (config.passkeyRpId === undefined) return false
  const row = await db
    .selectFrom('users')
    .where(ofTenant(tenant, 'users'))
    .where('users.id', '=', userId)
    .where(arePasskeysOfferedTo('users'))
    .select('users.id')
    .executeTakeFirst()
  return row !== undefined
}

/** The step after every factor has passed. */
export function stepAfterFactors(isRenewalDue: boolean): Step {
  return isRenewalDue ? 'renew_password' : 'ready'
}

function flowKeyOf(
  { tenant, organizationId }: Pick<CompletedFactors, 'tenant' | 'organizationId'>,
  flowId: string,
): FlowKey {
  const { accountId, environment } = tenant
  return { accountId, environment, organizationId, flowId }
}

/** Stores a passed first factor that waits for the second one. */
export async function insertPendingSignIn(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  signIn: FirstFactor,
  flowId: string | null = null,
): Promise<{ readonly pendingSignInId: string; readonly expiresAt: Date }> {
  const at = now()
  const id = newId()
  const expiresAt = new Date(at.getTime() + lifetimeMs)
  await trx
    .insertInto('pending_sign_ins')
    .values({
      ...ownerColumns({ ...signIn.tenant, organizationId: signIn.organizationId }),
      id,
      user_id: signIn.userId,
      application_id: signIn.applicationId,
      redirect_uri: signIn.redirectUri,
      amr: [...signIn.amr],
      authenticated_at: signIn.authenticatedAt,
      is_renewal_due: signIn.isRenewalDue ?? false,
      state: signIn.state,
      nonce: signIn.nonce,
      code_challenge: signIn.codeChallenge,
      scope: signIn.scope,
      flow_id: flowId,
      expires_at: expiresAt,
      inserted_at: at,
    })
    .execute()
  return { pendingSignInId: id, expiresAt }
}

/**
 * What the organization asks of a user after a first factor of ours. `totp`: the code that the user has enrolled; `passkey`: the one
 * that they hold, where passkeys are demanded; `enroll`: to enrol a second factor, which the organization demands; `offer`: the same,
 * which the user may put off still.
 */
export type NextFactor = 'totp' | 'passkey' | 'enroll' | 'offer'

/** Whether nobody is signed in before the factor. */
export function isFactorMissing(next: NextFactor | undefined): boolean {
  return next !== undefined && next !== 'offer'
}

/** What an application demands of a sign-in. */
interface DemandedFactors {
  readonly isMfaRequired: boolean
  /** It takes a passkey alone. */
  readonly isPasskeyRequired: boolean
}

/** Whether a first factor would lead to an enrolment of the user, which takes a proof of this sign-in. */
export async function leadsToEnrolment(
  deps: Pick<Deps, 'config' | 'now'>,
  db: Kysely<DB>,
  of: { readonly tenant: Tenant; readonly userId: string },
  { isMfaRequired, isPasskeyRequired }: DemandedFactors,
): Promise<boolean> {
  const next = await nextFactorOf(deps, db, of.tenant, of.userId)
  if (next === 'enroll' || next === 'offer' || (isMfaRequired && next === undefined)) return true
  return isPasskeyRequired && !(await holdsPasskey(deps, db, of))
}

export async function nextFactorOf(
  deps: Pick<Deps, 'config' | 'now'>,
  db: Kysely<DB>,
  tenant: Tenant,
  userId: string,
): Promise<NextFactor | undefined> {
  return (await findDemand(deps, db, tenant, userId)).next
}

/** What is asked of a user after a first factor of ours. */
interface Demand {
  readonly next: NextFactor | undefined
  /** By when a second factor has to be enrolled; null where nothing demands one, or the user has it. */
  readonly enrollBy: Date | null
  /** What demands it first: the policy of the organization, or its settings of passkeys. */
  readonly demandedBy: 'policy' | 'passkeys'
}

export async function findDemand(
  { config, now }: Pick<Deps, 'config' | 'now'>,
  db: Kysely<DB>,
  tenant: Tenant,
  userId: string,
): Promise<Demand> {
  const [asked] = await selectAsked(db, { ...tenant, userId, rpId: config.passkeyRpId ?? null })
  const byPolicy = asked?.enroll_by ?? null
  const byPasskeys = asked?.add_passkey_by ?? null
  const isPolicyFirst = byPasskeys === null || (byPolicy !== null && byPolicy <= byPasskeys)
  const enrollBy = isPolicyFirst ? byPolicy : byPasskeys
  const demand = { enrollBy, demandedBy: isPolicyFirst ? 'policy' : 'passkeys' } as const
  if (asked?.is_totp_asked === true) return { ...demand, next: 'totp' }
  if (asked?.is_passkey_asked === true) return { ...demand, next: 'passkey' }
  return { ...demand, next: enrollBy === null ? undefined : enrollBy <= now() ? 'enroll' : 'offer' }
}

interface AskedUser extends Pick<Tenant, 'accountId' | 'environment' | 'domain' | 'organizationIds'> {
  readonly userId: string
  /** The domain of passkeys; null where the service has none. */
  readonly rpId: string | null
}

const selectAsked = statement((db, user: AskedUser) =>
  db
    .selectFrom('users')
    .where(ofTenant(user, 'users'))
    .where('users.id', '=', user.userId)
    .select([
      isTotpAskedOfUserOf('users').as('is_totp_asked'),
      isPasskeyAskedOfUserOf('users', user.rpId).as('is_passkey_asked'),
      enrollByOfUserOf('users', user.rpId).as('enroll_by'),
      addPasskeyByOfUserOf('users', user.rpId).as('add_passkey_by'),
    ]),
)

interface SoughtSignIn {
  readonly pendingSignInId: string
  /** Undefined: of anybody. */
  readonly userId?: string
  /** Null: of the API. */
  readonly flowId: string | null
}

/**
 * A user's sign-in that waits for the second factor, of a flow or, with null, of the API; undefined when it is unknown,
 * used or expired.
 */
export function findPendingSignIn(
  { now }: Pick<Deps, 'now'>,
  db: Kysely<DB>,
  tenant: Tenant,
  { pendingSignInId, userId, flowId }: SoughtSignIn,
) {
  return db
    .selectFrom('pending_sign_ins')
    .where(ofTenant(tenant))
    .where('id', '=', pendingSignInId)
    .where('user_id', '=', userId ?? sql.ref<string>('user_id'))
    .where('flow_id', 'is not distinct from', flowId)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now())
    .select(['id', 'expires_at', 'user_id', 'application_id'])
    .executeTakeFirst()
}

/** A passed second factor, and the sign-in that it completes. */
interface SecondFactor {
  readonly pendingSignInId: string
  readonly userId: string
  /** A name of RFC 8176: otp, sms or pop. */
  readonly amr: string
}

/**
 * Completes the sign-in of a user who has passed both factors; one statement consumes the pending sign-in. The caller
 * has checked, in the same transaction, that the user is active.
 *
 * @returns The code, and the renewal that is due; undefined when the sign-in is not pending, or no longer allowed.
 */
export async function completePendingSignIn(
  deps: Pick<Deps, 'config' | 'db' | 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  { pendingSignInId, userId, amr }: SecondFactor,
): Promise<CompletedSignIn | undefined> {
  const at = deps.now()
  const consumedFlow = await trx
    .updateTable('pending_sign_ins as pending')
    .set({ used_at: at })
    .from(['users', 'organizations', 'applications'])
    .where(ofTenant(tenant, 'pending'))
    .where('pending.id', '=', pendingSignInId)
    .where('pending.user_id', '=', userId)
    .where('pending.used_at', 'is', null)
    .where('pending.expires_at', '>', at)
    .where(isAnyWayOpen())
    .where(sameTenant('users', 'pending'))
    .whereRef('users.id', '=', 'pending.user_id')
    .where(isOrganizationOf('organizations', 'pending'))
    .where(sameEnvironment('applications', 'pending'))
    .whereRef('applications.id', '=', 'pending.application_id')
    .returning([
      'pending.organization_id',
      'pending.application_id',
      'pending.redirect_uri',
      'pending.amr',
      'pending.authenticated_at',
      'pending.state',
      'pending.nonce',
      'pending.code_challenge',
      'pending.scope',
      'pending.is_renewal_due',
      'pending.flow_id',
      sessionOfFlow().as('session_id'),
      isPasskeyRequiredOfFlow().as('is_passkey_required'),
      'users.email_normalized',
      'organizations.allowed_email_domains',
      isSsoRequiredOf('users').as('is_sso_required'),
      sql<boolean>`(
        ${isOpenForSignIn(sql.ref('pending.organization_id'))}
        and pending.redirect_uri = any(applications.allowed_redirect_urls)
      )`.as('is_redirect_allowed'),
    ])
    .executeTakeFirst()
  if (consumedFlow === undefined || !consumedFlow.is_redirect_allowed) return undefined
  if (consumedFlow.is_sso_required && !consumedFlow.amr.includes('sso')) return undefined
  if (!isEmailDomainAllowed(consumedFlow.allowed_email_domains, consumedFlow.email_normalized))
    return undefined
  const bothFactors = [...consumedFlow.amr.filter((name) => name !== 'mfa'), amr, 'mfa']
  if (consumedFlow.flow_id !== null) {
    const key = flowKeyOf({ tenant, organizationId: consumedFlow.organization_id }, consumedFlow.flow_id)
    const { authenticated_at: authenticatedAt, session_id: sessionId } = consumedFlow
    const proof = { amr: consumedFlow.amr, authenticatedAt, sessionId }
    // A code comes before the recovery of passkeys, and before the first one; a passkey shows that none is needed.
    const of = { tenant, userId }
    const isAdding =
      amr !== 'pop' &&
      ((await recoversPasskeys(deps, trx, of, proof)) ||
        (consumedFlow.is_passkey_required && !(await holdsPasskey(deps, trx, of))))
    const isMoved = await moveFlow(deps, trx, key, {
      from: ['totp'],
      to: isAdding ? 'enroll' : stepAfterFactors(consumedFlow.is_renewal_due),
      set: { amr: bothFactors, authenticated_at: at, pending_sign_in_id: null },
    })
    return isMoved ? { code: null } : undefined
  }
  const destination = {
    applicationId: consumedFlow.application_id,
    redirectUri: consumedFlow.redirect_uri,
    state: consumedFlow.state,
    nonce: consumedFlow.nonce,
    codeChallenge: consumedFlow.code_challenge,
    scope: consumedFlow.scope,
  }
  const code = await completeSignIn(deps, trx, {
    ...destination,
    tenant: ofUser(tenant, userId),
    organizationId: consumedFlow.organization_id,
    userId,
    amr: bothFactors,
    authenticatedAt: at,
    via: 'api',
  })
  return {
    code,
    ...(consumedFlow.is_renewal_due && { renewal: { email: consumedFlow.email_normalized, destination } }),
  }
}

/**
 * Ends a sign-in that waits for the second factor, where another step takes the place of that; one statement consumes it.
 *
 * @returns Whether it was pending, and its first factor is one still.
 */
export async function endPendingSignIn(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  { pendingSignInId, userId }: Pick<SecondFactor, 'pendingSignInId' | 'userId'>,
): Promise<boolean> {
  const at = now()
  const ended = await trx
    .updateTable('pending_sign_ins as pending')
    .set({ used_at: at })
    .where(ofTenant(tenant, 'pending'))
    .where('pending.id', '=', pendingSignInId)
    .where('pending.user_id', '=', userId)
    .where('pending.used_at', 'is', null)
    .where('pending.expires_at', '>', at)
    .where(isAnyWayOpen())
    .returning('pending.id')
    .executeTakeFirst()
  return ended !== undefined
}

/** A sign-in with both factors. */
interface CompletedSignIn {
  /** Null in a flow, which makes its code when it finishes. */
  readonly code: string | null
  /** The address and destination of the password renewal that is due. */
  readonly renewal?: { readonly email: string; readonly destination: CodeDestination }
}

/** The session that the flow of a pending sign-in only adds a factor to. */
function sessionOfFlow() {
  return sql<string | null>`(
    select flow.session_id from sign_in_flows as flow
    where ${sameTenant('flow', 'pending')} and flow.id = pending.flow_id
  )`
}

/** Whether the application of the flow takes no other second factor than a passkey. */
function isPasskeyRequiredOfFlow() {
  return sql<boolean>`exists (
    select from sign_in_flows as flow
    where ${sameTenant('flow', 'pending')} and flow.id = pending.flow_id and flow.claims ->> 'phr' = 'required'
  )`
}

/**
 * Whether a method of the first factor is still active: a password set by a link is accepted where links do not sign
 * in. SSO uses neither method, and has its own check.
 */
function isAnyWayOpen() {
  return sql<boolean>`(
    not (pending.amr && array['pwd', 'email'])
    or ${isWayOpen('pwd', 'password_connections')}
    or ${isWayOpen('email', 'magic_link_connections')}
  )`
}

function isWayOpen(amr: string, connections: 'password_connections' | 'magic_link_connections') {
  return sql<boolean>`(
    ${amr} = any(pending.amr)
    and exists (
      select from ${sql.table(connections)} as connection
      where connection.account_id = pending.account_id
        and connection.environment = pending.environment
        and connection.organization_id = pending.organization_id
        and connection.active
    )
  )`
}

import { sql, type Kysely, type Transaction } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { isUsableBy } from '../applications/usable.js'
import { organizationIdOf } from '../db/organization-id.js'
import type { DB } from '../db/schema.js'
import type { Deps } from '../deps.js'
import { ofUser, type Tenant } from '../tenant.js'
import type { CodeDestination } from './code-destination.js'
import { completeSignIn, isEmailDomainAllowed, type PassedSignIn } from './complete-sign-in.js'

/** How long a user has for the second factor. */
const lifetimeMs = 10 * 60 * 1000

/** A passed first factor, and where its sign-in goes. */
export interface FirstFactor extends Omit<PassedSignIn, 'act'> {
  /** The password is to be renewed, which whoever knows it alone may not do. */
  readonly isRenewalDue?: boolean
}

/** A passed first factor either signs in, or waits for a second one. */
export type FirstFactorOutcome =
  { readonly code: string } | { readonly pendingSignInId: string; readonly expiresAt: Date }

/**
 * The one way on from a passed first factor: a user with a validated TOTP enrolment, in an organization that asks for
 * it, has to pass the second one; everybody else is signed in. Which it is, the database says, and no caller.
 */
export async function passFirstFactor(
  deps: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  signIn: FirstFactor,
): Promise<FirstFactorOutcome> {
  if (!(await isTotpAskedOf(trx, signIn.tenant, signIn.userId)))
    return { code: await completeSignIn(deps, trx, signIn) }
  const at = deps.now()
  const id = uuidv7()
  const expiresAt = new Date(at.getTime() + lifetimeMs)
  await trx
    .insertInto('pending_sign_ins')
    .values({
      account_id: signIn.tenant.accountId,
      environment: signIn.tenant.environment,
      organization_id: signIn.organizationId,
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
      expires_at: expiresAt,
      inserted_at: at,
    })
    .execute()
  return { pendingSignInId: id, expiresAt }
}

/** Whether the organization asks for TOTP and the user has a validated enrolment. */
export async function isTotpAskedOf(trx: Transaction<DB>, tenant: Tenant, userId: string): Promise<boolean> {
  const asked = await trx
    .selectFrom('totp_connections as connection')
    .innerJoin('totp_enrollments as enrollment', (join) =>
      join
        .onRef('enrollment.account_id', '=', 'connection.account_id')
        .onRef('enrollment.environment', '=', 'connection.environment')
        .onRef('enrollment.organization_id', '=', 'connection.organization_id'),
    )
    .where('connection.account_id', '=', tenant.accountId)
    .where('connection.environment', '=', tenant.environment)
    .where('connection.organization_id', '=', organizationIdOf(tenant))
    .where('connection.active', '=', true)
    .where('enrollment.user_id', '=', userId)
    .where('enrollment.validated_at', 'is not', null)
    .select('enrollment.user_id')
    .executeTakeFirst()
  return asked !== undefined
}

/** The sign-in of a user that waits for the second factor; undefined when there is none, or not any more. */
export function findPendingSignIn(
  { now }: Pick<Deps, 'now'>,
  db: Kysely<DB>,
  tenant: Tenant,
  { pendingSignInId, userId }: Omit<SecondFactor, 'amr'>,
) {
  return db
    .selectFrom('pending_sign_ins')
    .where('account_id', '=', tenant.accountId)
    .where('environment', '=', tenant.environment)
    .where('organization_id', '=', organizationIdOf(tenant))
    .where('id', '=', pendingSignInId)
    .where('user_id', '=', userId)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now())
    .select(['id', 'expires_at'])
    .executeTakeFirst()
}

/** Which sign-in of whom, and by what the second factor was passed. */
export interface SecondFactor {
  readonly pendingSignInId: string
  readonly userId: string
  /** A name of RFC 8176: otp or sms. */
  readonly amr: string
}

/**
 * Signs in who has passed the second factor as well, once: one statement spends what waited for it. The caller has
 * checked, in the same transaction, that the user is active.
 *
 * @returns The authorization code, and to whom a renewal of the password is due; undefined when nothing waits any more, or what it was for is not allowed by now.
 */
export async function completePendingSignIn(
  deps: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  { pendingSignInId, userId, amr }: SecondFactor,
): Promise<CompletedSignIn | undefined> {
  const at = deps.now()
  const spent = await trx
    .updateTable('pending_sign_ins as pending')
    .set({ used_at: at })
    .from(['users', 'organizations', 'applications'])
    .where('pending.account_id', '=', tenant.accountId)
    .where('pending.environment', '=', tenant.environment)
    .where('pending.organization_id', '=', organizationIdOf(tenant))
    .where('pending.id', '=', pendingSignInId)
    .where('pending.user_id', '=', userId)
    .where('pending.used_at', 'is', null)
    .where('pending.expires_at', '>', at)
    .where(isWayOpen('pwd', 'password_connections'))
    .where(isWayOpen('email', 'magic_link_connections'))
    .whereRef('users.account_id', '=', 'pending.account_id')
    .whereRef('users.environment', '=', 'pending.environment')
    .whereRef('users.organization_id', '=', 'pending.organization_id')
    .whereRef('users.id', '=', 'pending.user_id')
    .whereRef('organizations.account_id', '=', 'pending.account_id')
    .whereRef('organizations.id', '=', 'pending.organization_id')
    .whereRef('applications.account_id', '=', 'pending.account_id')
    .whereRef('applications.environment', '=', 'pending.environment')
    .whereRef('applications.id', '=', 'pending.application_id')
    .returning([
      'pending.organization_id',
      'pending.application_id',
      'pending.redirect_uri',
      'pending.amr',
      'pending.state',
      'pending.nonce',
      'pending.code_challenge',
      'pending.scope',
      'pending.is_renewal_due',
      'users.email_normalized',
      'organizations.allowed_email_domains',
      sql<boolean>`(
        ${isUsableBy(sql.ref('pending.organization_id'))}
        and pending.redirect_uri = any(applications.allowed_redirect_urls)
      )`.as('is_redirect_allowed'),
    ])
    .executeTakeFirst()
  if (spent === undefined || !spent.is_redirect_allowed) return undefined
  if (!isEmailDomainAllowed(spent.allowed_email_domains, spent.email_normalized)) return undefined
  const destination = {
    applicationId: spent.application_id,
    redirectUri: spent.redirect_uri,
    state: spent.state,
    nonce: spent.nonce,
    codeChallenge: spent.code_challenge,
  }
  const code = await completeSignIn(deps, trx, {
    ...destination,
    tenant: ofUser(tenant, userId),
    organizationId: spent.organization_id,
    userId,
    amr: [...spent.amr, amr, 'mfa'],
    authenticatedAt: at,
    scope: spent.scope,
    via: 'api',
  })
  return { code, ...(spent.is_renewal_due && { renewal: { email: spent.email_normalized, destination } }) }
}

/** A sign-in with both factors. */
export interface CompletedSignIn {
  readonly code: string
  /** Where the password is to be renewed: of which address, and for which application. */
  readonly renewal?: { readonly email: string; readonly destination: CodeDestination }
}

/** Whether the first factor was another one, or is still one that the organization takes. */
function isWayOpen(amr: string, connections: 'password_connections' | 'magic_link_connections') {
  return sql<boolean>`(
    ${amr} <> all(pending.amr)
    or exists (
      select from ${sql.table(connections)} as connection
      where connection.account_id = pending.account_id
        and connection.environment = pending.environment
        and connection.organization_id = pending.organization_id
        and connection.active
    )
  )`
}

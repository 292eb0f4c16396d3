import type { Transaction } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import { change } from '../../delivery/events/change.js'
import { isEnrollmentDueOfUserOf } from '../../directory/sessions/factor-due.js'
import { isTotpAskedOfUserOf } from '../../directory/sessions/totp-asked.js'
import { isLately } from '../../directory/sessions/lately.js'
import { isPasskeyHeldSinceBefore } from '../../directory/sessions/passkey-held.js'
import { liveBrowserSessions } from '../../directory/sessions/browser-session.js'
import type { SessionOfUser } from '../../directory/sessions/sign-out.js'
import { usersOf } from '../../directory/users/whole-user.js'
import type { DB } from '../../platform/db/schema.js'
import { ofTenant } from '../../platform/db/tenant-predicate.js'
import type { Tenant } from '../../platform/tenant.js'

/** What a change of one's own account takes. */
export type Needed = 'session' | 'fresh_session'

/**
 * Runs a change that users make to their own account, in one transaction with the check of the session that asks for it. The user
 * is locked first, as by everything that ends sessions, so that an end of the session either precedes the change or follows it.
 *
 * @returns 'stale' where the session has ended, is a member of staff's, or is not fresh and has to be: nothing has happened.
 */
export async function changeOwnAccount<Result>(
  deps: Deps,
  tenant: Tenant,
  session: SessionOfUser,
  needed: Needed,
  work: (within: Deps, trx: Transaction<DB>) => Promise<Result>,
): Promise<Result | 'stale'> {
  const { record } = await change(deps, tenant.cause, async (trx): Promise<{ record: Result | 'stale' }> => {
    await usersOf(trx, tenant)
      .where('users.id', '=', session.userId)
      .select('users.id')
      .forNoKeyUpdate()
      .execute()
    if (!(await isGood(deps, trx, tenant, session, needed))) return { record: 'stale' }
    return { record: await work({ ...deps, db: trx }, trx) }
  })
  return record
}

/** A session is fresh by a sign-in of the last minutes, with the strongest factor of the user. */
async function isGood(
  { config, now }: Pick<Deps, 'config' | 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  { userId, sessionId }: SessionOfUser,
  needed: Needed,
): Promise<boolean> {
  const at = now()
  const row = await liveBrowserSessions(trx, at)
    .where(ofTenant(tenant, 'sessions'))
    .where('sessions.id', '=', sessionId)
    .where('sessions.user_id', '=', userId)
    .where('sessions.impersonation_id', 'is', null)
    .select([
      'sessions.amr',
      'sessions.authenticated_at',
      isTotpAskedOfUserOf('sessions').as('is_totp_asked'),
      isEnrollmentDueOfUserOf('sessions', at, config.passkeyRpId ?? null).as('is_enrollment_due'),
      isPasskeyHeldSinceBefore('sessions', config.passkeyRpId).as('is_passkey_held'),
    ])
    .forNoKeyUpdate('sessions')
    .executeTakeFirst()
  if (row === undefined || needed === 'session') return row !== undefined
  return isFresh(at, {
    amr: row.amr,
    authenticatedAt: row.authenticated_at,
    isTotpAsked: row.is_totp_asked,
    isEnrollmentDue: row.is_enrollment_due,
    isPasskeyHeld: row.is_passkey_held,
  })
}

/** Whether the user of a session held a passkey when they signed in, so that the session is fresh by it alone. */
export async function isPasskeyAsked(
  { config, db }: Pick<Deps, 'config' | 'db'>,
  tenant: Tenant,
  { userId, sessionId }: SessionOfUser,
): Promise<boolean> {
  const row = await db
    .selectFrom('sessions')
    .where(ofTenant(tenant, 'sessions'))
    .where('sessions.id', '=', sessionId)
    .where('sessions.user_id', '=', userId)
    .select(isPasskeyHeldSinceBefore('sessions', config.passkeyRpId).as('is_held'))
    .executeTakeFirst()
  return row?.is_held ?? false
}

interface Freshness {
  readonly amr: readonly string[]
  readonly authenticatedAt: Date
  readonly isTotpAsked: boolean
  readonly isEnrollmentDue: boolean
  readonly isPasskeyHeld: boolean
}

/**
 * Whether a session proves that its user is there now, by the strongest factor that they have: a passkey, else a second factor,
 * else what signs them in. The identity provider of an SSO sign-in answers for its factors.
 */
export function isFresh(at: Date, session: Freshness): boolean {
  const { amr, isTotpAsked, isEnrollmentDue, isPasskeyHeld } = session
  if (!isRecent(at, session)) return false
  if (amr.includes('sso')) return true
  if (isPasskeyHeld) return amr.includes('pop')
  return amr.includes('mfa') || !(isTotpAsked || isEnrollmentDue)
}

/** Whether the user has signed in lately, with whatever it was. */
export function isRecent(at: Date, { authenticatedAt }: Pick<Freshness, 'authenticatedAt'>): boolean {
  return isLately(at, authenticatedAt)
}

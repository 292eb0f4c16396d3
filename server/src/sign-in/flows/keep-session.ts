import type { Transaction } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import { noteSignIn, openSession, type OpenedSession } from '../../directory/sessions/complete-sign-in.js'
import { expiryFrom, expiryOf, isUnexpired } from '../../directory/sessions/lifetime.js'
import { signOut } from '../../directory/sessions/sign-out.js'
import { hashSecret } from '../../platform/crypto/secret.js'
import type { DB } from '../../platform/db/schema.js'
import { ofOwner } from '../../platform/db/tenant-predicate.js'
import { ofUser } from '../../platform/tenant.js'

/** The browser that finishes a flow. */
export interface EndingBrowser {
  /** Of the session cookie of the flow's organization and environment, where the browser has one. */
  readonly sessionSecret: string | undefined
  readonly userAgent: string | null
}

/** A completed sign-in, and the session that it only continues, if any. */
interface KeptSignIn extends NewSession {
  readonly continuedId: string | null
}

/** A completed sign-in. */
export type NewSession = Parameters<typeof openSession>[2]

/**
 * Gives the browser of a finished flow its session, under a new secret.
 *
 * @returns Undefined when the one to continue is gone.
 */
export async function keepSession(
  deps: Deps,
  trx: Transaction<DB>,
  { continuedId, ...signIn }: KeptSignIn,
  end: EndingBrowser,
  secretHash: Buffer,
): Promise<OpenedSession | undefined> {
  if (continuedId === null) return openOrRenewSession(deps, trx, signIn, end, secretHash)
  return continueSession(deps, trx, { ...signIn, sessionId: continuedId }, end, secretHash)
}

/**
 * Gives the browser's session a new secret, and nothing else: it lasts no longer by a consent than by its sign-in.
 *
 * @returns Undefined when the browser no longer has it, or it has expired.
 */
async function continueSession(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  { tenant, organizationId, sessionId }: NewSession & { readonly sessionId: string },
  { sessionSecret, userAgent }: EndingBrowser,
  secretHash: Buffer,
): Promise<OpenedSession | undefined> {
  const at = now()
  const continued = await trx
    .updateTable('sessions')
    .where(ofOwner({ accountId: tenant.accountId, environment: tenant.environment, organizationId }))
    .where('id', '=', sessionId)
    .where('secret_hash', '=', hashSecret(sessionSecret ?? ''))
    .where('ended_at', 'is', null)
    .where(isUnexpired(at))
    .set({ secret_hash: secretHash, user_agent: userAgent, last_used_at: at, browser_used_at: at })
    .returning(['id', expiryOf().as('expires_at')])
    .executeTakeFirst()
  return continued && { sessionId: continued.id, expiresAt: continued.expires_at }
}

/**
 * Gives the browser a session of the user under a new secret: its present one if it is the same user's, else a new one.
 * A session of another user ends, so that nobody continues in it.
 */
async function openOrRenewSession(
  deps: Deps,
  trx: Transaction<DB>,
  signIn: Parameters<typeof openSession>[2],
  { sessionSecret, userAgent }: EndingBrowser,
  secretHash: Buffer,
): Promise<OpenedSession> {
  const { tenant, organizationId, userId } = signIn
  const at = deps.now()
  if (sessionSecret !== undefined) {
    const owner = { accountId: tenant.accountId, environment: tenant.environment, organizationId }
    const owned = trx
      .updateTable('sessions')
      .where(ofOwner(owner))
      .where('secret_hash', '=', hashSecret(sessionSecret))
      .where('ended_at', 'is', null)
    const renewed = await owned
      .where('user_id', '=', userId)
      .where(isUnexpired(at))
      .set({
        secret_hash: secretHash,
        user_agent: userAgent,
        amr: [...signIn.amr],
        identity_id: signIn.identityId ?? null,
        // Without a new proof the session keeps the one that it came from, which its end is to end.
        ...(signIn.emailSessionId != null && { email_session_id: signIn.emailSessionId }),
        authenticated_at: signIn.authenticatedAt,
        last_used_at: at,
        browser_used_at: at,
        begun_at: at,
        expires_at: expiryFrom(at, owner),
      })
      .returning(['id', 'expires_at'])
      .executeTakeFirst()
    if (renewed !== undefined) {
      await noteSignIn(deps, trx, signIn)
      return { sessionId: renewed.id, expiresAt: renewed.expires_at }
    }
    const other = await owned.set({ secret_hash: null }).returning(['id', 'user_id']).executeTakeFirst()
    if (other !== undefined) {
      const session = { userId: other.user_id, sessionId: other.id }
      await signOut(deps, trx, ofUser(tenant, other.user_id), session)
    }
  }
  return openSession(deps, trx, signIn, { secretHash, userAgent })
}

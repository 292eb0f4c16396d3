import { hashSecret } from '../../platform/crypto/secret.js'
import { lookup } from '../../platform/db/statement.js'
import type { Deps } from '../../delivery/deps.js'
import { isTotpAskedOfUserOf } from './totp-asked.js'
import { ofOwner, sameTenant } from '../../platform/db/tenant-predicate.js'

/** After this time without use, a browser's session asks for a sign-in again. */
export const idleMs = 60 * 60 * 1000

/** The session of a browser. */
export interface BrowserSession {
  readonly sessionId: string
  readonly userId: string
  readonly email: string
  readonly amr: readonly string[]
  readonly authenticatedAt: Date
  /** The identity asserted by an identity provider. */
  readonly identityId: string | null
  /** Whether a second factor is asked of the user now, whatever was asked when the session began. */
  readonly isTotpAsked: boolean
}

/** A session cookie, with its organization and environment. */
interface SessionCookie {
  readonly accountId: string
  readonly environment: string
  readonly organizationId: string
  readonly secret: string
}

/** The live session of a cookie; undefined when it has ended, expired or been idle, or its user may not sign in. */
export async function findBrowserSession(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  { secret, ...owner }: SessionCookie,
): Promise<BrowserSession | undefined> {
  const at = now()
  const key = { ...owner, secretHash: hashSecret(secret), at, idleSince: new Date(at.getTime() - idleMs) }
  const [row] = await selectSession(db, key)
  if (row === undefined) return undefined
  return {
    sessionId: row.id,
    userId: row.user_id,
    email: row.email,
    amr: row.amr,
    authenticatedAt: row.authenticated_at,
    identityId: row.identity_id,
    isTotpAsked: row.is_totp_asked,
  }
}

interface SessionKey extends Omit<SessionCookie, 'secret'> {
  readonly secretHash: Buffer
  readonly at: Date
  readonly idleSince: Date
}

const selectSession = lookup((db, key: SessionKey) =>
  db
    .selectFrom('sessions')
    .innerJoin('users', (join) =>
      join.on(sameTenant('users', 'sessions')).onRef('users.id', '=', 'sessions.user_id'),
    )
    .where(ofOwner(key, 'sessions'))
    .where('sessions.secret_hash', '=', key.secretHash)
    .where('sessions.ended_at', 'is', null)
    .where('sessions.expires_at', '>', key.at)
    .where('sessions.browser_used_at', '>', key.idleSince)
    .where('users.active', '=', true)
    .where('users.deleted_at', 'is', null)
    .select([
      'sessions.id',
      'sessions.user_id',
      'users.email',
      'sessions.amr',
      'sessions.authenticated_at',
      'sessions.identity_id',
      isTotpAskedOfUserOf('sessions').as('is_totp_asked'),
    ]),
)

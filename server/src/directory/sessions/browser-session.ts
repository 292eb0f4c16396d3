import type { Kysely } from 'kysely'
import { hashSecret } from '../../platform/crypto/secret.js'
import type { DB } from '../../platform/db/schema.js'
import { companion, lookup } from '../../platform/db/statement.js'
import type { Deps } from '../../delivery/deps.js'
import { isUnexpired, isUsedLately } from './lifetime.js'
import { isEnrollmentDueOfUserOf, isPasskeyAskedOfUserOf } from './factor-due.js'
import { isTotpAskedOfUserOf } from './totp-asked.js'
import { ofOwner, sameTenant } from '../../platform/db/tenant-predicate.js'

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
  /** Whether the user has to enrol one now, which the organization demands. */
  readonly isEnrollmentDue: boolean
  /** Whether a sign-in takes the passkey that the user holds, which the organization demands. */
  readonly isPasskeyAsked: boolean
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
  { config, db, now }: Pick<Deps, 'config' | 'db' | 'now'>,
  { secret, ...owner }: SessionCookie,
): Promise<BrowserSession | undefined> {
  const [row] = await selectSession(db, {
    ...owner,
    secretHash: hashSecret(secret),
    ...askedAt({ config, now }),
  })
  return row && toBrowserSession(row)
}

interface SessionKey extends Omit<SessionCookie, 'secret'>, AskedAt {
  readonly secretHash: Buffer
}

/** What a session is compared with. */
export interface AskedAt {
  readonly at: Date
  /** The domain of passkeys; null where the service has none. */
  readonly rpId: string | null
}

export function askedAt({ config, now }: Pick<Deps, 'config' | 'now'>): AskedAt {
  return { at: now(), rpId: config.passkeyRpId ?? null }
}

const selectSession = lookup((db, key: SessionKey) =>
  browserSessionsOf(db, key)
    .where(ofOwner(key, 'sessions'))
    .where('sessions.secret_hash', '=', key.secretHash),
)

/** What a sign-in asks of the live sessions of browsers, for a statement that says whose. */
export function browserSessionsOf(db: Kysely<DB>, { at, rpId }: AskedAt) {
  return liveBrowserSessions(db, at).select([
    'sessions.id',
    'sessions.user_id',
    'users.email',
    'sessions.amr',
    'sessions.authenticated_at',
    'sessions.identity_id',
    isTotpAskedOfUserOf('sessions').as('is_totp_asked'),
    isEnrollmentDueOfUserOf('sessions', at, rpId).as('is_enrollment_due'),
    isPasskeyAskedOfUserOf('sessions', rpId).as('is_passkey_asked'),
  ])
}

/** The live sessions of browsers with their users, for a statement that says whose, and what it reads of both. */
export function liveBrowserSessions(db: Kysely<DB>, at: Date) {
  return db
    .selectFrom('sessions')
    .innerJoin('users', (join) =>
      join.on(sameTenant('users', 'sessions')).onRef('users.id', '=', 'sessions.user_id'),
    )
    .where('sessions.ended_at', 'is', null)
    .where(isUnexpired(at))
    .where(isUsedLately(at))
    .where('users.active', '=', true)
    .where('users.deleted_at', 'is', null)
}

/** Notes that a session was used for a sign-in that begins with it. */
export const noteUse = companion((db, used: UsedSession) =>
  db
    .updateTable('sessions')
    .set({ last_used_at: used.at, browser_used_at: used.at })
    .where(ofOwner(used))
    .where('id', '=', used.sessionId)
    .where('ended_at', 'is', null),
)

interface UsedSession extends Omit<SessionCookie, 'secret'> {
  readonly sessionId: string
  readonly at: Date
}

type SessionRow = Awaited<ReturnType<typeof selectSession>>[number]

export function toBrowserSession(row: SessionRow): BrowserSession {
  return {
    sessionId: row.id,
    userId: row.user_id,
    email: row.email,
    amr: row.amr,
    authenticatedAt: row.authenticated_at,
    identityId: row.identity_id,
    isTotpAsked: row.is_totp_asked,
    isEnrollmentDue: row.is_enrollment_due,
    isPasskeyAsked: row.is_passkey_asked,
  }
}

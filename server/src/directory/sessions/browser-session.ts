import { sql, type Kysely, type SelectQueryBuilder } from 'kysely'
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
  const asked = askedAt({ config, now })
  const [row] = await selectSession(db, { ...owner, secretHash: hashSecret(secret), at: asked.at })
  return row && toBrowserSession(db, { ...owner, ...asked }, row)
}

interface SessionKey extends Omit<SessionCookie, 'secret'>, Pick<AskedAt, 'at'> {
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
  browserSessionsOf(db, key.at)
    .where(ofOwner(key, 'sessions'))
    .where('sessions.secret_hash', '=', key.secretHash),
)

/** A query from `sessions`: the table, or a subquery with its name and columns. */
export type SessionsQuery = SelectQueryBuilder<DB, 'sessions', object>

function allSessions(db: Kysely<DB>): SessionsQuery {
  // eslint-disable-next-line portico/tenant -- the statements that it is a part of say whose
  return db.selectFrom('sessions')
}

/** The live sessions of browsers with what decides whether they fit a sign-in, for a statement that says whose. */
export function browserSessionsOf(db: Kysely<DB>, at: Date, sessions?: SessionsQuery) {
  return liveBrowserSessions(db, at, sessions)
    .leftJoin('passkey_connections as passkey', (join) =>
      join.on(sameTenant('passkey', 'sessions')).on('passkey.active', '=', true),
    )
    .leftJoin('totp_connections', (join) => join.on(sameTenant('totp_connections', 'sessions')))
    .select([
      'sessions.id',
      'sessions.user_id',
      'users.email',
      'sessions.amr',
      'sessions.authenticated_at',
      'sessions.identity_id',
      sql<boolean>`coalesce(
        totp_connections.active or policy.second_factor = 'required' or passkey.requirement = 'required', false
      )`.as('may_ask_for_factor'),
    ])
}

/**
 * The live sessions of browsers with their users and the policy of their organization, for a statement that says whose, and what it
 * reads of them.
 */
export function liveBrowserSessions(db: Kysely<DB>, at: Date, sessions = allSessions(db)) {
  return sessions
    .innerJoin('users', (join) =>
      join.on(sameTenant('users', 'sessions')).onRef('users.id', '=', 'sessions.user_id'),
    )
    .leftJoin('organization_policies as policy', (join) => join.on(sameTenant('policy', 'sessions')))
    .where('sessions.ended_at', 'is', null)
    .where(isUnexpired(at, 'sessions', 'joined'))
    .where(isUsedLately(at, 'joined'))
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

/**
 * What a row of `browserSessionsOf()` says of its session, and for an organization that may ask for a factor what is asked of the user:
 * all of that at one moment, since an enrolment between two would be seen by neither.
 *
 * @returns undefined where the session has been erased since.
 */
export async function toBrowserSession(
  db: Kysely<DB>,
  key: Omit<SessionCookie, 'secret'> & AskedAt,
  row: SessionRow,
): Promise<BrowserSession | undefined> {
  const demand = row.may_ask_for_factor ? await findDemand(db, { ...key, sessionId: row.id }) : noDemand
  return (
    demand && {
      sessionId: row.id,
      userId: row.user_id,
      email: row.email,
      amr: row.amr,
      authenticatedAt: row.authenticated_at,
      identityId: row.identity_id,
      ...demand,
    }
  )
}

const noDemand = { isTotpAsked: false, isEnrollmentDue: false, isPasskeyAsked: false }
type Demand = Pick<BrowserSession, keyof typeof noDemand>

async function findDemand(db: Kysely<DB>, key: DemandKey): Promise<Demand | undefined> {
  const [row] = await selectDemand(db, key)
  return (
    row && {
      isTotpAsked: row.is_totp_asked,
      isEnrollmentDue: row.is_enrollment_due,
      isPasskeyAsked: row.is_passkey_asked,
    }
  )
}

interface DemandKey extends Omit<SessionCookie, 'secret'>, AskedAt {
  readonly sessionId: string
}

// Most organizations ask for no factor. In the statement above it would double the work of each sign-in for all of them; so where they
// have TOTP, or demand a factor, a sign-in takes one statement more.
const selectDemand = lookup((db, key: DemandKey) =>
  db
    .selectFrom('sessions')
    .where(ofOwner(key, 'sessions'))
    .where('sessions.id', '=', key.sessionId)
    .select([
      isTotpAskedOfUserOf('sessions').as('is_totp_asked'),
      isEnrollmentDueOfUserOf('sessions', key.at, key.rpId).as('is_enrollment_due'),
      isPasskeyAskedOfUserOf('sessions', key.rpId).as('is_passkey_asked'),
    ]),
)

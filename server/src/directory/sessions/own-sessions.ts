import type { Deps } from '../../delivery/deps.js'
import { change } from '../../delivery/events/change.js'
import type { Tenant } from '../../platform/tenant.js'
import { liveSessionsOf, signOut, signOutOthers, type SessionOfUser } from './sign-out.js'
import { sameEnvironment } from '../../platform/db/tenant-predicate.js'

/** A longer list would not be read. */
const shownSessions = 100

/** A session as its user sees it. */
interface OwnSession {
  readonly id: string
  readonly userAgent: string | null
  /** The application of the first sign-in; null when it was deleted. */
  readonly applicationName: string | null
  readonly authenticatedAt: Date
  readonly lastUsedAt: Date
}

/** The sessions of the user who asks, most recently used first. */
export async function listOwnSessions(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  tenant: Tenant,
  userId: string,
): Promise<OwnSession[]> {
  const rows = await liveSessionsOf(db, tenant, { userId, at: now() })
    .leftJoin('applications', (join) =>
      join
        .on(sameEnvironment('applications', 'sessions'))
        .onRef('applications.id', '=', 'sessions.application_id')
        .on('applications.deleted_at', 'is', null),
    )
    .select([
      'sessions.id',
      'sessions.user_agent',
      'applications.name as application_name',
      'sessions.authenticated_at',
      'sessions.last_used_at',
    ])
    .orderBy('sessions.last_used_at', 'desc')
    .orderBy('sessions.id', 'desc')
    .limit(shownSessions)
    .execute()
  return rows.map((row) => ({
    id: row.id,
    userAgent: row.user_agent,
    applicationName: row.application_name,
    authenticatedAt: row.authenticated_at,
    lastUsedAt: row.last_used_at,
  }))
}

/** Ends one session of the user who asks; no effect on an ended one, or on another user's. */
export async function endOwnSession(deps: Deps, tenant: Tenant, session: SessionOfUser): Promise<void> {
  await change(deps, tenant.cause, async (trx) => ({ record: await signOut(deps, trx, tenant, session) }))
}

/** Ends every session of the user who asks but the current one. */
export async function endOtherSessions(deps: Deps, tenant: Tenant, current: SessionOfUser): Promise<void> {
  await change(deps, tenant.cause, async (trx) => ({
    record: await signOutOthers(deps, trx, tenant, current),
  }))
}

import type { PageQuery } from '@portico/contract/fields'
import type { EndedSessions, Session } from '@portico/contract/sessions'
import type { Kysely } from 'kysely'
import { readPage, type Page } from '../../platform/db/page.js'
import { whyNotFound } from '../../platform/db/organization-id.js'
import type { DB } from '../../platform/db/schema.js'
import { countRows } from '../../platform/db/totals.js'
import type { Deps } from '../../delivery/deps.js'
import { change, type Changed } from '../../delivery/events/change.js'
import { emit } from '../../delivery/events/emit.js'
import type { Tenant } from '../../platform/tenant.js'
import { usersOf } from '../users/whole-user.js'
import { endSessionsOf } from '../end-sessions.js'
import { sessionColumns, toSession } from './record.js'
import { endableSessionsOf, expiryAt, liveSessionsOf, signOut, type SessionOfUser } from './sign-out.js'

/**
 * The sessions of a user that can still lead to tokens, newest sign-in first.
 *
 * @throws ApiError `organization_not_found`, `user_not_found`
 */
export async function listSessions(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  tenant: Tenant,
  userId: string,
  query: PageQuery,
): Promise<Page<Session>> {
  const live = liveSessionsOf(db, tenant, { userId, at: now() })
  return readPage(
    {
      db,
      query,
      order: { column: 'authenticated_at', direction: 'desc' },
      keys: live,
      table: 'sessions',
      rows: live.select([...sessionColumns, expiryAt(tenant).as('expires_at')]),
      total: async () => {
        const total = await countRows(live)
        if (total === 0) await checkUser(db, tenant, userId)
        return total
      },
      environment: tenant.environment,
    },
    (row) => toSession(row, tenant),
  )
}

/**
 * Ends a session of a user.
 *
 * @throws ApiError `organization_not_found`, `session_not_found`
 */
export function endUserSession(
  deps: Deps,
  tenant: Tenant,
  session: SessionOfUser,
): Promise<Changed<Session>> {
  return change(deps, tenant.cause, async (trx) => {
    const record = await signOut(deps, trx, tenant, session)
    if (record !== undefined) return { record, subjectId: session.userId }
    throw await whyNotFound(trx, tenant, 'session_not_found')
  })
}

/**
 * Ends all sessions and unfinished sign-ins of a user.
 *
 * @throws ApiError `organization_not_found`, `user_not_found`
 */
export function endUserSessions(deps: Deps, tenant: Tenant, userId: string): Promise<Changed<EndedSessions>> {
  return change(deps, tenant.cause, async (trx) => {
    // Locked, so that a concurrent sign-in either precedes this and is ended, or begins afterwards.
    const user = await usersOf(trx, tenant)
      .where('users.id', '=', userId)
      .select(['users.organization_id'])
      .forNoKeyUpdate()
      .executeTakeFirst()
    if (user === undefined) throw await whyNotFound(trx, tenant, 'user_not_found')
    const total = await countRows(endableSessionsOf(trx, tenant, { userId, at: deps.now() }))
    await endSessionsOf(deps, trx, tenant, userId)
    const record: EndedSessions = {
      __type__: 'EndedSessions',
      __domain__: tenant.domain,
      __environment__: tenant.environment,
      user_id: userId,
      total,
    }
    await emit(deps, trx, tenant, {
      code: 'user.session.end_all.success',
      record,
      organizationId: user.organization_id,
      subjectId: userId,
    })
    return { record, subjectId: userId }
  })
}

async function checkUser(db: Kysely<DB>, tenant: Tenant, userId: string): Promise<void> {
  const user = await usersOf(db, tenant).where('users.id', '=', userId).select('users.id').executeTakeFirst()
  if (user === undefined) throw await whyNotFound(db, tenant, 'user_not_found')
}

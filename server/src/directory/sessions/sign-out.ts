import type { Session } from '@portico/contract/sessions'
import { sql, type Kysely, type RawBuilder, type Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { emit } from '../../delivery/events/emit.js'
import { logEvent } from '../../delivery/log-events/log-event.js'
import type { Tenant } from '../../platform/tenant.js'
import { endSessions } from '../end-sessions.js'
import { expiryOf, isUnexpired } from './lifetime.js'
import { sessionColumns, toSession } from './record.js'
import { organizationIdOf } from '../../platform/db/organization-id.js'
import { ofTenant } from '../../platform/db/tenant-predicate.js'

/** A session of a user. */
export interface SessionOfUser {
  readonly userId: string
  readonly sessionId: string
}

/**
 * Ends a session of a user, and emits its event. Its codes, refresh tokens and browser cookie become invalid.
 *
 * @returns The session as it was; undefined when there is no session that could still lead to tokens.
 */
export async function signOut(
  deps: Pick<Deps, 'db' | 'now' | 'metrics'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  { userId, sessionId }: SessionOfUser,
): Promise<Session | undefined> {
  const [record] = await signOutWhere(deps, trx, tenant, userId, sql<boolean>`sessions.id = ${sessionId}`)
  return record
}

/** Ends all sessions of a user but one, with an event for each. */
export async function signOutOthers(
  deps: Pick<Deps, 'db' | 'now' | 'metrics'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  { userId, sessionId }: SessionOfUser,
): Promise<void> {
  await signOutWhere(deps, trx, tenant, userId, sql<boolean>`sessions.id <> ${sessionId}`)
}

async function signOutWhere(
  deps: Pick<Deps, 'db' | 'now' | 'metrics'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  userId: string,
  isMeant: RawBuilder<boolean>,
): Promise<Session[]> {
  const at = deps.now()
  // Locked, so that of two that end a session one emits its event.
  const ended = await endableSessionsOf(trx, tenant, { userId, at })
    .where(isMeant)
    .select([...sessionColumns, expiryAt(tenant).as('expires_at'), 'sessions.organization_id'])
    .forNoKeyUpdate('sessions')
    .execute()
  if (ended.length === 0) return []
  const ids = ended.map(({ id }) => id)
  await endSessions(
    deps,
    trx,
    tenant,
    sql`${ofTenant(tenant, 'sessions')} and sessions.id = any(${ids}::uuid[])`,
  )
  const records: Session[] = []
  for (const { organization_id: organizationId, ...row } of ended) {
    const record = toSession(row, tenant)
    records.push(record)
    await emit(deps, trx, tenant, {
      code: 'user.session.end.success',
      record,
      organizationId,
      subjectId: userId,
    })
    await logEvent(deps, trx, {
      ...tenant,
      organizationId,
      code: 'END_USER_SIGNED_OUT',
      clientId: record.client_id,
      userId,
    })
  }
  return records
}

/** The sessions of a user that can lead to tokens. Every read starts here, so that no query can forget its tenant. */
export function liveSessionsOf(db: Kysely<DB>, tenant: Tenant, { userId, at }: SessionsAt) {
  return sessionsOf(db, tenant, userId).where(isLive(at, isUnexpired(at, 'sessions', ownerOf(tenant))))
}

/** The same with those that the policy alone has ended, which a longer lifetime would bring back: they are ended, too. */
export function endableSessionsOf(db: Kysely<DB>, tenant: Tenant, { userId, at }: SessionsAt) {
  return sessionsOf(db, tenant, userId).where(isLive(at, sql<boolean>`sessions.expires_at > ${at}`))
}

interface SessionsAt {
  readonly userId: string
  readonly at: Date
}

function sessionsOf(db: Kysely<DB>, tenant: Tenant, userId: string) {
  return db.selectFrom('sessions').where(ofTenant(tenant, 'sessions')).where('sessions.user_id', '=', userId)
}

/** When the sessions of a tenant's statement expire. */
export function expiryAt(tenant: Tenant) {
  return expiryOf('sessions', ownerOf(tenant))
}

function ownerOf(tenant: Tenant) {
  const { accountId, environment } = tenant
  return { accountId, environment, organizationId: organizationIdOf(tenant) }
}

/** Whether a session can still sign in, or has valid refresh tokens. */
function isLive(at: Date, isSignedIn: RawBuilder<boolean>) {
  return sql<boolean>`(
    sessions.ended_at is null
    and (
      ${isSignedIn}
      or exists (
        select from refresh_token_families as family
        where family.account_id = sessions.account_id
          and family.environment = sessions.environment
          and family.organization_id = sessions.organization_id
          and family.session_id = sessions.id
          and family.ended_at is null
          and family.expires_at > ${at}
      )
    )
  )`
}

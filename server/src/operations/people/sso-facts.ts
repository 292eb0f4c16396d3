import { sql } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import { lookAtSeats, type Seats } from '../../directory/organization-policy/seats.js'
import { ofTenant } from '../../platform/db/tenant-predicate.js'
import type { Tenant } from '../../platform/tenant.js'
import { isConnection, type ConnectionKey } from '../../sso/connections/connection-key.js'
import { endsBefore } from '../../sso/connections/watch-certificates.js'
import { authorityFor, isPolicyMet } from '../../sso/sign-in/admission.js'
import { findLiveConnectionOf, type LiveConnection } from '../../sso/sign-in/live-connection.js'
import { loginAttemptsOf } from '../../sso/sign-in/login-attempts.js'

/** What a sign-in by the connection of an address meets. */
export interface SsoFacts {
  readonly live: LiveConnection
  /** Of its settings. */
  readonly changedAt: Date
  readonly hasCertificateEnded: boolean
  readonly authority: Awaited<ReturnType<typeof authorityFor>>
  /** The user has signed in by the connection before. */
  readonly isLinked: boolean
  readonly isPolicyMet: boolean
  /** Of the connection or of the policy, whichever are fewer. */
  readonly seats: Seats
  /** The last sign-in of anybody, where it failed before an address was asserted. */
  readonly failedUnnamed: { readonly id: string; readonly check: string; readonly at: Date } | undefined
}

/** The person of a sign-in. */
interface Person {
  readonly userId: string | null
  /** Normalized. */
  readonly email: string
}

/** @returns Undefined when the connection has been deleted since. */
export async function findSsoFacts(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  tenant: Tenant,
  key: ConnectionKey,
  person: Person,
): Promise<SsoFacts | undefined> {
  const live = await findLiveConnectionOf(db, key)
  const at = now()
  const state = await db
    .selectFrom('sso_connections')
    .where(isConnection(key))
    .select(['sso_connections.updated_at', endsBefore(at).as('has_certificate_ended')])
    .executeTakeFirst()
  if (live === undefined || state === undefined) return undefined
  const { email, userId } = person
  const authority = await authorityFor(db, live, email)
  const user = userId === null ? undefined : { id: userId }
  const newcomer = authority === 'trusted' ? { email, at } : undefined
  const [isMet, isLinked, seats, failedUnnamed] = await Promise.all([
    isPolicyMet(db, live, { user, newcomer }),
    isLinkedTo({ db }, tenant, live, userId),
    lookAtSeats(db, tenant, live.seatsLimit),
    findFailedUnnamed({ db }, key),
  ])
  return {
    live,
    changedAt: state.updated_at,
    hasCertificateEnded: state.has_certificate_ended,
    authority,
    isLinked,
    isPolicyMet: isMet,
    seats,
    failedUnnamed,
  }
}

async function isLinkedTo(
  { db }: Pick<Deps, 'db'>,
  tenant: Tenant,
  { idpId }: LiveConnection,
  userId: string | null,
): Promise<boolean> {
  if (userId === null) return false
  const identity = await db
    .selectFrom('user_identities')
    .where(ofTenant(tenant))
    .where('user_id', '=', userId)
    .where('idp_id', '=', idpId)
    .select('id')
    .limit(1)
    .executeTakeFirst()
  return identity !== undefined
}

/** A response that is refused before its assertion is believed has no address: of whom it was, nobody knows. */
async function findFailedUnnamed(
  { db }: Pick<Deps, 'db'>,
  key: ConnectionKey,
): Promise<SsoFacts['failedUnnamed']> {
  const last = await loginAttemptsOf(db, key)
    .where(sql<boolean>`sso_login_traces.kind <> 'test'`)
    .select(['id', 'failed_check as check', 'email_normalized', 'inserted_at as at'])
    .orderBy('inserted_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (last === undefined || last.check === null || last.email_normalized !== null) return undefined
  return { id: last.id, check: last.check, at: last.at }
}

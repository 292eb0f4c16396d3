import type { NewRelayRequest, RelayRequest } from '@portico/contract/relays'
import { sql, type Kysely } from 'kysely'
import { newId } from '../../platform/crypto/random.js'
import { hashSecret, randomSecret } from '../../platform/crypto/secret.js'
import { insertWhere } from '../../platform/db/insert-if.js'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { ApiError } from '../../platform/errors.js'
import { change, type Changed } from '../../delivery/events/change.js'
import { emit } from '../../delivery/events/emit.js'
import { logEvent } from '../../delivery/log-events/log-event.js'
import { refusedToken, verifyUserToken, type VerifiedUserToken } from '../../tokens/access-token.js'
import { isFamilyAlive } from '../../tokens/families.js'
import type { Caller } from '../../platform/tenant.js'
import { isUnexpired } from '../../directory/sessions/lifetime.js'
import { destinationOf, isPartnerOpen, receivingApplication } from './partner.js'
import { toRelayRequestData } from './record.js'
import { relaysOf } from './relays.js'
import { isOrganizationOf, ofOwner, ownerColumns, sameTenant } from '../../platform/db/tenant-predicate.js'

/** The caller redirects the browser there at once. */
const lifetimeMs = 60_000
/** A token that ends sooner may have ended when the browser arrives. */
const tokenLeftSeconds = 30

/**
 * Makes the single-use address that signs a user with a session in to the partner of a relay.
 *
 * @throws ApiError `access_token_refused`, `relay_not_found`, `relay_inactive`, `partner_not_open`
 */
export async function requestRelay(
  deps: Deps,
  caller: Caller,
  relayId: string,
  input: NewRelayRequest,
): Promise<Changed<RelayRequest>> {
  const user = await verifyUserToken(deps, caller, input.access_token, tokenLeftSeconds)
  const token = randomSecret()
  return change(deps, caller.cause, async (trx) => {
    const at = deps.now()
    const attempt = { caller, relayId, user, at }
    const values = {
      ...ownerColumns({ ...caller, organizationId: user.organizationId }),
      id: newId(),
      relay_id: relayId,
      user_id: user.userId,
      session_id: user.sessionId,
      token_hash: hashSecret(token),
      scope: input.scope ?? null,
      expires_at: new Date(at.getTime() + lifetimeMs),
      inserted_at: at,
    }
    // Locked, so that a relay that is deleted meanwhile is one that is not there.
    const isCarried = sql<boolean>`(
      exists (${openRelay(trx, attempt).forKeyShare('relays')}) and exists (${carriedSession(trx, attempt)})
    )`
    const row = await trx
      .with('created', (db) =>
        insertWhere(db, 'relay_requests', values, isCarried).returning([
          'account_id',
          'environment',
          'organization_id',
          'id',
          'relay_id',
          'user_id',
          'expires_at',
        ]),
      )
      .selectFrom('created')
      .innerJoin('users', (join) =>
        join.on(sameTenant('users', 'created')).onRef('users.id', '=', 'created.user_id'),
      )
      .select(['created.id', 'created.relay_id', 'created.user_id', 'created.expires_at', 'users.email'])
      .executeTakeFirst()
    if (row === undefined) throw await whyNotCarried(trx, attempt)

    const tenant = { ...caller, domain: user.organizationDomain }
    const data = toRelayRequestData(row, tenant)
    await emit(deps, trx, tenant, {
      code: 'relay.request.create.success',
      record: data,
      organizationId: user.organizationId,
      subjectId: user.userId,
    })
    await logEvent(deps, trx, {
      ...tenant,
      organizationId: user.organizationId,
      code: 'END_USER_RELAY_STARTED',
      clientId: user.clientId,
      email: row.email,
      userId: user.userId,
    })
    return { record: { ...data, relay_uri: `${deps.config.baseUrl}/relay/${token}` } }
  })
}

interface Attempt {
  readonly caller: Caller
  readonly relayId: string
  readonly user: VerifiedUserToken
  readonly at: Date
}

/** The relay, if it and its partner accept users now. */
function openRelay(db: Kysely<DB>, { caller, relayId }: Attempt) {
  const destination = destinationOf('relays')
  return relaysOf(db, caller)
    .where('relays.id', '=', relayId)
    .where('relays.active', '=', true)
    .where(isPartnerOpen(destination))
    .where(sql<boolean>`${receivingApplication(destination)} is not null`)
    .select('relays.id')
}

/** The session of the token, if its user may use a relay now. */
function carriedSession(db: Kysely<DB>, attempt: Attempt) {
  return sessionOf(db, attempt)
    .where('sessions.ended_at', 'is', null)
    .where(isUnexpired(attempt.at))
    .where('users.active', '=', true)
    .where('users.deleted_at', 'is', null)
    .where(sql<boolean>`'relay' <> all(sessions.amr)`)
    .where('sessions.impersonation_id', 'is', null)
    .where('organizations.deleted_at', 'is', null)
    .where(isFamilyAliveOf(attempt))
    .select('sessions.id')
}

/** Whether the family of the token has not ended. */
function isFamilyAliveOf({ caller: { accountId, environment }, user }: Attempt) {
  return isFamilyAlive({ accountId, environment, organizationId: user.organizationId }, user.familyId)
}

function sessionOf(db: Kysely<DB>, { caller, user }: Attempt) {
  return db
    .selectFrom('sessions')
    .innerJoin('users', (join) =>
      join.on(sameTenant('users', 'sessions')).onRef('users.id', '=', 'sessions.user_id'),
    )
    .innerJoin('organizations', (join) => join.on(isOrganizationOf('organizations', 'sessions')))
    .where(
      ofOwner(
        { accountId: caller.accountId, environment: caller.environment, organizationId: user.organizationId },
        'sessions',
      ),
    )
    .where('sessions.id', '=', user.sessionId)
    .where('sessions.user_id', '=', user.userId)
}

/** Why a request is refused. Reasons that concern every user come before those of this one. */
async function whyNotCarried(db: Kysely<DB>, attempt: Attempt): Promise<ApiError> {
  const relay = await relaysOf(db, attempt.caller)
    .where('relays.id', '=', attempt.relayId)
    .select('relays.active')
    .executeTakeFirst()
  if (relay === undefined) return new ApiError('relay_not_found')
  if (!relay.active) return new ApiError('relay_inactive')
  const open = await openRelay(db, attempt).executeTakeFirst()
  if (open === undefined) return new ApiError('partner_not_open')
  const session = await sessionOf(db, attempt)
    .select([
      'sessions.amr',
      'sessions.impersonation_id',
      'users.active',
      'users.deleted_at',
      isFamilyAliveOf(attempt).as('is_family_alive'),
    ])
    .executeTakeFirst()
  if (session?.amr.includes('relay') === true)
    return refusedToken('Its user has come by a relay, and is not carried on.')
  if (session != null && session.impersonation_id !== null)
    return refusedToken('It is of an impersonation, which stays at its application.')
  if (session?.is_family_alive === false) return refusedToken('It has been revoked.')
  const isUserThere = session === undefined || (session.active && session.deleted_at === null)
  return refusedToken(isUserThere ? 'Its session has ended.' : 'Its user is not active.')
}

import { sql, type RawBuilder } from 'kysely'
import { existsFor } from '../../platform/db/exists.js'
import { sameTenant } from '../../platform/db/tenant-predicate.js'
import { userIdOf, type RowOfUser } from './totp-asked.js'

/**
 * Whether the user of a row of a statement holds a passkey, which is asked for before anything weaker: the organization has them on,
 * and it is of the domain of the service. One that was blocked as a copy counts, so that whoever has copied it cannot have the user go
 * by the password alone.
 *
 * @param rpId The domain; undefined where the service has none.
 */
export function isPasskeyHeldByUserOf(row: RowOfUser, rpId: string | undefined): RawBuilder<boolean> {
  return isHeld(row, rpId, sql`true`)
}

/**
 * Whether they hold one that is accepted.
 *
 * @param isMeant Which of the passkeys; any unless it says.
 */
export function isPasskeyUsableByUserOf(
  row: RowOfUser,
  rpId: string | undefined,
  isMeant: RawBuilder<unknown> = sql`true`,
): RawBuilder<boolean> {
  return isHeld(row, rpId, sql`passkeys.disabled_at is null and ${isMeant}`)
}

/**
 * Whether the user of a session held one already when they signed in: a passkey that the session itself has added is not asked for
 * at once.
 */
export function isPasskeyHeldSinceBefore(session: 'sessions', rpId: string | undefined): RawBuilder<boolean> {
  return isHeld(session, rpId, sql`passkeys.inserted_at < ${sql.table(session)}.authenticated_at`)
}

function isHeld(row: RowOfUser, rpId: string | undefined, condition: RawBuilder<unknown>) {
  if (rpId === undefined) return sql<boolean>`false`
  return existsFor(passkeysOfUserOf(row, sql`passkeys.rp_id = ${rpId} and ${condition}`))
}

/** The ids of those that are accepted, of whatever domain, for a subquery. `isMeant` may ask the settings, too: they are `connection`. */
export function usablePasskeysOfUserOf(row: RowOfUser, isMeant: RawBuilder<unknown>): RawBuilder<unknown> {
  return passkeysOfUserOf(row, sql`passkeys.disabled_at is null and ${isMeant}`)
}

function passkeysOfUserOf(row: RowOfUser, condition: RawBuilder<unknown>) {
  return sql`
    select passkeys.id from passkeys
    join passkey_connections as connection on ${sameTenant('connection', 'passkeys')} and connection.active
    where ${sameTenant('passkeys', row)} and passkeys.user_id = ${userIdOf(row)} and ${condition}`
}

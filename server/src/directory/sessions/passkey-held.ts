import { sql, type RawBuilder } from 'kysely'
import { isRecovering } from './passkey-recovery.js'
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
 * at once, and none of a session that recovers them.
 */
export function isPasskeyHeldSinceBefore(
  session: 'sessions',
  at: Date,
  rpId: string | undefined,
): RawBuilder<boolean> {
  const proof = { amr: sql.ref('sessions.amr'), authenticatedAt: sql.ref('sessions.authenticated_at') }
  const isHeldBefore = isHeld(session, rpId, sql`passkeys.inserted_at < ${proof.authenticatedAt}`)
  return sql<boolean>`(${isHeldBefore} and not ${isRecovering(session, at, proof)})`
}

function isHeld(row: RowOfUser, rpId: string | undefined, condition: RawBuilder<unknown>) {
  if (rpId === undefined) return sql<boolean>`false`
  const of = sql.table(row)
  return sql<boolean>`exists (
    select from passkeys
    join passkey_connections as connection
      on connection.account_id = passkeys.account_id
      and connection.environment = passkeys.environment
      and connection.organization_id = passkeys.organization_id
    where passkeys.account_id = ${of}.account_id
      and passkeys.environment = ${of}.environment
      and passkeys.organization_id = ${of}.organization_id
      and passkeys.user_id = ${userIdOf(row)}
      and passkeys.rp_id = ${rpId}
      and connection.active
      and ${condition}
  )`
}

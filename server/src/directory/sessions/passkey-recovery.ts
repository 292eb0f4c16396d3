import { sql, type RawBuilder } from 'kysely'
import { ownerOfRow, userIdOf, type RowOfUser } from './totp-asked.js'

/** How a user has proved to be there, as a part of a statement. */
interface Proof {
  readonly amr: RawBuilder<unknown>
  readonly authenticatedAt: RawBuilder<unknown>
}

/**
 * Whether a sign-in of the user of a row of a statement recovers their passkeys: an operator has opened the recovery, and the mailbox
 * was proved since.
 */
export function isRecovering(row: RowOfUser, at: Date, { amr, authenticatedAt }: Proof): RawBuilder<boolean> {
  return sql<boolean>`('email' = any(${amr}) and ${isRecoveryOpen(row, at, authenticatedAt)})`
}

/** Whether it was open at a time, and is still. */
export function isRecoveryOpen(
  row: RowOfUser,
  at: Date,
  since: RawBuilder<unknown> = sql`${at}::timestamptz`,
): RawBuilder<boolean> {
  const of = ownerOfRow(row)
  return sql<boolean>`exists (
    select from passkey_recoveries as recovery
    where recovery.account_id = ${of.accountId}
      and recovery.environment = ${of.environment}
      and recovery.organization_id = ${of.organizationId}
      and recovery.user_id = ${userIdOf(row)}
      and recovery.expires_at > ${at}
      and recovery.inserted_at <= ${since}
  )`
}

import { sql, type RawBuilder } from 'kysely'
import { existsFor } from '../../platform/db/exists.js'
import { isPhishingResistant } from '../../tokens/acr.js'

/**
 * Whether TOTP is asked of the user of a row of a statement: the organization asks for it, and the user has a validated
 * enrolment.
 */
export function isTotpAskedOfUserOf(row: RowOfUser): RawBuilder<boolean> {
  const of = sql.table(row)
  return existsFor(sql`
    select from totp_connections as totp
    join totp_enrollments as enrollment
      on enrollment.account_id = totp.account_id
      and enrollment.environment = totp.environment
      and enrollment.organization_id = totp.organization_id
    where totp.account_id = ${of}.account_id
      and totp.environment = ${of}.environment
      and totp.organization_id = ${of}.organization_id
      and totp.active
      and enrollment.user_id = ${userIdOf(row)}
      and enrollment.validated_at is not null`)
}

/** A table or alias of a statement, each of whose rows is a user or belongs to one. */
export type RowOfUser = 'sessions' | 'flow' | 'users'

export function userIdOf(row: RowOfUser) {
  return sql.ref(row === 'users' ? 'users.id' : `${row}.user_id`)
}

/**
 * Whether a second factor of ours is missing. An SSO sign-in has passed the factors of its identity provider, and needs
 * another one here only when the application demands two.
 */
export function isSecondFactorMissing(
  amr: readonly string[],
  {
    isAsked,
    isMfaRequired,
    isPasskeyRequired = false,
  }: {
    /** By the organization: of who has one, or by its policy. */
    readonly isAsked: boolean
    readonly isMfaRequired: boolean
    /** The application takes no other second factor than a passkey. */
    readonly isPasskeyRequired?: boolean
  },
): boolean {
  if (isPasskeyRequired) return !isPhishingResistant(amr)
  if (amr.includes('mfa')) return false
  return isMfaRequired || (isAsked && !amr.includes('sso'))
}

import type { Environment } from '@portico/contract/fields'
import { sql, type RawBuilder } from 'kysely'

/** What is noted of an administrator in the course of an invitation. */
export type AdminMoment =
  | 'invited_at'
  | 'accepted_invitation_at'
  | 'declined_to_be_in_charge_at'
  | 'last_login_at'
  | 'updated_at'

/**
 * The column of a moment. Invitations of the sandbox can be opened by everybody with one of its keys, so that what becomes
 * of them stands apart, and production does not see it.
 */
export function momentColumn<Moment extends AdminMoment>(
  environment: Environment,
  moment: Moment,
): Moment | `sandbox_${Moment}` {
  return environment === 'production' ? moment : `sandbox_${moment}`
}

/** What the record of an administrator is made of, as one environment sees them. */
export function adminColumns(environment: Environment) {
  const seen = (moment: AdminMoment) => sql.ref(`sso_admins.${momentColumn(environment, moment)}`)
  return [
    'sso_admins.id',
    'sso_admins.email',
    'sso_admins.color',
    // Whom production alone has invited, the sandbox sees as invited all the same.
    sql<Date>`coalesce(${seen('invited_at')}, sso_admins.invited_at)`.as('invited_at'),
    sql<Date | null>`${seen('accepted_invitation_at')}`.as('accepted_invitation_at'),
    sql<Date | null>`${seen('declined_to_be_in_charge_at')}`.as('declined_to_be_in_charge_at'),
    sql<Date | null>`${seen('last_login_at')}`.as('last_login_at'),
    'sso_admins.inserted_at',
    sql<Date>`coalesce(${seen('updated_at')}, sso_admins.inserted_at)`.as('updated_at'),
  ] as const
}

/** Moments as they are written. */
interface Moments {
  readonly invited_at?: Date
  readonly accepted_invitation_at?: RawBuilder<Date>
  readonly declined_to_be_in_charge_at?: Date | null
  readonly last_login_at?: Date
  readonly updated_at?: Date
}

type MomentColumns = Moments & {
  readonly [Moment in keyof Moments as `sandbox_${Moment}`]: Moments[Moment]
}

/** Moments by the columns in which an environment has them. */
export function toMomentColumns(environment: Environment, moments: Moments): MomentColumns {
  if (environment === 'production') return moments
  const entries = Object.entries(moments).map(([moment, value]): [string, unknown] => [
    `sandbox_${moment}`,
    value,
  ])
  return Object.fromEntries(entries)
}

import type { Environment } from '@portico/contract/fields'
import { sql, type RawBuilder } from 'kysely'

/** The moments of an invitation that are recorded of an administrator. */
export type AdminMoment =
  | 'invited_at'
  | 'accepted_invitation_at'
  | 'declined_to_be_in_charge_at'
  | 'last_login_at'
  | 'updated_at'

/**
 * The column of a moment. Every holder of a sandbox key can open invitations of the sandbox, so that their moments are
 * stored apart, and production does not see them.
 */
export function momentColumn<Moment extends AdminMoment>(
  environment: Environment,
  moment: Moment,
): Moment | `sandbox_${Moment}` {
  return environment === 'production' ? moment : `sandbox_${moment}`
}

/** The columns of an administrator's record, as one environment sees them. */
export function adminColumns(environment: Environment) {
  const seen = (moment: AdminMoment) => sql.ref(`sso_admins.${momentColumn(environment, moment)}`)
  return [
    'sso_admins.id',
    'sso_admins.email',
    'sso_admins.color',
    // The sandbox sees administrators whom only production has invited as invited too.
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

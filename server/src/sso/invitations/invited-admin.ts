import type { Environment } from '@portico/contract/fields'
import { sql, type Transaction } from 'kysely'
import { newId, randomBytes } from '../../platform/crypto/random.js'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { normalizeEmail } from '../../platform/email.js'
import { toMomentColumns } from './admin-moments.js'

interface Inviting {
  readonly accountId: string
  readonly organizationId: string
  /** The environment of the invitation. */
  readonly environment: Environment
}

/**
 * Records the invitation of an address to administer an organization; repeated invitations share one record.
 *
 * @returns The id of the administrator, whose row is locked, so that their invitations are serialized.
 */
export async function upsertInvitedAdmin(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  { accountId, organizationId, environment }: Inviting,
  email: string,
): Promise<string> {
  const at = now()
  const { id } = await trx
    .insertInto('sso_admins')
    .values({
      account_id: accountId,
      organization_id: organizationId,
      id: newId(),
      email,
      email_normalized: normalizeEmail(email),
      color: `#${randomBytes(3).toString('hex').toUpperCase()}`,
      invited_at: at,
      is_of_production: environment === 'production',
      inserted_at: at,
      updated_at: at,
      ...toMomentColumns(environment, { invited_at: at, updated_at: at }),
    })
    .onConflict((conflict) =>
      conflict
        .constraint('sso_admins_email_key')
        // An administrator who declined is asked again.
        .doUpdateSet({
          // The sandbox must not change the address as production has written it.
          email: sql`case
            when sso_admins.is_of_production and not excluded.is_of_production then sso_admins.email
            else excluded.email
          end`,
          is_of_production: sql`sso_admins.is_of_production or excluded.is_of_production`,
          ...toMomentColumns(environment, {
            invited_at: at,
            declined_to_be_in_charge_at: null,
            updated_at: at,
          }),
        }),
    )
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

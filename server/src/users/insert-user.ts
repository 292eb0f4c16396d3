import { randomBytes } from 'node:crypto'
import type { PhoneNumber } from '@portico/contract/profile'
import type { RawBuilder, Transaction } from 'kysely'
import { insertIf } from '../db/insert-if.js'
import { organizationIdOf } from '../db/organization-id.js'
import type { DB } from '../db/schema.js'
import type { Deps } from '../deps.js'
import type { Tenant } from '../tenant.js'
import { normalizeEmail } from './email.js'
import { userColumns, type StoredAddress, type StoredProfile } from './record.js'

/** A user as it begins; no telephone number is verified. */
export interface UserToInsert {
  readonly id: string
  readonly active: boolean
  readonly email: string
  readonly emailVerified: boolean
  readonly phoneNumbers: readonly PhoneNumber[]
  readonly profile: StoredProfile
  readonly address: StoredAddress
}

/**
 * Inserts a user into the tenant's organization where a condition holds.
 *
 * @returns A query that yields the row, and none when the condition does not hold; it fails on `users_email_key` when
 *   the address belongs to another user.
 */
export function insertUser(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  { condition, ...user }: UserToInsert & { readonly condition: RawBuilder<boolean> },
) {
  const at = now()
  return insertIf(
    trx,
    'users',
    {
      account_id: tenant.accountId,
      environment: tenant.environment,
      organization_id: organizationIdOf(tenant),
      id: user.id,
      active: user.active,
      email: user.email,
      email_normalized: normalizeEmail(user.email),
      email_verified: user.emailVerified,
      phone_numbers: JSON.stringify(user.phoneNumbers),
      profile: JSON.stringify(user.profile),
      address: JSON.stringify(user.address),
      avatar_hexa_color: `#${randomBytes(3).toString('hex')}`,
      inserted_at: at,
      updated_at: at,
    },
    condition,
  ).returning(userColumns)
}

import type { PhoneNumber } from '@portico/contract/profile'
import type { NewUser } from '@portico/contract/user-input'
import type { Kysely, RawBuilder } from 'kysely'
import { randomBytes } from '../../platform/crypto/random.js'
import { insertWhere } from '../../platform/db/insert-if.js'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import type { Tenant } from '../../platform/tenant.js'
import { normalizeEmail } from '../../platform/email.js'
import { toUserRow, unwritten, userColumns, writtenPartOf } from './record.js'
import { tenantColumns } from '../../platform/db/tenant-predicate.js'

/** A new user; no telephone number is verified. */
interface UserToInsert {
  readonly id: string
  readonly input: NewUser
  readonly emailVerified: boolean
  readonly phoneNumbers: readonly PhoneNumber[]
}

/** The parameters of a statement that inserts a user. */
export type UserInsertion = ReturnType<typeof userInsertion>

export function userInsertion({ now }: Pick<Deps, 'now'>, tenant: Tenant, user: UserToInsert) {
  const { accountId, environment, domain, organizationIds } = tenant
  return {
    ...{ accountId, environment, domain, organizationIds },
    ...toUserRow(unwritten, user.input, user.phoneNumbers),
    id: user.id,
    emailNormalized: normalizeEmail(user.input.email),
    emailVerified: user.emailVerified,
    avatarHexaColor: `#${randomBytes(3).toString('hex')}`,
    at: now(),
  }
}

/**
 * Inserts a user into the tenant's organization if a condition holds.
 *
 * @returns A query that yields the row, or nothing when the condition does not hold; it fails on `users_email_key` when
 *   the address belongs to another user.
 */
export function insertUserIf(db: Kysely<DB>, user: UserInsertion, condition: RawBuilder<boolean>) {
  const row = {
    ...tenantColumns(user),
    ...writtenPartOf(user),
    id: user.id,
    email_normalized: user.emailNormalized,
    email_verified: user.emailVerified,
    avatar_hexa_color: user.avatarHexaColor,
    inserted_at: user.at,
    updated_at: user.at,
  }
  return insertWhere(db, 'users', row, condition).returning(userColumns)
}

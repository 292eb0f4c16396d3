import { sql, type Kysely, type Transaction } from 'kysely'
import { organizationIdOf } from '../db/organization-id.js'
import type { DB } from '../db/schema.js'
import { statement } from '../db/statement.js'
import type { Deps } from '../deps.js'
import type { Tenant } from '../tenant.js'
import { insertUserIf, userInsertion, type UserInsertion } from '../users/insert-user.js'
import { emitUser, usersOf } from '../users/users.js'

export interface SigningInUser {
  readonly id: string
  readonly active: boolean
  readonly email_verified: boolean
}

/** The user with an address; held, so that a deactivation comes before the sign-in or ends its session. */
export function findUser(
  trx: Transaction<DB>,
  tenant: Tenant,
  normalizedEmail: string,
): Promise<SigningInUser | undefined> {
  return usersOf(trx, tenant)
    .where('users.email_normalized', '=', normalizedEmail)
    .select(['users.id', 'users.active', 'users.email_verified'])
    .forNoKeyUpdate()
    .executeTakeFirst()
}

const insertNewUser = statement((db, user: UserInsertion) =>
  insertUserIf(db, user, sql<boolean>`true`).onConflict((conflict) => conflict.doNothing()),
)

/**
 * Makes the user of an address that a link has just verified.
 *
 * @returns Undefined when the address belongs to a user already.
 */
export async function createSigningInUser(
  deps: Deps,
  trx: Transaction<DB>,
  tenant: Tenant,
  { id, email }: { id: string; email: string },
): Promise<SigningInUser | undefined> {
  const user = { id, input: { email }, emailVerified: true, phoneNumbers: [] }
  const [row] = await insertNewUser(trx, userInsertion(deps, tenant, user))
  if (row === undefined) return undefined
  await emitUser(deps, trx, tenant, 'user.user.create.success', { ...row, metadata: [] })
  return row
}

/** Whether a value is missing that the organization requires of its users. */
export async function isRequiredMetadataMissing(
  db: Kysely<DB>,
  tenant: Tenant,
  userId: string,
): Promise<boolean> {
  const { rows } = await sql<{ is_missing: boolean }>`
    select exists (
      select from meta_keys as required_key
      where required_key.account_id = ${tenant.accountId}
        and required_key.organization_id = ${organizationIdOf(tenant)}
        and required_key.required
        and not exists (
          select from user_metadata as data
          where data.account_id = required_key.account_id
            and data.environment = ${tenant.environment}
            and data.organization_id = required_key.organization_id
            and data.user_id = ${userId}
            and data.meta_key_id = required_key.id
        )
    ) as is_missing`.execute(db)
  return rows[0]?.is_missing ?? false
}

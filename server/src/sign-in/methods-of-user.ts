import { sql, type Transaction } from 'kysely'
import type { DB } from '../platform/db/schema.js'
import { sameTenant } from '../platform/db/tenant-predicate.js'
import type { Tenant } from '../platform/tenant.js'
import { usersOf } from '../directory/users/whole-user.js'

/** How a user can sign in, as the organization has its methods now. */
export interface MethodsOfUser {
  /** A password, a link, or an identity of a connection that is active. */
  readonly hasOther: boolean
  /** The passkeys that sign in by themselves. */
  readonly passkeyIds: readonly string[]
}

/** Asked before a method is taken from a user whom the transaction has locked, so that two removals do not take the last two. */
export async function findMethodsOfUser(
  trx: Transaction<DB>,
  tenant: Tenant,
  userId: string,
): Promise<MethodsOfUser> {
  const row = await usersOf(trx, tenant)
    .where('users.id', '=', userId)
    .select([
      sql<boolean>`(
        exists (
          select from passwords
          join password_connections as connection on ${sameTenant('connection', 'passwords')} and connection.active
          where ${sameTenant('passwords', 'users')} and passwords.user_id = users.id
        ) or exists (
          select from magic_link_connections as connection
          where ${sameTenant('connection', 'users')} and connection.active
        ) or exists (
          select from user_identities as identity
          join sso_connections as connection on ${sameTenant('connection', 'identity')}
            and connection.idp_id = identity.idp_id and connection.active
          where ${sameTenant('identity', 'users')} and identity.user_id = users.id
        )
      )`.as('has_other'),
      sql<string[]>`array(
        select passkeys.id from passkeys
        join passkey_connections as connection on ${sameTenant('connection', 'passkeys')}
          and connection.active and connection.first_factor
        where ${sameTenant('passkeys', 'users')} and passkeys.user_id = users.id and passkeys.disabled_at is null
      )`.as('passkey_ids'),
    ])
    .executeTakeFirst()
  return { hasOther: row?.has_other ?? false, passkeyIds: row?.passkey_ids ?? [] }
}

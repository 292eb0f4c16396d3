import { sql, type RawBuilder, type Transaction } from 'kysely'
import type { DB } from '../platform/db/schema.js'
import { sameEnvironment, sameTenant } from '../platform/db/tenant-predicate.js'
import type { Tenant } from '../platform/tenant.js'
import { isReady } from '../directory/provider-ready.js'
import { usersOf } from '../directory/users/whole-user.js'

/** How a user can sign in, as the organization has its methods now. */
export interface MethodsOfUser {
  /** A password, a link, or an identity of a connection or a social provider that is active. */
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
        ) or ${hasSocialIdentity()}
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

/** Whether the user of a statement's row has an account at a social provider by which the organization signs in. */
export function hasSocialIdentity(): RawBuilder<boolean> {
  return sql<boolean>`exists (
    select from user_identities as identity
    join social_connections as connection on ${sameTenant('connection', 'identity')} and connection.active
    join social_providers on ${sameEnvironment('social_providers', 'identity')}
      and social_providers.active and ${isReady()}
    where ${sameTenant('identity', 'users')} and identity.user_id = users.id
      and identity.kind = 'social'
      and identity.provider = 'social.' || social_providers.name
      and (connection.providers is null or social_providers.name = any(connection.providers))
  )`
}

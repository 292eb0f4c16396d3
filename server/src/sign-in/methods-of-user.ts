import { sql, type RawBuilder, type Transaction } from 'kysely'
import type { Deps } from '../delivery/deps.js'
import type { DB } from '../platform/db/schema.js'
import { sameEnvironment, sameTenant } from '../platform/db/tenant-predicate.js'
import type { Tenant } from '../platform/tenant.js'
import { isUsableBy } from '../directory/usable.js'
import { isIssuedByProvider, isProviderOpen } from '../directory/provider-ready.js'
import { usablePasskeysOfUserOf } from '../directory/sessions/passkey-held.js'
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
  { config }: Pick<Deps, 'config'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  userId: string,
): Promise<MethodsOfUser> {
  const row = await usersOf(trx, tenant)
    .where('users.id', '=', userId)
    .select([
      sql<boolean>`(${hasPassword} or ${hasLink} or ${hasIdentity(sql`true`)})`.as('has_other'),
      sql<string[]>`array(${passkeysAt(config.passkeyRpId)})`.as('passkey_ids'),
    ])
    .executeTakeFirst()
  return { hasOther: row?.has_other ?? false, passkeyIds: row?.passkey_ids ?? [] }
}

/**
 * Whether a user can still sign in without one of their identities, as a part of the statement that takes it: asked of the row's user,
 * whom the transaction has locked.
 */
export function hasMethodBesideIdentity(
  { config }: Pick<Deps, 'config'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  { userId, id }: { readonly userId: string; readonly id: string },
) {
  return sql<boolean>`exists (${usersOf(trx, tenant)
    .where('users.id', '=', userId)
    .where(
      sql<boolean>`(
        ${hasPassword} or ${hasLink} or ${hasIdentity(sql`identity.id <> ${id}`)} or exists (${passkeysAt(config.passkeyRpId)})
      )`,
    )
    .select('users.id')})`
}

const hasPassword = sql`exists (
  select from passwords
  join password_connections as connection on ${sameTenant('connection', 'passwords')} and connection.active
  where ${sameTenant('passwords', 'users')} and passwords.user_id = users.id
)`

const hasLink = sql`exists (
  select from magic_link_connections as connection
  where ${sameTenant('connection', 'users')} and connection.active
)`

/** An identity of a connection or a social provider by which users of the organization sign in now, of those that meet a condition. */
function hasIdentity(isMeant: RawBuilder<unknown>) {
  return sql`(
    exists (
      select from user_identities as identity
      join sso_connections as connection on ${sameTenant('connection', 'identity')}
        and connection.idp_id = identity.idp_id and connection.active
      where ${sameTenant('identity', 'users')} and identity.user_id = users.id and ${isMeant}
    ) or ${hasSocialIdentity(isMeant)}
  )`
}

/**
 * Whether the user of a statement's row has an account at a social provider by which the organization signs in, of those that meet a
 * condition.
 */
export function hasSocialIdentity(isMeant: RawBuilder<unknown> = sql`true`): RawBuilder<boolean> {
  return sql<boolean>`exists (
    select from user_identities as identity
    join social_connections as connection on ${sameTenant('connection', 'identity')}
    join social_providers on ${sameEnvironment('social_providers', 'identity')} and ${isIssuedByProvider()}
    where ${sameTenant('identity', 'users')} and identity.user_id = users.id
      and identity.kind = 'social' and ${isMeant} and ${isProviderOpen()}
  )`
}

/** The passkeys that sign in by themselves, on our pages or on those of an application: a passkey of a domain of before does not. */
function passkeysAt(rpId: string | undefined) {
  return usablePasskeysOfUserOf(
    'users',
    sql`connection.first_factor and (passkeys.rp_id = ${rpId ?? null} or exists (
      select from applications where ${sameEnvironment('applications', 'users')}
        and applications.passkey_rp_id = passkeys.rp_id and ${isUsableBy(sql.ref('users.organization_id'))}
    ))`,
  )
}

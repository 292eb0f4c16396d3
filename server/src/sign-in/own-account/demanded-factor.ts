import { sql, type Kysely, type RawBuilder } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import { isPasskeyUsableByUserOf } from '../../directory/sessions/passkey-held.js'
import { isTotpAskedOfUserOf } from '../../directory/sessions/totp-asked.js'
import { usersOf } from '../../directory/users/whole-user.js'
import type { DB } from '../../platform/db/schema.js'
import { sameTenant } from '../../platform/db/tenant-predicate.js'
import type { Tenant } from '../../platform/tenant.js'

/** Whether the policy of the organization of a statement's user demands a second factor. */
export function isFactorDemandedByPolicy(): RawBuilder<boolean> {
  return sql<boolean>`exists (
    select from organization_policies as policy
    where ${sameTenant('policy', 'users')} and policy.second_factor = 'required'
  )`
}

/** Whether the organization of a statement's user demands passkeys. */
export function arePasskeysDemanded(): RawBuilder<boolean> {
  return sql<boolean>`exists (
    select from passkey_connections as demand
    where ${sameTenant('demand', 'users')} and demand.active and demand.requirement = 'required'
  )`
}

/** Whether the organization of a user demands passkeys. */
export async function demandsPasskeys(db: Kysely<DB>, tenant: Tenant, userId: string): Promise<boolean> {
  const row = await usersOf(db, tenant)
    .where('users.id', '=', userId)
    .where(arePasskeysDemanded())
    .select('users.id')
    .executeTakeFirst()
  return row !== undefined
}

/** Whether a passkey is the only second factor of a user of an organization that demands one; a removal has locked the user. */
export async function isDemandedPasskey(
  { config }: Pick<Deps, 'config'>,
  db: Kysely<DB>,
  tenant: Tenant,
  { userId, id }: { readonly userId: string; readonly id: string },
): Promise<boolean> {
  const { passkeyRpId: rpId } = config
  const row = await usersOf(db, tenant)
    .where('users.id', '=', userId)
    .where(sql<boolean>`(${isFactorDemandedByPolicy()} or ${arePasskeysDemanded()})`)
    .where(isPasskeyUsableByUserOf('users', rpId, sql`passkeys.id = ${id}`))
    .where(sql<boolean>`not ${isPasskeyUsableByUserOf('users', rpId, sql`passkeys.id <> ${id}`)}`)
    .where(sql<boolean>`not ${isTotpAskedOfUserOf('users')}`)
    .select('users.id')
    .executeTakeFirst()
  return row !== undefined
}

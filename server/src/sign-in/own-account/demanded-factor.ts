import { sql, type Kysely } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import { arePasskeysDemandedOf, isFactorDemandedOf } from '../../directory/sessions/factor-due.js'
import { isPasskeyUsableByUserOf } from '../../directory/sessions/passkey-held.js'
import { isTotpAskedOfUserOf } from '../../directory/sessions/totp-asked.js'
import { usersOf } from '../../directory/users/whole-user.js'
import type { DB } from '../../platform/db/schema.js'
import type { Tenant } from '../../platform/tenant.js'

/** Whether the organization of a user demands a second factor, or passkeys. */
export async function demandsFactor(db: Kysely<DB>, tenant: Tenant, userId: string): Promise<boolean> {
  const row = await usersOf(db, tenant)
    .where('users.id', '=', userId)
    .where(isDemanded())
    .select('users.id')
    .executeTakeFirst()
  return row !== undefined
}

function isDemanded() {
  return sql<boolean>`(${isFactorDemandedOf('users')} or ${arePasskeysDemandedOf('users')})`
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
    .where(isDemanded())
    .where(isPasskeyUsableByUserOf('users', rpId, sql`passkeys.id = ${id}`))
    .where(sql<boolean>`not ${isPasskeyUsableByUserOf('users', rpId, sql`passkeys.id <> ${id}`)}`)
    .where(sql<boolean>`not ${isTotpAskedOfUserOf('users')}`)
    .select('users.id')
    .executeTakeFirst()
  return row !== undefined
}

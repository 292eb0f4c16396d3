import type { Kysely } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import { isSsoRequiredOf } from '../../directory/domains/authority.js'
import { isPasskeyHeldByUserOf } from '../../directory/sessions/passkey-held.js'
import type { DB } from '../../platform/db/schema.js'
import { ofTenant } from '../../platform/db/tenant-predicate.js'
import type { Tenant } from '../../platform/tenant.js'

/** A user of an organization. */
interface UserKey {
  readonly tenant: Pick<Tenant, 'accountId' | 'environment' | 'domain' | 'organizationIds'>
  readonly userId: string
}

/** Whether a user holds a passkey, so that nothing weaker is taken in its place, and none is added by it; also a blocked one. */
export async function holdsPasskey(
  { config }: Pick<Deps, 'config'>,
  db: Kysely<DB>,
  { tenant, userId }: UserKey,
): Promise<boolean> {
  const { passkeyRpId: rpId } = config
  if (rpId === undefined) return false
  const row = await db
    .selectFrom('users')
    .where(ofTenant(tenant, 'users'))
    .where('users.id', '=', userId)
    .where(isPasskeyHeldByUserOf('users', rpId))
    .select(isSsoRequiredOf('users').as('is_sso_required'))
    .executeTakeFirst()
  return row?.is_sso_required === false
}

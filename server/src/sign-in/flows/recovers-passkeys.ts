import type { Kysely } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import { isPasskeyHeldByUserOf } from '../../directory/sessions/passkey-held.js'
import type { DB } from '../../platform/db/schema.js'
import { ofTenant, sameTenant } from '../../platform/db/tenant-predicate.js'
import type { Tenant } from '../../platform/tenant.js'

/** What a sign-in has proved. */
interface Proof {
  readonly amr: readonly string[]
  readonly authenticatedAt: Date | null
  /** The session that the sign-in only adds a factor to; null of a sign-in of its own. */
  readonly sessionId: string | null
}

/**
 * Whether a sign-in recovers the passkeys of its user: an operator has opened the recovery, and the sign-in has proved the mailbox
 * since. A step-up recovers nothing, because a stranger at an unattended browser could begin one.
 */
export async function recoversPasskeys(
  { config, now }: Pick<Deps, 'config' | 'now'>,
  db: Kysely<DB>,
  { tenant, userId }: { readonly tenant: Tenant; readonly userId: string },
  { amr, authenticatedAt, sessionId }: Proof,
): Promise<boolean> {
  const { passkeyRpId: rpId } = config
  if (rpId === undefined || authenticatedAt === null || sessionId !== null) return false
  if (!amr.includes('email')) return false
  const row = await db
    .selectFrom('users')
    .innerJoin('passkey_recoveries as recovery', (join) =>
      join.on(sameTenant('recovery', 'users')).onRef('recovery.user_id', '=', 'users.id'),
    )
    .where(ofTenant(tenant, 'users'))
    .where('users.id', '=', userId)
    .where('recovery.expires_at', '>', now())
    .where('recovery.inserted_at', '<=', authenticatedAt)
    .where(isPasskeyHeldByUserOf('users', rpId))
    .select('users.id')
    .executeTakeFirst()
  return row !== undefined
}

import { sql, type Kysely } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import { isSsoRequiredOf } from '../../directory/domains/authority.js'
import { isPasskeyHeldByUserOf } from '../../directory/sessions/passkey-held.js'
import { isRecovering, isRecoveryOpen } from '../../directory/sessions/passkey-recovery.js'
import type { DB } from '../../platform/db/schema.js'
import { ofTenant } from '../../platform/db/tenant-predicate.js'
import type { Tenant } from '../../platform/tenant.js'

/** A user of an organization. */
interface UserKey {
  readonly tenant: Pick<Tenant, 'accountId' | 'environment' | 'domain' | 'organizationIds'>
  readonly userId: string
}

/** What a sign-in of the user has proved. */
interface Proof {
  readonly amr: readonly string[]
  readonly authenticatedAt: Date | null
}

/**
 * Whether a user holds a passkey, so that nothing weaker is taken in its place, and none is added by it; also a blocked one.
 *
 * @param proof Of the sign-in that asks; one that recovers the passkeys of the user is asked for none.
 */
export async function holdsPasskey(
  { config, now }: Pick<Deps, 'config' | 'now'>,
  db: Kysely<DB>,
  { tenant, userId }: UserKey,
  proof?: Proof,
): Promise<boolean> {
  const { passkeyRpId: rpId } = config
  if (rpId === undefined) return false
  const row = await db
    .selectFrom('users')
    .where(ofTenant(tenant, 'users'))
    .where('users.id', '=', userId)
    .where(isPasskeyHeldByUserOf('users', rpId))
    .$if(proof !== undefined, (users) =>
      users.where(
        sql<boolean>`not ${isRecovering('users', now(), {
          amr: sql`${[...(proof?.amr ?? [])]}::text[]`,
          authenticatedAt: sql`${proof?.authenticatedAt ?? null}::timestamptz`,
        })}`,
      ),
    )
    .select(isSsoRequiredOf('users').as('is_sso_required'))
    .executeTakeFirst()
  return row?.is_sso_required === false
}

/** Whether the recovery of the passkeys of a user is open, which takes a proof of the sign-in itself. */
export async function isPasskeyRecoveryOpen(
  { now }: Pick<Deps, 'now'>,
  db: Kysely<DB>,
  { tenant, userId }: UserKey,
): Promise<boolean> {
  const row = await db
    .selectFrom('users')
    .where(ofTenant(tenant, 'users'))
    .where('users.id', '=', userId)
    .where(isRecoveryOpen('users', now()))
    .select('users.id')
    .executeTakeFirst()
  return row !== undefined
}

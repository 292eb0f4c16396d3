import { sql } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import type { SessionOfUser } from '../../directory/sessions/sign-out.js'
import { ofTenant } from '../../platform/db/tenant-predicate.js'
import type { Tenant } from '../../platform/tenant.js'
import { removeIdentity } from '../identities/identities.js'
import { changeOwnAccount } from './own-session.js'

/** An account at a social provider that signs the user in. */
export interface OwnIdentity {
  readonly id: string
  /** The name of the provider. */
  readonly provider: string
  /** As the provider has said it last; null where it said none. */
  readonly email: string | null
  readonly authenticatedAt: Date
}

/** The accounts at social providers of a user, oldest first: there are few. */
export async function findOwnIdentities(
  { db }: Pick<Deps, 'db'>,
  tenant: Tenant,
  userId: string,
): Promise<OwnIdentity[]> {
  const rows = await db
    .selectFrom('user_identities')
    .where(ofTenant(tenant))
    .where('user_id', '=', userId)
    .where('kind', '=', 'social')
    .select(['id', 'provider', 'authenticated_at', sql<string | null>`data ->> 'email'`.as('email')])
    .orderBy('id')
    .execute()
  return rows.map(({ id, provider, email, authenticated_at }) => ({
    id,
    provider: provider.replace(/^social\./, ''),
    email,
    authenticatedAt: authenticated_at,
  }))
}

/**
 * Unlinks an account at a social provider from the user of a fresh session; their other sessions end. One that is gone is no fault:
 * another tab was first.
 *
 * @returns `last` where the user could not sign in any more.
 */
export function unlinkOwnIdentity(
  deps: Deps,
  tenant: Tenant,
  session: SessionOfUser,
  id: string,
): Promise<'unlinked' | 'last' | 'stale'> {
  const { userId } = session
  return changeOwnAccount(deps, tenant, session, 'fresh_session', async (within, trx) => {
    const wanted = { userId, id, needsOther: true, kept: session, kinds: ['social'] }
    return (await removeIdentity(within, trx, tenant, wanted)) === 'last' ? 'last' : 'unlinked'
  })
}

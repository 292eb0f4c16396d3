import { sql, type Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import { ofOwner, sameTenant } from '../../platform/db/tenant-predicate.js'
import type { Deps } from '../../delivery/deps.js'
import { endSessions } from '../end-sessions.js'
import { isSsoRequiredOf } from './authority.js'
import type { DomainPlace } from './rows.js'

/**
 * Ends the sessions that no identity provider has opened, of users of an organization who sign in by single sign-on alone
 * from now on. A partner's relay, and staff, are no way around it.
 */
export async function endSessionsWithoutSso(
  deps: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  { accountId, environment, organizationId }: DomainPlace,
): Promise<void> {
  const owner = { accountId, environment, organizationId }
  await endSessions(
    deps,
    trx,
    owner,
    sql`${ofOwner(owner, 'sessions')}
      and not sessions.amr && array['sso', 'relay', 'impersonation']
      and exists (
        select from users
        where ${sameTenant('users', 'sessions')} and users.id = sessions.user_id and ${isSsoRequiredOf('users')}
      )`,
  )
}

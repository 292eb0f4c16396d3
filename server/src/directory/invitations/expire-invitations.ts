import type { Environment } from '@portico/contract/fields'
import { sql, type Kysely } from 'kysely'
import { newId } from '../../platform/crypto/random.js'
import type { DB } from '../../platform/db/schema.js'
import { isOrganizationOf, sameTenant } from '../../platform/db/tenant-predicate.js'
import { causeBy, type Tenant } from '../../platform/tenant.js'
import type { Deps } from '../../delivery/deps.js'
import { change } from '../../delivery/events/change.js'
import { endInvitation } from '../pending-invitations/pending.js'

const batchSize = 500

/**
 * Turns invitations whose time is over, and tells of it; and revokes those of addresses that a user has by now, such as one whose
 * address was changed to it.
 */
export async function expireInvitations(deps: Pick<Deps, 'db' | 'keys' | 'now'>): Promise<void> {
  const cause = causeBy(newId(), 'system', 'invitations')
  for (;;) {
    const at = deps.now()
    const over = await findOver(deps.db, at)
    for (const { id, isExpired, ...place } of over) {
      const end = { state: isExpired ? 'expired' : 'revoked' } as const
      await change(deps, cause, async (trx) => {
        await endInvitation(deps, trx, { ...place, organizationIds: null, cause }, { id, end, at })
        return { record: undefined }
      })
    }
    if (over.length < batchSize) return
  }
}

interface Over extends Omit<Tenant, 'cause' | 'organizationIds'> {
  readonly id: string
  readonly isExpired: boolean
}

async function findOver(db: Kysely<DB>, at: Date): Promise<readonly Over[]> {
  const rows = await db
    .selectFrom('invitations')
    .innerJoin('organizations', (join) => join.on(isOrganizationOf('organizations', 'invitations')))
    .innerJoin('accounts', 'accounts.id', 'invitations.account_id')
    .where('organizations.deleted_at', 'is', null)
    .where('invitations.state', '=', 'pending')
    .where('invitations.ended_at', 'is', null)
    .where(sql<boolean>`(
      invitations.expires_at <= ${at}
      or exists (
        select from users
        where ${sameTenant('users', 'invitations')}
          and users.email_normalized = invitations.email_normalized
          and users.deleted_at is null
      )
    )`)
    .select([
      'invitations.account_id',
      'accounts.domain as account_domain',
      sql<Environment>`invitations.environment`.as('environment'),
      'organizations.domain',
      'invitations.id',
      sql<boolean>`(invitations.expires_at <= ${at})`.as('is_expired'),
    ])
    .orderBy('invitations.expires_at')
    .limit(batchSize)
    .execute()
  return rows.map((row) => ({
    accountId: row.account_id,
    accountDomain: row.account_domain,
    environment: row.environment,
    domain: row.domain,
    id: row.id,
    isExpired: row.is_expired,
  }))
}

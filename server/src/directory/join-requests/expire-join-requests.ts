import type { Environment } from '@portico/contract/fields'
import { sql, type Kysely } from 'kysely'
import { newId } from '../../platform/crypto/random.js'
import type { DB } from '../../platform/db/schema.js'
import { isOrganizationOf } from '../../platform/db/tenant-predicate.js'
import { causeBy, type Tenant } from '../../platform/tenant.js'
import type { Deps } from '../../delivery/deps.js'
import { change } from '../../delivery/events/change.js'
import { endJoinRequest, isOvertaken } from './rows.js'

const batchSize = 500

/** Turns join requests whose time is over, and those of addresses that a user has by now, and tells of it. */
export async function expireJoinRequests(deps: Pick<Deps, 'db' | 'keys' | 'now'>): Promise<void> {
  const cause = causeBy(newId(), 'system', 'join_requests')
  for (;;) {
    const at = deps.now()
    const over = await findOver(deps.db, at)
    for (const { id, ...place } of over)
      await change(deps, cause, async (trx) => {
        const tenant = { ...place, organizationIds: null, cause }
        await endJoinRequest(deps, trx, tenant, { id, end: { state: 'expired' }, at })
        return { record: undefined }
      })
    if (over.length < batchSize) return
  }
}

interface Over extends Omit<Tenant, 'cause' | 'organizationIds'> {
  readonly id: string
}

async function findOver(db: Kysely<DB>, at: Date): Promise<readonly Over[]> {
  const rows = await db
    .selectFrom('join_requests')
    .innerJoin('organizations', (join) => join.on(isOrganizationOf('organizations', 'join_requests')))
    .innerJoin('accounts', 'accounts.id', 'join_requests.account_id')
    .where('organizations.deleted_at', 'is', null)
    .where('join_requests.state', '=', 'pending')
    .where('join_requests.ended_at', 'is', null)
    .where(sql<boolean>`(join_requests.expires_at <= ${at} or ${isOvertaken()})`)
    .select([
      'join_requests.account_id',
      'accounts.domain as account_domain',
      sql<Environment>`join_requests.environment`.as('environment'),
      'organizations.domain',
      'join_requests.id',
    ])
    .orderBy('join_requests.expires_at')
    .limit(batchSize)
    .execute()
  return rows.map((row) => ({
    accountId: row.account_id,
    accountDomain: row.account_domain,
    environment: row.environment,
    domain: row.domain,
    id: row.id,
  }))
}

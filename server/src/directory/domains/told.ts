import type { Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import { isOrganizationOf, ofEnvironment } from '../../platform/db/tenant-predicate.js'
import type { Cause } from '../../platform/tenant.js'
import type { Deps } from '../../delivery/deps.js'
import { emit } from '../../delivery/events/emit.js'
import { enqueue } from '../../delivery/jobs/enqueue.js'
import { logEvent } from '../../delivery/log-events/log-event.js'
import { endSessionsWithoutSso } from './end-without-sso.js'
import type { DomainRow } from './record.js'
import { toChanged, wholeDomain, type DomainPlace } from './rows.js'
import type { DomainNews } from './states.js'

/** More organizations of one account share a domain in no company. */
const maxSharers = 20

/**
 * Tells of the end of a check, in its transaction: the event, the log event, and who else has proved the domain. A proved one
 * that demands single sign-on ends the other sessions; of one that lapses the administrators are mailed.
 */
export async function reportCheck(
  deps: Pick<Deps, 'config' | 'db' | 'now' | 'metrics'>,
  trx: Transaction<DB>,
  { cause, ...place }: DomainPlace & { readonly cause: Cause },
  { row, news }: { readonly row: DomainRow; readonly news: DomainNews },
): Promise<void> {
  const scope = { ...place, cause }
  const changed = toChanged(deps, row, place)
  await emit(deps, trx, scope, { code: `domain.domain.${news}.success`, ...changed })
  if (news === 'expire') return
  const code = news === 'verify' ? 'DOMAIN_VERIFIED' : 'DOMAIN_LAPSED'
  await logEvent(deps, trx, { ...scope, code, reason: row.domain })
  if (news === 'lapse') {
    const { accountId, environment, organizationId } = place
    const payload = { accountId, environment, organizationId, domainId: row.id }
    await enqueue(deps, trx, { name: 'tell_admins_of_domain', payload, accountId })
    return
  }
  if (row.sso_required) await endSessionsWithoutSso(deps, trx, place)
  const sharers = await findSharers(trx, place, row.domain)
  if (sharers.length === 0) return
  await emit(deps, trx, scope, { code: 'domain.domain.share.success', ...changed })
  for (const { organization_domain: domain, ...sharer } of sharers)
    await emit(
      deps,
      trx,
      { ...scope, domain },
      { code: 'domain.domain.share.success', ...toChanged(deps, sharer, { ...place, domain }) },
    )
}

/** Other organizations of the account that have proved a domain: its owner has given them records, too. */
function findSharers(
  trx: Transaction<DB>,
  { accountId, environment, organizationId }: DomainPlace,
  domain: string,
) {
  return trx
    .selectFrom('domains')
    .innerJoin('organizations', (join) => join.on(isOrganizationOf('organizations', 'domains')))
    .where(ofEnvironment({ accountId, environment }, 'domains'))
    .where('domains.domain', '=', domain)
    .where('domains.organization_id', '<>', organizationId)
    .where('domains.state', 'in', ['verified', 'lapsing'])
    .where('organizations.deleted_at', 'is', null)
    .select([...wholeDomain(), 'organizations.domain as organization_domain'])
    .limit(maxSharers)
    .execute()
}
